// Replaces when-exit in the bundle, which conf uses to remove temporary files. The original also listens for signals
// and raises each one again. For main that would be a second Ctrl-C, which cuts short an orderly end.

/** @param {() => void} callback */
export default function whenExit(callback) {
  process.once('exit', callback);
}
