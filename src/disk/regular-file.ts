import type { Hash } from 'node:crypto';
import { constants, type Stats, statSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { errorCode, usageError } from '../errors.ts';
import { systemReason } from './system-error.ts';

// Windows has neither flag. Without O_NONBLOCK, opening a FIFO waits for a writer in a thread that
// cannot be stopped, so the process could not exit.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** For settings, credentials, locks and the like: far more than they need. */
const SMALL_FILE_BYTES = 1024 * 1024;

/** A path that is not a regular file, or a file that is too large. */
export class UnusableFile extends Error {
  // Like the system's errors, so that callers treat both alike.
  readonly code = 'EINVAL';
  readonly syscall = 'open';
}

/**
 * Opens a file to read it. Devices, FIFOs and folders are refused: reading one may never end.
 * @throws the system's error, or {@link UnusableFile}.
 */
export async function openRegularFile(path: string, noFollow = false): Promise<FileHandle> {
  const handle = await open(path, READ | (noFollow ? NO_FOLLOW : 0));
  try {
    requireFile(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A stage of a pipeline that adds all bytes to a hash, and passes them on. */
export function hashing(hash: Hash) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
}

/**
 * The bytes, the text and the state of a regular file of at most `maxBytes` bytes. @throws as
 * {@link openRegularFile}.
 */
export async function readRegularFile(
  path: string,
  { maxBytes = SMALL_FILE_BYTES, noFollow = false } = {},
): Promise<{ readonly bytes: Buffer; readonly text: string; readonly stats: Stats }> {
  const handle = await openRegularFile(path, noFollow);
  try {
    // Reading one byte more than allowed reveals a larger file.
    const bytes = await buffer(
      handle.createReadStream({ autoClose: false, start: 0, end: maxBytes }),
    );
    requireSize(bytes.length, maxBytes);
    return { bytes, text: bytes.toString(), stats: await handle.stat() };
  } finally {
    await handle.close();
  }
}

/**
 * The text of a file that an earlier run wrote; undefined where there is none.
 * @throws {CliError} kind `usage` with a hint, for a file that cannot be read.
 */
export async function readOwnFile(
  path: string,
  { maxBytes, hint }: { readonly maxBytes: number; readonly hint?: string },
): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, { maxBytes })).text;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw usageError(`cannot read ${path}: ${systemReason(error)}`, hint);
  }
}

/** Checks a small file before a library reads it synchronously. A missing file passes. */
export function requireRegularFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  requireFile(stats);
  requireSize(stats.size, SMALL_FILE_BYTES);
}

function requireFile(stats: Stats): void {
  if (!stats.isFile()) throw new UnusableFile('it is not a regular file');
}

function requireSize(size: number, maxBytes: number): void {
  if (size > maxBytes) throw new UnusableFile(`it is larger than ${maxBytes} bytes`);
}

/**
 * The path to write: the target of a symbolic link, else the path itself. @param what its name in
 * errors.
 * @throws {CliError} kind `usage` for anything but a regular file or a free name.
 */
export async function regularTarget(path: string, what = path): Promise<string> {
  const stats = await lstat(path).catch(() => undefined);
  // If lstat fails, opening the file reports the error.
  if (stats === undefined) return path;
  const target = await stat(path).catch(() => undefined);
  if (target?.isFile()) return stats.isSymbolicLink() ? realpath(path) : path;
  const is = target === undefined ? 'a link to nowhere' : 'not a regular file';
  throw usageError(`${what} is ${is}`, 'name a regular file, or one that does not exist');
}
