import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../errors.ts';

// Longer than any process waits for a lock with a file of its own beside it.
const LITTER_MS = 3_600_000;

/**
 * Removes what processes left beside a lock that were killed in the milliseconds while they took it.
 * @param now in milliseconds, by the clock of the file system.
 */
export async function removeStaleLockFiles(path: string, now: number): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const file = join(folder, name);
    try {
      if (now - (await stat(file)).mtimeMs > LITTER_MS) await rm(file, { force: true });
    } catch (error) {
      // Other processes clean up after themselves at the same time.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
}
