import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, errorCode, usageError } from '../../errors.ts';
import { type LockFile, type LockOwner, readLock } from './lock-file.ts';
import { removeStaleLockFiles } from './lock-leftovers.ts';
import { isAlive, pidSpace, processStart } from './process-identity.ts';

export type { LockOwner } from './lock-file.ts';

export interface Lock {
  /** Aborted, with a {@link CliError} as its reason, when the lock is found to belong to somebody else. */
  readonly lost: AbortSignal;
  /**
   * Makes sure of the lock and shows that its owner is alive; done every ten seconds anyway. For the moment before
   * something that must not happen twice: a process that was asleep may wake up without its lock.
   * @throws {CliError} kind `incomplete` when it belongs to somebody else.
   */
  confirm(): Promise<void>;
  /** Gives the lock back. */
  release(): Promise<void>;
}

interface LockOptions {
  /** What it protects, for people. */
  readonly what?: string;
  readonly signal?: AbortSignal;
  /** Told once when it has to be waited to see whether an owner on another host is alive, for at most so long. */
  readonly onWait?: (owner: LockOwner, mostMs: number) => void;
  /** How often an owner shows that it is alive, and when one that does not is taken for dead, in milliseconds. */
  readonly beatMs?: number;
  readonly staleMs?: number;
}

const BEAT_MS = 10_000;
const STALE_MS = 60_000;
// A process that was just killed takes a moment to be gone.
const GRACE_MS = 1000;
const LOCAL_POLL_MS = 50;

/**
 * Takes a lock that one process can hold: a file that names its owner. The lock of a dead owner is taken over.
 * An owner on the same host is dead when its process is; one on another host that shares the file system, when
 * the file has not been touched for a minute, by the clock of the file system, not those of the hosts. So it may
 * take up to a minute to take over, and ten seconds to see that somebody is alive.
 *
 * Of any number of processes that try, one gets it. Where there is no lock, making a link decides. The right to
 * put another in the place of a dead owner's is itself a lock, named by the random token of the lock that it
 * replaces. It is given up only after that has been replaced, and a token never comes back: whoever has it and
 * still finds that token in place is the only one to replace it. It is taken over from the dead likewise.
 * @throws {CliError} kind `usage` when a living process holds it; kind `output` when the file cannot be written.
 */
export async function acquireLock(path: string, owner: LockOwner, options: LockOptions = {}): Promise<Lock> {
  const { beatMs = BEAT_MS, staleMs = STALE_MS } = options;
  const self: LockFile = {
    host: owner.host,
    pid: owner.pid,
    startedAt: owner.startedAt,
    space: await pidSpace(),
    processStart: (await processStart(owner.pid)) ?? null,
    token: randomBytes(8).toString('hex'),
  };
  const handle = await take(path, self, { ...options, staleMs });
  await removeStaleLockFiles(path, (await handle.stat()).mtimeMs);
  return hold(path, self, handle, beatMs);
}

/** Puts a lock with this content at the path; see above. */
async function take(
  path: string,
  self: LockFile,
  options: LockOptions & { readonly staleMs: number },
): Promise<FileHandle> {
  const temporary = `${path}.${self.token}.part`;
  const handle = await open(temporary, 'wx').catch((error: unknown) => {
    throw lockError(path, error);
  });
  const rivals = new Rivals(self.space, options);
  try {
    for (;;) {
      options.signal?.throwIfAborted();
      // Touched each time: it must not be old when it gets its place.
      const now = await touch(handle, self);
      if (await linked(temporary, path)) return handle;
      const rival = await readLock(path);
      if (rival === undefined) continue;
      // Network file systems may report a link that they made as one that was there.
      if (rival.token === self.token) return handle;
      if (await rivals.mayBeAlive(rival, now, path)) continue;
      const right = `${path}.${rival.token}`;
      const rightHandle = await take(right, self, options);
      try {
        if ((await readLock(path))?.token === rival.token) {
          await rename(temporary, path);
          return handle;
        }
      } finally {
        await rightHandle.close();
        await rm(right, { force: true });
      }
    }
  } catch (error) {
    await handle.close();
    throw error instanceof CliError || options.signal?.aborted ? error : lockError(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Judges the owners that stand in the way. */
class Rivals {
  readonly #options: LockOptions & { readonly staleMs: number };
  readonly #space: string;
  readonly #start = performance.now();
  #foreign: (LockFile & { readonly mtimeMs: number }) | undefined;

  constructor(space: string, options: LockOptions & { readonly staleMs: number }) {
    this.#space = space;
    this.#options = options;
  }

  /**
   * False when the owner is dead. True, after a pause, when that has to be seen.
   * @param now by the clock that set `mtimeMs`.
   * @throws {CliError} kind `usage` when it is alive.
   */
  async mayBeAlive(
    rival: LockFile & { readonly mtimeMs: number },
    now: number,
    path: string,
  ): Promise<boolean> {
    const { staleMs, onWait, signal, what } = this.#options;
    let pause = LOCAL_POLL_MS;
    if (rival.space === this.#space) {
      if (!(await isAlive(rival.pid, rival.processStart ?? undefined))) return false;
      if (performance.now() - this.#start > GRACE_MS) throw held(path, rival, what);
    } else {
      const age = now - rival.mtimeMs;
      if (age > staleMs) return false;
      if (this.#foreign?.token !== rival.token) {
        this.#foreign = rival;
        onWait?.(rival, staleMs - age);
      }
      if (this.#foreign.mtimeMs !== rival.mtimeMs) throw held(path, rival, what);
      pause = staleMs / 120;
    }
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    return true;
  }
}

function hold(path: string, self: LockFile, handle: FileHandle, beatMs: number): Lock {
  const lost = new AbortController();
  let beat: Promise<void> | undefined;
  const confirm = async () => {
    const current = await readLock(path);
    if (current?.token !== self.token) {
      const by = current === undefined ? 'somebody' : name(current);
      throw new CliError(
        'incomplete',
        `the lock ${path} was taken away by ${by} while this process did not run`,
      );
    }
    // Through the handle: if somebody takes the lock over in this moment, it is not theirs that is touched.
    await touch(handle, self);
  };
  const timer = setInterval(() => {
    beat ??= confirm()
      .catch((error: unknown) => {
        // A file system that does not answer is no loss yet: the next beat tells.
        if (!(error instanceof CliError)) return;
        clearInterval(timer);
        lost.abort(error);
      })
      .finally(() => {
        beat = undefined;
      });
  }, beatMs).unref();
  let released: Promise<void> | undefined;
  const release = async () => {
    clearInterval(timer);
    await beat;
    if ((await readLock(path))?.token === self.token) await rm(path, { force: true });
    await handle.close();
  };
  return {
    lost: lost.signal,
    confirm,
    release: () => {
      released ??= release();
      return released;
    },
  };
}

/** Writes the content again, which sets the time of the file by the clock of the file system; returns that time. */
async function touch(handle: FileHandle, self: LockFile): Promise<number> {
  const content = Buffer.from(JSON.stringify(self));
  await handle.write(content, 0, content.length, 0);
  await handle.sync();
  return (await handle.stat()).mtimeMs;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

const name = (owner: LockOwner): string =>
  `process ${owner.pid} on ${owner.host}, running since ${owner.startedAt}`;

function held(path: string, owner: LockOwner, what = 'this directory'): CliError {
  return usageError(
    `${what} is in use by ${name(owner)}`,
    `wait until it has ended; if there is no such process any more, delete ${path}`,
  );
}

function lockError(path: string, error: unknown): CliError {
  return new CliError('output', `cannot lock ${path}: ${(error as Error).message}`, { cause: error });
}
