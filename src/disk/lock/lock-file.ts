import { constants } from 'node:fs';
import { copyFile, link, open, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, usageError } from '../../errors.ts';
import { isObject, jsonIn } from '../../text/json-values.ts';
import { isBusyFile } from '../atomic-file.ts';
import { readRegularFile, UnusableFile } from '../regular-file.ts';
import { ownPid, pidSpace, processStart } from './process-identity.ts';

/** The content of a lock file: the process that holds the lock. */
export interface LockFile {
  readonly host: string;
  readonly pid: number;
  /** When it took the lock. ISO 8601, UTC. */
  readonly startedAt: string;
  /** Where `pid` is valid, see pidSpace. */
  readonly space: string;
  /** Distinguishes processes with the same pid; null where the system does not report it. */
  readonly processStart: string | null;
  /** Random, different for each lock. Part of file names. */
  readonly token: string;
}

/** A lock file on disk, with the time of its last change in milliseconds. */
export interface FoundLock extends LockFile {
  readonly mtimeMs: number;
}

// Where there are no links, a lock is empty for a moment. On Windows, a lock that is given back cannot be opened
// until its last reader has closed it.
const PATIENCE_MS = 2000;
const PAUSE_MS = 20;

/** The content of a new lock of this process. */
export async function newLockFile(): Promise<LockFile> {
  // Most commands that could take a lock do not.
  const { randomBytes } = await import('node:crypto');
  return {
    host: hostname(),
    pid: ownPid,
    startedAt: new Date().toISOString(),
    space: await pidSpace(),
    processStart: (await processStart(ownPid)) ?? null,
    token: randomBytes(8).toString('hex'),
  };
}

/** Reads a lock; undefined when there is none. @throws {CliError} when the file is something else. */
export async function readLock(path: string): Promise<FoundLock | undefined> {
  for (const start = performance.now(); ; await sleep(PAUSE_MS)) {
    const isLate = performance.now() - start > PATIENCE_MS;
    try {
      // Opening makes network file systems ask for the current state.
      const { text, stats } = await readRegularFile(path, { noFollow: true });
      const lock = jsonIn(text);
      if (isLock(lock)) return { ...lock, mtimeMs: stats.mtimeMs };
      if (text === '' && !isLate) continue;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      if (isBusyFile(error) && !isLate) continue;
      // A link, also one to nowhere.
      if (!(error instanceof UnusableFile) && errorCode(error) !== 'ELOOP') throw error;
    }
    throw usageError(`${path} is not a lock file`, 'delete it when no process is at work there');
  }
}

function isLock(value: unknown): value is LockFile {
  if (!isObject(value)) return false;
  const { host, pid, startedAt, space, processStart, token } = value;
  return (
    [host, startedAt, space, processStart ?? ''].every((text) => typeof text === 'string') &&
    Number.isSafeInteger(pid) &&
    /^[0-9a-f]{16}$/.test(String(token))
  );
}

/** Writes a lock file as a whole, and makes it safe. @returns its time, by the clock of the file system. */
export async function writeLockFile(path: string, lock: LockFile): Promise<number> {
  await writeFile(path, JSON.stringify(lock), { flush: true });
  return (await stat(path)).mtimeMs;
}

// What a file system without hard links answers (link(2); a network share may say that it is not permitted).
const NO_LINKS: readonly unknown[] = 'EPERM EACCES ENOSYS ENOTSUP EOPNOTSUPP EXDEV EMLINK'.split(' ');

/** Puts a file in its place if that is free. @returns whether it was. */
export async function place(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) => {
      if (!NO_LINKS.includes(errorCode(error))) throw error;
      return copyFile(from, to, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || isBusyFile(error)) return false;
    throw error;
  }
}

/** Shows that the owner of a lock is alive. A lock that has replaced it in this moment is not touched. */
export async function touch(path: string, { token }: LockFile): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    const bytes = await handle.readFile();
    if (bytes.includes(token)) await handle.write(bytes, 0, bytes.length, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
