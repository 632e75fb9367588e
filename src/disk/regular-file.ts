import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode, usageError } from '../errors.ts';

/**
 * Opens a file for reading. A FIFO would block until somebody writes to it, and a device may never end.
 * @throws {CliError} kind `usage` when it is not a regular file; the system's errors.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // Windows has neither.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      throw errorCode(error) === 'ENXIO' ? notRegular(path) : error;
    },
  );
  try {
    if (!(await handle.stat()).isFile()) throw notRegular(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads a file as text.
 * @throws {CliError} kind `usage` when it is not a regular file, or has more bytes; the system's errors.
 */
export async function readRegular(path: string, maxBytes: number): Promise<{ text: string; stats: Stats }> {
  const handle = await openRegular(path);
  try {
    const stats = await handle.stat();
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of handle.createReadStream({ end: maxBytes, autoClose: false })) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
    }
    if (length > maxBytes) throw usageError(`${path} is too large`, 'restore it from a copy');
    return { text: Buffer.concat(chunks).toString('utf8'), stats };
  } finally {
    await handle.close();
  }
}

function notRegular(path: string): Error {
  return usageError(`${path} is not a regular file`, 'remove it or name another one');
}
