import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../errors.ts';

const RETRY_MS = 20;
/** What is done under the lock takes a few milliseconds: whoever holds it for longer was killed. */
const STALE_MS = 3000;

/**
 * Does something that no other run does to this file at the same moment; of two that read, change and write, one
 * change would be lost.
 * @param action must wait for nothing but the disk.
 */
export async function withFileLock<Result>(
  file: string,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  const lock = `${file}.lock`;
  while (!taken(lock)) {
    // Of a link itself: one that leads nowhere would be waited for without end.
    const since = lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Math.abs(Date.now() - since) > STALE_MS) rmSync(lock, { force: true });
    else await sleep(RETRY_MS);
  }
  try {
    return await action();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}
