import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Gives the run a temporary directory of its own, which the programs that tests start inherit. The run fails when
 * anything is left in it.
 */
export default function setup(): () => void {
  const previous = process.env['TMPDIR'];
  const directory = mkdtempSync(join(tmpdir(), 'doi-cli-tests-'));
  process.env['TMPDIR'] = directory;
  return () => {
    if (previous === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = previous;
    const left = readdirSync(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    if (left.length === 0) return;
    // Vitest reports an error of a teardown, but ends with the exit code of the tests.
    process.exitCode = 1;
    throw new Error(`tests left in the temporary directory: ${left.sort().join(', ')}`);
  };
}
