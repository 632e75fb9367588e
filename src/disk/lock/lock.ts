// Machines of a cluster may share a file system, where a pid means nothing on another machine. So
// owners regularly show that they are alive, the lock of a dead owner is taken over, and a process
// that was suspended notices that it lost its lock.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, usageError } from '../../errors.ts';
import { renameFile } from '../atomic-file.ts';
import { systemReason } from '../system-error.ts';
import {
  type FoundLock,
  isAlive,
  type LockFile,
  newLockFile,
  place,
  readLock,
  touch,
  writeLockFile,
} from './lock-file.ts';

export interface Lock {
  /** Aborted, with a {@link CliError} as its reason, when the lock turns out to be lost. */
  readonly lost: AbortSignal;
  /**
   * Throws if this process no longer holds the lock. Call it before a step that must not happen
   * twice.
   */
  check(): Promise<void>;
  release(): Promise<void>;
}

interface LockOptions {
  /** What the lock protects, for messages; by default "this directory". */
  readonly what?: string | undefined;
  /** Ends the wait for a living owner. A free lock is taken even after a stop: an undo needs it. */
  readonly signal?: AbortSignal;
  /** How long to wait for a living owner, in milliseconds. */
  readonly patienceMs?: number;
  /** Called once if taking the lock must wait to see whether an owner on another host is alive. */
  readonly onWait?: (owner: LockFile, mostMs: number) => void;
  /** How often an owner shows that it is alive, in milliseconds. */
  readonly beatMs?: number;
  /** How long to watch an owner that looks dead, but may be alive, in milliseconds. */
  readonly watchMs?: number;
}

const BEAT_MS = 10_000;
// An owner on another host counts as dead after this time without a beat.
const STALE_MS = 60_000;
// Two beats and a half.
const WATCH_MS = 25_000;
// A killed process takes a moment to disappear, and a change of a file a moment to finish.
const GRACE_MS = 1000;
// Changing a file of settings takes milliseconds.
const CHANGE_MS = 15_000;
const LOCAL_POLL_MS = 50;
const FOREIGN_POLL_MS = 500;

/** The signal that stops the wait for a lock, and the receiver of notes about it. */
export interface LockingHost {
  readonly signal: AbortSignal;
  note(text: string): void;
}

/**
 * Runs work while holding a lock. @param what it protects, for messages; by default a directory.
 * @throws {CliError} kind `usage` when a living process holds it; any error of the work.
 */
export function withDirectoryLock<T>(
  host: LockingHost,
  path: string,
  work: (lock: Lock) => Promise<T>,
  what?: string,
): Promise<T> {
  return withLock(host, path, { what }, work);
}

/**
 * Changes a file under a lock. @throws {CliError} kind `usage` when another process holds it for
 * long.
 */
export function withFileLock<T>(
  host: LockingHost,
  file: string,
  change: () => Promise<T>,
): Promise<T> {
  return withLock(host, `${file}.lock`, { what: file, patienceMs: CHANGE_MS }, change);
}

async function withLock<T>(
  { signal, note }: LockingHost,
  path: string,
  options: LockOptions,
  work: (lock: Lock) => Promise<T>,
): Promise<T> {
  const onWait = ({ pid, host }: LockFile) =>
    note(`waiting to see whether process ${pid} on ${host} is still running`);
  const lock = await acquireLock(path, { ...options, signal, onWait });
  return work(lock).finally(() => lock.release());
}

/**
 * Takes a lock that one process can hold: a file that identifies its owner. An owner on the same
 * host is dead when its process is. An owner on another host is dead when the file was not touched
 * for a minute, by the file system's clock; so is an owner that its pid does not identify (systems
 * without /proc), if no beat comes while it is watched.
 *
 * If there is no lock file, creating a hard link decides who gets the lock, or creating the file on
 * a file system without links. A dead owner's file is replaced in three steps:
 *
 *  1. Take a second lock, named by the dead lock's random token, in the same way (including
 *     takeovers).
 *  2. Read the first lock again. Replace it by renaming only if it still has that token.
 *  3. Release the second lock.
 *
 * Tokens never repeat, so a process that comes later finds another token in step 2 and replaces
 * nothing.
 * @throws {CliError} kind `usage` when a living process holds it, `output` when the file cannot be
 *   written.
 */
export async function acquireLock(path: string, options: LockOptions = {}): Promise<Lock> {
  const self = await newLockFile();
  try {
    await take(path, self, options);
  } catch (error) {
    if (error instanceof CliError || error === options.signal?.reason) throw error;
    const message = `cannot lock ${path}: ${systemReason(error)}`;
    throw new CliError('output', message, { cause: error, file: path });
  }
  return hold(path, self, options.beatMs ?? BEAT_MS);
}

/** Puts a lock at the path, see {@link acquireLock}. */
async function take(path: string, self: LockFile, options: LockOptions): Promise<void> {
  const part = `${path}.${self.token}.part`;
  const mayBeAlive = rivalCheck(path, self.space, options);
  try {
    for (;;) {
      // Write it each time: it must not look stale when it becomes the lock.
      const now = await writeLockFile(part, self);
      if (await place(part, path)) return;
      const rival = await readLock(path);
      // Network file systems may report that a link exists although they just created it.
      if (rival?.token === self.token) return;
      if (rival === undefined || (await mayBeAlive(rival, now))) continue;
      if (await replaceDead(path, rival.token, part, self, options)) return;
    }
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * @returns a function that checks whether another owner is alive: true, after a pause, also if
 *   still unclear.
 */
function rivalCheck(path: string, space: string, options: LockOptions) {
  const { what, signal, patienceMs = GRACE_MS } = options;
  const start = performance.now();
  const watch = ownerWatch(options);
  return async (rival: FoundLock, now: number): Promise<boolean> => {
    const isLocal = rival.space === space;
    if (isLocal && !(await isAlive(rival.pid, rival.processStart ?? undefined))) return false;
    const sign = isLocal && rival.processStart !== null ? 'seen' : watch(rival, now, isLocal);
    if (sign === 'dead') return false;
    if (sign === 'seen' && performance.now() - start > patienceMs) {
      throw usageError(
        `${what ?? 'this directory'} is in use by ${describeOwner(rival)}`,
        `if that process no longer exists, delete ${path}`,
      );
    }
    if (performance.now() - start > GRACE_MS) signal?.throwIfAborted();
    await sleep(isLocal ? LOCAL_POLL_MS : FOREIGN_POLL_MS);
    return true;
  };
}

/**
 * Watches owners on other hosts and, without /proc, on this host, where another process may have
 * the pid.
 */
function ownerWatch({ onWait, watchMs = WATCH_MS }: LockOptions) {
  let first: (FoundLock & { readonly sinceMs: number }) | undefined;
  return (rival: FoundLock, now: number, isLocal: boolean): 'seen' | 'dead' | 'unclear' => {
    const age = now - rival.mtimeMs;
    const isOld = age > STALE_MS;
    // If the system reports no start time, a clock set forward makes a living owner on this host
    // look like an old one from another boot, until its next beat. A clock set back puts a dead
    // owner's lock into the future.
    const neededIfOld = rival.processStart === null ? watchMs : 0;
    const needed = isOld ? neededIfOld : STALE_MS;
    if (needed === 0) return 'dead';
    const isHere = isLocal && Math.abs(age) <= STALE_MS;
    if (first?.token !== rival.token) {
      first = { ...rival, sinceMs: performance.now() };
      if (!isHere) onWait?.(rival, isOld ? needed : STALE_MS - Math.max(age, 0));
    }
    if (isHere || first.mtimeMs !== rival.mtimeMs) return 'seen';
    return performance.now() - first.sinceMs >= needed ? 'dead' : 'unclear';
  };
}

/** Replaces a dead owner's lock, in the three steps of {@link acquireLock}. */
async function replaceDead(
  path: string,
  deadToken: string,
  part: string,
  self: LockFile,
  options: LockOptions,
): Promise<boolean> {
  const second = `${path}.${deadToken}`;
  await take(second, self, options);
  try {
    if ((await readLock(path))?.token !== deadToken) return false;
    await renameFile(part, path);
    return true;
  } finally {
    await rm(second, { force: true });
  }
}

function hold(path: string, self: LockFile, beatMs: number): Lock {
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
  const timer = setInterval(() => {
    beat ??= check()
      .then(() => touch(path, self))
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
    if ((await readLock(path))?.token === self.token) await rm(path, { force: true });
  };
  return {
    lost: lost.signal,
    check,
    release: () => {
      released ??= release();
      return released;
    },
  };
}

const describeOwner = (owner: LockFile): string =>
  `process ${owner.pid} on ${owner.host}, running since ${owner.startedAt}`;
