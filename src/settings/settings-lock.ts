import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusyFile } from '../disk/rename.ts';
import { errorCode } from '../errors.ts';

const RETRY_MS = 20;
/** An action takes a few milliseconds: a process that holds the lock for longer was killed. */
const STALE_MS = 3000;

/**
 * Locks a file for one action: two runs that change it at the same time would lose one change.
 * @param action must wait for nothing but the disk.
 */
export async function withFileLock<Result>(
  file: string,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  const lock = `${file}.lock`;
  const start = performance.now();
  while (!acquired(lock, start)) {
    const since = madeAt(lock);
    if (since !== undefined && Math.abs(Date.now() - since) > STALE_MS) rmSync(lock, { force: true });
    else await sleep(RETRY_MS);
  }
  try {
    return await action();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** When a lock was made, in milliseconds; undefined when it has gone. */
function madeAt(lock: string): number | undefined {
  try {
    // The time of the link itself: stat finds none for a dangling link, and the wait would not end.
    return lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  } catch (error) {
    if (isBusyFile(error)) return undefined;
    throw error;
  }
}

function acquired(lock: string, start: number): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // On Windows, a lock that is being removed is there a moment longer, and cannot be opened.
    const isGoing = isBusyFile(error) && performance.now() - start < STALE_MS;
    if (errorCode(error) !== 'EEXIST' && !isGoing) throw error;
    return false;
  }
}
