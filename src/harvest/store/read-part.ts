import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { linesOf, readError } from './inspect.ts';
import { lineId } from './line-id.ts';
import { DamagedPart } from './part-file.ts';

/** A part file as far as a ledger knows it to be good. */
export interface KnownPart {
  readonly path: string;
  /** In bytes of the file on disk. */
  readonly bytes: number;
  readonly gzip: boolean;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Reads the records of a part file, and nothing behind its known-good bytes: the file may be in the middle of being
 * written. In memory of constant size.
 * @param onRecord told of each record: its DOI, and its line without the newline, which is a view of memory that is not
 *   touched again. The next one waits until its promise, if there is one, has resolved.
 * @throws {DamagedPart} when the file is missing, shorter or not as it should be.
 */
export async function readPart(
  { path, bytes, gzip }: KnownPart,
  onRecord: (id: string, line: Buffer) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (bytes === 0) return;
  async function consume(chunks: AsyncIterable<Buffer>) {
    for await (const line of linesOf(chunks, path)) {
      const id = lineId(line);
      if (id === undefined) throw new DamagedPart(`${path} holds a line that is not a record with an id`);
      const done = onRecord(id.toString(), line);
      if (done) await done;
    }
  }
  // One of its own: Node warns of more than ten listeners, and there may be more windows than that at once.
  const options = { signal: AbortSignal.any([signal]) };
  const file = createReadStream(path, { end: bytes - 1, highWaterMark: CHUNK_BYTES });
  try {
    if (gzip) await pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), consume, options);
    else await pipeline(file, consume, options);
  } catch (error) {
    signal.throwIfAborted();
    throw readError(path, error);
  }
  if (file.bytesRead < bytes) {
    throw new DamagedPart(`${path} has ${file.bytesRead} bytes, but ${bytes} were written to it`);
  }
}
