// Why this is not twenty lines: a harvest may run on several machines of a cluster that share a file system.
// A process number says nothing on another machine, so owners show that they are alive (heartbeat); a dead
// owner's lock must not block the work forever (takeover); and a process that was asleep must notice that it
// lost its lock (confirm).
import { type FileHandle, open, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, usageError } from '../../errors.ts';
import { renameFile } from '../atomic-file.ts';
import { systemReason } from '../system-error.ts';
import { type FoundLock, type LockFile, place, readLock, removeStaleLockFiles, touch } from './lock-file.ts';
import { isAlive, isSameSpace, ownPid, pidSpace, processStart } from './process-identity.ts';

export interface Lock {
  /** Aborted, with a {@link CliError} as its reason, when another process is found to hold the lock. */
  readonly lost: AbortSignal;
  /**
   * Checks that this process holds the lock. Call it before a step that must not happen twice: a process that
   * was asleep may wake up without its lock.
   * @throws {CliError} kind `incomplete` when another process holds it, or it was deleted.
   */
  check(): Promise<void>;
  /** Checks the same, and shows that this process is alive; also done every ten seconds. */
  confirm(): Promise<void>;
  /** Gives the lock back. */
  release(): Promise<void>;
}

interface LockOptions {
  /** What the lock protects, for messages; this directory when left out. */
  readonly what?: string | undefined;
  readonly signal?: AbortSignal;
  /** How long to wait for a living owner, in milliseconds. */
  readonly patienceMs?: number;
  /**
   * Called once when taking the lock has to wait, at most `mostMs`, to see whether an owner on another host
   * is alive.
   */
  readonly onWait?: (owner: LockFile, mostMs: number) => void;
  /** How often an owner shows that it is alive, in milliseconds. */
  readonly beatMs?: number;
}

const BEAT_MS = 10_000;
// An owner on another host counts as dead after this time without a beat.
const STALE_MS = 60_000;
// A process that was just killed takes a moment to disappear.
const GRACE_MS = 1000;
// Changing a file of settings takes milliseconds.
const CHANGE_MS = 15_000;
const LOCAL_POLL_MS = 50;
const FOREIGN_POLL_MS = 500;

/** What taking a lock needs of a run. */
interface LockingHost {
  readonly signal: AbortSignal;
  note(text: string): void;
}

/**
 * Does some work while holding a lock, with a note when the lock has to be waited for.
 * @param what the lock protects, for messages; a directory by default.
 * @throws {CliError} kind `usage` when a living process holds it; whatever the work throws.
 */
export async function withDirectoryLock<T>(
  host: LockingHost,
  path: string,
  work: (lock: Lock) => Promise<T>,
  what?: string,
): Promise<T> {
  const lock = await acquireLock(path, {
    signal: host.signal,
    what,
    onWait: (other) =>
      host.note(`waiting to see whether process ${other.pid} on ${other.host} is still at work`),
  });
  return work(lock).finally(() => lock.release());
}

/**
 * Changes a file while no other process changes it: two that do at the same time would lose one change.
 * @throws {CliError} kind `usage` when a living process holds the lock for long; whatever the change throws.
 */
export async function withFileLock<T>(file: string, change: () => T | Promise<T>): Promise<T> {
  const lock = await acquireLock(`${file}.lock`, { what: file, patienceMs: CHANGE_MS });
  try {
    return await change();
  } finally {
    await lock.release();
  }
}

/**
 * Takes a lock that one process can hold: a file that names its owner. The lock of a dead owner is taken
 * over. An owner on the same host is dead when its process is; an owner on another host, when the file has
 * not been touched for a minute by the clock of the file system. So a takeover takes up to a minute, and a
 * living owner is recognised within ten seconds.
 *
 * Of any number of processes that try, one gets the lock. Where there is no lock file, making a link decides; on
 * a file system without links, creating the file does.
 * A dead owner's file is replaced in three steps:
 *
 *  1. Take a second lock, named by the dead lock's random token, in the same way (takeovers included).
 *  2. Read the first lock again. Only if it still has that token, replace it by renaming.
 *  3. Give the second lock back.
 *
 * Tokens never repeat, so a process that comes later finds another token in step 2 and replaces nothing.
 * @throws {CliError} kind `usage` when a living process holds it; kind `output` when the file cannot be
 *   written.
 */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<Lock> {
  // Most commands that could take a lock do not.
  const { randomBytes } = await import('node:crypto');
  const self: LockFile = {
    host: hostname(),
    pid: ownPid,
    startedAt: new Date().toISOString(),
    space: await pidSpace(),
    processStart: (await processStart(ownPid)) ?? null,
    token: randomBytes(8).toString('hex'),
  };
  const handle = await take(path, self, options);
  await removeStaleLockFiles(path, (await handle.stat()).mtimeMs);
  return hold(path, self, handle, options.beatMs ?? BEAT_MS);
}

/** Puts a lock with this content at the path, see {@link acquireLock}. */
async function take(path: string, self: LockFile, options: LockOptions): Promise<FileHandle> {
  const temporary = `${path}.${self.token}.part`;
  const handle = await open(temporary, 'wx').catch((error: unknown) => {
    throw lockError(path, error);
  });
  const mayBeAlive = rivals(path, self.space, options);
  try {
    for (;;) {
      options.signal?.throwIfAborted();
      // Touch it each time: it must not look stale when it becomes the lock.
      const now = await touch(handle, self);
      const placed = await place(temporary, path, handle);
      if (placed === handle) return handle;
      if (placed !== undefined) {
        await touch(placed, self);
        await handle.close();
        return placed;
      }
      const rival = await readLock(path);
      if (rival === undefined) continue;
      // Network file systems may report that a link exists although they just made it.
      if (rival.token === self.token) return handle;
      if (await mayBeAlive(rival, now)) continue;
      if (await replaced(path, rival.token, temporary, self, options)) return handle;
    }
  } catch (error) {
    await handle.close();
    throw error instanceof CliError || options.signal?.aborted ? error : lockError(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Tells whether other owners of a lock are alive: false for a dead one; true, after a pause, when that is not clear
 * yet, or the time to wait for it is not over. Its `now` is by the clock that set `mtimeMs`.
 * @returns a function that throws {CliError} of kind `usage` when one is alive.
 */
function rivals(path: string, space: string, { what, signal, onWait, patienceMs = GRACE_MS }: LockOptions) {
  const start = performance.now();
  /** The first look at the latest owner on another host. */
  let foreign: FoundLock | undefined;
  return async (rival: FoundLock, now: number): Promise<boolean> => {
    const isLocal = isSameSpace(rival.space, space);
    let isSeen = isLocal;
    if (isLocal) {
      if (!(await isAlive(rival.pid, rival.processStart ?? undefined))) return false;
    } else {
      const age = now - rival.mtimeMs;
      if (age > STALE_MS) return false;
      if (foreign?.token !== rival.token) {
        foreign = rival;
        onWait?.(rival, STALE_MS - age);
      }
      isSeen = foreign.mtimeMs !== rival.mtimeMs;
    }
    if (isSeen && performance.now() - start > patienceMs) {
      throw usageError(
        `${what ?? 'this directory'} is in use by ${describeOwner(rival)}`,
        `if there is no such process any more, delete ${path}`,
      );
    }
    const pause = isLocal ? LOCAL_POLL_MS : FOREIGN_POLL_MS;
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    return true;
  };
}

/** Puts a lock in the place of a dead owner's, in the three steps of {@link acquireLock}. */
async function replaced(
  path: string,
  deadToken: string,
  temporary: string,
  self: LockFile,
  options: LockOptions,
): Promise<boolean> {
  const second = `${path}.${deadToken}`;
  const handle = await take(second, self, options);
  try {
    if ((await readLock(path))?.token !== deadToken) return false;
    await renameFile(temporary, path);
    return true;
  } finally {
    await handle.close();
    await rm(second, { force: true });
  }
}

function hold(path: string, self: LockFile, handle: FileHandle, beatMs: number): Lock {
  const lost = new AbortController();
  let beat: Promise<void> | undefined;
  const check = async () => {
    const current = await readLock(path);
    if (current?.token === self.token) return;
    const what =
      current === undefined
        ? 'was deleted while this process held it'
        : `was taken away by ${describeOwner(current)} while this process did not run`;
    throw new CliError('incomplete', `the lock ${path} ${what}`);
  };
  const confirm = async () => {
    await check();
    // By its handle: if another process takes the lock over in this moment, its file is not touched.
    await touch(handle, self);
  };
  const timer = setInterval(() => {
    beat ??= confirm()
      .catch((error: unknown) => {
        // A file system error does not mean that the lock is lost: try again at the next beat.
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
    // On Windows, the name of an open file stays for a while after its removal.
    await handle.close();
    if ((await readLock(path))?.token === self.token) await rm(path, { force: true });
  };
  return {
    lost: lost.signal,
    check,
    confirm,
    release: () => {
      released ??= release();
      return released;
    },
  };
}

const describeOwner = (owner: LockFile): string =>
  `process ${owner.pid} on ${owner.host}, running since ${owner.startedAt}`;

function lockError(path: string, error: unknown): CliError {
  return new CliError('output', `cannot lock ${path}: ${systemReason(error)}`, { cause: error });
}
