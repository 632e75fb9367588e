import { setTimeout as sleep } from 'node:timers/promises';
import { type CliError, usageError } from '../../errors.ts';
import type { FoundLock, LockOwner } from './lock-file.ts';
import { isAlive, isSameSpace } from './process-identity.ts';

// An owner on another host counts as dead after this time without a beat.
const STALE_MS = 60_000;
// A process that was just killed takes a moment to disappear.
const GRACE_MS = 1000;
const LOCAL_POLL_MS = 50;
const FOREIGN_POLL_MS = 500;

/** What the search for living owners needs. */
export interface RivalOptions {
  /** What the lock protects, for messages. */
  readonly what?: string | undefined;
  readonly signal?: AbortSignal;
  /**
   * Called once when taking the lock has to wait, at most `mostMs`, to see whether an owner on another host
   * is alive.
   */
  readonly onWait?: (owner: LockOwner, mostMs: number) => void;
}

/** Finds out whether other owners of the lock are alive. */
export class Rivals {
  readonly #options: RivalOptions;
  readonly #space: string;
  readonly #start = performance.now();
  #foreign: FoundLock | undefined;

  constructor(space: string, options: RivalOptions) {
    this.#space = space;
    this.#options = options;
  }

  /**
   * False when the owner is dead. True, after a pause, when that is not clear yet.
   * @param now by the clock that set `mtimeMs`.
   * @throws {CliError} kind `usage` when it is alive.
   */
  async mayBeAlive(rival: FoundLock, now: number, path: string): Promise<boolean> {
    const { onWait, signal, what } = this.#options;
    let pause = LOCAL_POLL_MS;
    if (isSameSpace(rival.space, this.#space)) {
      if (!(await isAlive(rival.pid, rival.processStart ?? undefined))) return false;
      if (performance.now() - this.#start > GRACE_MS) throw held(path, rival, what);
    } else {
      const age = now - rival.mtimeMs;
      if (age > STALE_MS) return false;
      if (this.#foreign?.token !== rival.token) {
        this.#foreign = rival;
        onWait?.(rival, STALE_MS - age);
      }
      if (this.#foreign.mtimeMs !== rival.mtimeMs) throw held(path, rival, what);
      pause = FOREIGN_POLL_MS;
    }
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    return true;
  }
}

/** The owner of a lock, in words. */
export const describeOwner = (owner: LockOwner): string =>
  `process ${owner.pid} on ${owner.host}, running since ${owner.startedAt}`;

function held(path: string, owner: LockOwner, what = 'this directory'): CliError {
  return usageError(
    `${what} is in use by ${describeOwner(owner)}`,
    `wait until it has ended; if there is no such process any more, delete ${path}`,
  );
}
