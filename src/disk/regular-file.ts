import { constants, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

// Windows has neither flag. Without O_NONBLOCK, opening a FIFO waits for a writer in a thread that cannot be
// stopped, and the process cannot exit.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Settings, credentials, locks and the like: far more than any of them needs. */
const SMALL_FILE_BYTES = 1024 * 1024;

/** A path names something other than a file with contents of its own, or a file that is too large. */
export class UnusableFile extends Error {
  // As in the system's errors, so that callers treat them alike.
  readonly code = 'EINVAL';
  readonly syscall = 'open';
}

const NOT_REGULAR = 'it is not a regular file';

/**
 * Opens a file to read it. Devices, FIFOs and folders are refused: reading one may never end. Links are
 * followed unless `noFollow` is set (not on Windows, which has no such flag).
 * @throws the system's error, or one of the same form.
 */
export async function openRegularFile(path: string, { noFollow = false } = {}): Promise<FileHandle> {
  const handle = await open(path, READ | (noFollow ? NO_FOLLOW : 0));
  try {
    if (!(await handle.stat()).isFile()) throw new UnusableFile(NOT_REGULAR);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * The contents of a regular file of at most `maxBytes` bytes.
 * @throws as {@link openRegularFile}; also when the file is larger.
 */
export async function readRegularFile(path: string, maxBytes = SMALL_FILE_BYTES): Promise<Buffer> {
  const handle = await openRegularFile(path);
  try {
    return await readAtMost(handle, maxBytes);
  } finally {
    await handle.close();
  }
}

/**
 * The contents of an open regular file of at most `maxBytes` bytes, also while the file grows.
 * @throws the system's error, or one of the same form when the file is larger.
 */
export async function readAtMost(handle: FileHandle, maxBytes = SMALL_FILE_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, start: 0 })) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks);
}

/**
 * Checks a file before a library reads it synchronously: it must be regular and have at most `maxBytes` bytes.
 * A file that does not exist passes.
 * @throws the system's error, or one of the same form.
 */
export function requireRegularFile(path: string, maxBytes = SMALL_FILE_BYTES): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw new UnusableFile(NOT_REGULAR);
  if (stats.size > maxBytes) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): UnusableFile {
  return new UnusableFile(`it is larger than ${maxBytes} bytes`);
}
