// Stands for when-exit in the bundle, which conf uses to remove temporary files. The original also listens for
// signals and raises each one again after its work: for main that would be the second Ctrl-C, which ends the program
// at once, in the middle of an orderly end.

/** @param {() => void} callback */
export default function whenExit(callback) {
  process.once('exit', callback);
}
