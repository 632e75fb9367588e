// Machines of a cluster may share a file system. A process number says nothing on another machine,
// so that owners show that they are alive; the lock of a dead one is taken over; and a process that
// was asleep notices that it lost its lock.
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
  /**
   * Aborted, with a {@link CliError} as its reason, when another process is found to hold the lock.
   */
  readonly lost: AbortSignal;
  /**
   * Throws when this process no longer holds the lock, before a step that must not happen twice.
   */
  check(): Promise<void>;
  release(): Promise<void>;
}

interface LockOptions {
  /** What the lock protects, for messages; this directory when left out. */
  readonly what?: string | undefined;
  /**
   * Ends the wait for a living owner. A lock that is free is taken all the same: an undo needs it
   * after a stop.
   */
  readonly signal?: AbortSignal;
  /** How long to wait for a living owner, in milliseconds. */
  readonly patienceMs?: number;
  /**
   * Called once when taking the lock has to wait to see whether an owner on another host is alive.
   */
  readonly onWait?: (owner: LockFile, mostMs: number) => void;
  /** How often an owner shows that it is alive, in milliseconds. */
  readonly beatMs?: number;
  /**
   * How long an owner that looks dead but cannot be told from a living one is watched, in
   * milliseconds.
   */
  readonly watchMs?: number;
}

const BEAT_MS = 10_000;
// An owner on another host counts as dead after this time without a beat.
const STALE_MS = 60_000;
// Two beats and a half.
const WATCH_MS = 25_000;
// A process that was just killed takes a moment to disappear, and one that changes a file to end
// that.
const GRACE_MS = 1000;
// Changing a file of settings takes milliseconds.
const CHANGE_MS = 15_000;
const LOCAL_POLL_MS = 50;
const FOREIGN_POLL_MS = 500;

/** What stops the wait for a lock, and who is told of it. */
export interface LockingHost {
  readonly signal: AbortSignal;
  note(text: string): void;
}

/**
 * Does some work while holding a lock. @param what it protects, for messages; a directory by
 * default.
 * @throws {CliError} kind `usage` when a living process holds it; whatever the work throws.
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
 * Changes a file while no other process changes it. @throws {CliError} kind `usage` when one holds
 * the lock for long.
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
    note(`waiting to see whether process ${pid} on ${host} is still at work`);
  const lock = await acquireLock(path, { ...options, signal, onWait });
  return work(lock).finally(() => lock.release());
}

/**
 * Takes a lock that one process can hold: a file that names its owner. An owner on the same host is
 * dead when its process is; one on another host, when the file has not been touched for a minute by
 * the clock of the file system, and so is one that its number does not identify (systems without
 * /proc) when no beat comes either.
 *
 * Where there is no lock file, making a link decides who gets it; on a file system without links,
 * creating the file does. A dead owner's file is replaced in three steps:
 *
 *  1. Take a second lock, named by the dead lock's random token, in the same way (takeovers
 * included). 2. Read the first lock again. Only if it still has that token, replace it by renaming.
 * 3. Give the second lock back.
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
    throw new CliError('output', `cannot lock ${path}: ${systemReason(error)}`, { cause: error });
  }
  return hold(path, self, options.beatMs ?? BEAT_MS);
}

/** Puts a lock at the path, see {@link acquireLock}. */
async function take(path: string, self: LockFile, options: LockOptions): Promise<void> {
  const part = `${path}.${self.token}.part`;
  const mayBeAlive = rivalCheck(path, self.space, options);
  try {
    for (;;) {
      // Each time again: it must not look stale when it becomes the lock.
      const now = await writeLockFile(part, self);
      if (await place(part, path)) return;
      const rival = await readLock(path);
      // Network file systems may report that a link exists although they just made it.
      if (rival?.token === self.token) return;
      if (rival === undefined || (await mayBeAlive(rival, now))) continue;
      if (await replaceDead(path, rival.token, part, self, options)) return;
    }
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Tells whether other owners of a lock are alive: true, after a pause, also when that is not clear
 * yet.
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
        `if there is no such process any more, delete ${path}`,
      );
    }
    if (performance.now() - start > GRACE_MS) signal?.throwIfAborted();
    await sleep(isLocal ? LOCAL_POLL_MS : FOREIGN_POLL_MS);
    return true;
  };
}

/**
 * Watches owners of another host, and on systems without /proc those of this one: their number may
 * be another process.
 */
function ownerWatch({ onWait, watchMs = WATCH_MS }: LockOptions) {
  let first: (FoundLock & { readonly sinceMs: number }) | undefined;
  return (rival: FoundLock, now: number, isLocal: boolean): 'seen' | 'dead' | 'unclear' => {
    const age = now - rival.mtimeMs;
    const isOld = age > STALE_MS;
    // Where the system reports no start, a clock that was set forward makes a living owner on this
    // host look like an old one of another boot: its next beat tells. One that was set back makes a
    // dead owner's lock one of the future.
    const needed = isOld ? (rival.processStart === null ? watchMs : 0) : STALE_MS;
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

/** Puts a lock in the place of a dead owner's, in the three steps of {@link acquireLock}. */
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
