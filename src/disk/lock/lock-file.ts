import { type FileHandle, link, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, usageError } from '../../errors.ts';
import { isObject } from '../../text/json-values.ts';
import { isBusyFile } from '../atomic-file.ts';
import { openRegularFile, readAtMost, UnusableFile } from '../regular-file.ts';

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

// Far longer than a process needs its temporary file while it takes a lock.
const STALE_FILE_MS = 3_600_000;

// Where there are no links, a lock is empty between its creation and its first content. On Windows, a lock that is
// given back cannot be opened until its last reader has closed it.
const PATIENCE_MS = 2000;
const PAUSE_MS = 20;

/**
 * Reads a lock; undefined when there is none.
 * @throws {CliError} kind `usage` when the file is something else.
 */
export async function readLock(path: string): Promise<FoundLock | undefined> {
  for (const start = performance.now(); ; await sleep(PAUSE_MS)) {
    const isLate = performance.now() - start > PATIENCE_MS;
    try {
      // Opening makes network file systems ask for the current state.
      const handle = await openRegularFile(path, { noFollow: true });
      try {
        const text = (await readAtMost(handle)).toString();
        if (text === '' && !isLate) continue;
        const lock: unknown = JSON.parse(text);
        if (isLock(lock)) return { ...lock, mtimeMs: (await handle.stat()).mtimeMs };
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      if (isBusyFile(error) && !isLate) continue;
      const isOther = error instanceof SyntaxError || error instanceof UnusableFile;
      // A link, also one to nowhere.
      if (!isOther && errorCode(error) !== 'ELOOP') throw error;
    }
    throw usageError(
      `${path} is not a lock file`,
      'make sure that no other process is at work there, then delete it',
    );
  }
}

function isLock(value: unknown): value is LockFile {
  if (!isObject(value)) return false;
  const { host, pid, startedAt, space, processStart, token } = value;
  return (
    [host, startedAt, space, processStart ?? ''].every((text) => typeof text === 'string') &&
    Number.isSafeInteger(pid) &&
    typeof token === 'string' &&
    /^[0-9a-f]{16}$/.test(token)
  );
}

/**
 * Removes files next to a lock that belong to processes killed while they took it.
 * @param now in milliseconds, by the clock of the file system.
 */
export async function removeStaleLockFiles(path: string, now: number): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const file = join(folder, name);
    try {
      if (now - (await stat(file)).mtimeMs > STALE_FILE_MS) await rm(file, { force: true });
    } catch (error) {
      // Another process may remove it at the same time. On Windows, a removed file is there until it is closed.
      if (errorCode(error) !== 'ENOENT' && !isBusyFile(error)) throw error;
    }
  }
}

/** Writes the content again. Returns the file's new time, by the clock of the file system. */
export async function touch(handle: FileHandle, self: LockFile): Promise<number> {
  const content = Buffer.from(JSON.stringify(self));
  await handle.write(content, 0, content.length, 0);
  await handle.sync();
  return (await handle.stat()).mtimeMs;
}

// What a file system without hard links answers (link(2); a network share may say that it is not permitted).
const NO_LINKS: readonly unknown[] = 'EPERM EACCES ENOSYS ENOTSUP EOPNOTSUPP EXDEV EMLINK'.split(' ');

/** Puts a file in its place if that is free. Returns the open file that is there now; undefined if it was not. */
export async function place(from: string, to: string, handle: FileHandle): Promise<FileHandle | undefined> {
  try {
    await link(from, to);
    return handle;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    if (!NO_LINKS.includes(errorCode(error))) throw error;
  }
  try {
    return await open(to, 'wx');
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || isBusyFile(error)) return undefined;
    throw error;
  }
}
