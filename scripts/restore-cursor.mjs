// Replaces restore-cursor in the bundle, which ora uses to show the cursor again at the end. The original also listens
// for signals and raises each one again (see when-exit.mjs).
let isCalled = false;

export default function restoreCursor() {
  if (isCalled) return;
  isCalled = true;
  process.once('exit', () => {
    if (process.stderr.isTTY) process.stderr.write('\u001b[?25h');
  });
}
