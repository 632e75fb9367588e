import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The variables that name the temporary directory; Windows reads the last two. */
const NAMES = ['TMPDIR', 'TEMP', 'TMP'];

/**
 * Gives the run a temporary directory of its own, which the programs that tests start inherit. The
 * run fails when anything is left in it.
 */
export default function setup(): () => void {
  const previous = NAMES.map((name) => [name, process.env[name]] as const);
  // macOS has it behind a link, and Windows may give it a short name: a program that asks for the
  // real path of a file would name another one than the test.
  const directory = mkdtempSync(join(realpathSync.native(tmpdir()), 'doi-cli-tests-'));
  for (const name of NAMES) process.env[name] = directory;
  // Node 22 and later keep compiled code there for programs that ask for it, such as tsc.
  process.env['NODE_DISABLE_COMPILE_CACHE'] = '1';
  return () => {
    for (const [name, value] of previous) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    const left = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    if (left.length === 0) return;
    // Vitest reports an error of a teardown, but ends with the exit code of the tests.
    process.exitCode = 1;
    throw new Error(
      `tests left in the temporary directory: ${left.sort().slice(0, 20).join(', ')}`,
    );
  };
}
