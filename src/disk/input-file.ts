import { constants, createReadStream, openSync, type Stats, statSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { usageError } from '../errors.ts';

/**
 * Whether a file that the user named is a pipe, which can be read once only.
 * @throws {CliError} kind `usage` for a folder or a device.
 */
export function isPipe(path: string): boolean {
  let found: Stats;
  try {
    found = statSync(path);
  } catch {
    // Reading it has an error of its own.
    return false;
  }
  if (found.isFile() || found.isFIFO()) return found.isFIFO();
  const what = found.isDirectory() ? 'it is a folder' : 'it is neither a file nor a pipe';
  throw usageError(`cannot read ${path}: ${what}`, 'name a file, or - for stdin');
}

/**
 * Opens a file or a pipe that the user named.
 * @throws {CliError} as {@link isPipe}; the system's error, or as an event of the stream.
 */
export function openInput(path: string): Readable {
  if (!isPipe(path)) return createReadStream(path);
  // A thread that opens a pipe as a file waits for a writer, and nothing can interrupt it.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}
