import { hostname } from 'node:os';
import { acquireLock, type Lock } from './lock.ts';
import { ownPid } from './process-identity.ts';

/** What taking a lock needs of a run. */
interface LockingHost {
  readonly signal: AbortSignal;
  now(): number;
  note(text: string): void;
}

/**
 * Does something while holding a lock, saying so when it has to be waited for.
 * @param what the lock protects, for people; a directory without it.
 * @throws {CliError} kind `usage` when a living process holds it; whatever the work throws.
 */
export async function withDirectoryLock<T>(
  host: LockingHost,
  path: string,
  work: (lock: Lock) => Promise<T>,
  what?: string,
): Promise<T> {
  const owner = { host: hostname(), pid: ownPid, startedAt: new Date(host.now()).toISOString() };
  const lock = await acquireLock(path, owner, {
    signal: host.signal,
    ...(what === undefined ? {} : { what }),
    onWait: (other) =>
      host.note(`waiting to see whether process ${other.pid} on ${other.host} is still at work`),
  });
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}
