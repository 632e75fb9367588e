import { hostname } from 'node:os';
import { pid } from 'node:process';
import { acquireLock, type Lock } from './disk/lock.ts';
import type { HarvestHost } from './run.ts';

/**
 * Does something while holding a lock, saying so when it has to be waited for.
 * @throws {CliError} kind `usage` when a living process holds it; whatever the work throws.
 */
export async function locked<T>(
  host: Pick<HarvestHost, 'signal' | 'now' | 'note'>,
  path: string,
  work: (lock: Lock) => Promise<T>,
): Promise<T> {
  const owner = { host: hostname(), pid, startedAt: new Date(host.now()).toISOString() };
  const lock = await acquireLock(path, owner, {
    signal: host.signal,
    onWait: (other) =>
      host.note(`waiting to see whether process ${other.pid} on ${other.host} is still at work`),
  });
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}
