import { writeSync } from 'node:fs';
import { keepCompiled } from './cli/compile-cache.ts';
import { VERSION } from './version.ts';

/**
 * Prints the version without the rest of the program: installers and scripts ask for it often.
 * @returns false where it cannot be written at once; the program then waits, or says why.
 */
function printVersion(): boolean {
  try {
    writeSync(1, `${VERSION}\n`);
    return true;
  } catch {
    return false;
  }
}

const argv = process.argv.slice(2);
if (argv.length !== 1 || argv[0] !== '--version' || !printVersion()) {
  keepCompiled(process.env, process.platform);
  const { runProcess } = await import('./process.ts');
  await runProcess(argv);
}
