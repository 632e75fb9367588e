import { rename } from 'node:fs/promises';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../errors.ts';

// Windows says so of a file that a virus scanner, an indexer, a backup or a reader has open for a moment.
const BUSY: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/** Whether an error may only mean that something else has the file open: on Windows, not elsewhere. */
export function isBusyFile(error: unknown, system: string = platform()): boolean {
  return system === 'win32' && BUSY.includes(errorCode(error));
}

/**
 * Renames a file, also over another one. On Windows it waits up to ten seconds for programs that have one of them
 * open.
 * @param attempt,system for tests.
 * @throws the system's error.
 */
export async function renameFile(
  from: string,
  to: string,
  attempt: (from: string, to: string) => Promise<void> = rename,
  system: string = platform(),
): Promise<void> {
  const start = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt(from, to);
    } catch (error) {
      if (!isBusyFile(error, system) || performance.now() - start > PATIENCE_MS) throw error;
    }
    await sleep(pause);
  }
}
