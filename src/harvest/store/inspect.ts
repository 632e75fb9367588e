import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CliError, errorCode } from '../../errors.ts';
import { lineId } from './line-id.ts';
import { DamagedPart } from './part-file.ts';

interface Inspection {
  /** Of the file on disk. */
  readonly bytes: number;
  readonly records: number;
  /** Different DOIs. */
  readonly unique: number;
  /** Of the file on disk, in hexadecimal. */
  readonly sha256: string;
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads a part file back from disk and checks it: gzip members complete, every line a record with an id, no
 * newline missing at the end. Memory holds the DOIs and one chunk. A window without records has no file.
 * @param onRecord told of each record: its DOI, and its line without the newline, which is a view of memory that
 *   is not touched again. The next one waits until its promise, if there is one, has resolved. An error that is
 *   thrown here should be a {@link CliError}.
 * @throws {DamagedPart} when the file is missing or not as it should be.
 */
export async function inspectPart(
  path: string,
  gzip: boolean,
  onRecord?: (id: string, line: Buffer) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<Inspection> {
  const hash = createHash('sha256');
  // A window holds at most 50,000 records. Only a millisecond with more records, and a window that takes everything
  // because the service does not understand times, make this larger (a Set can hold 16.7 million).
  const ids = new Set<string>();
  let bytes = 0;
  let records = 0;

  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  async function consume(chunks: AsyncIterable<Buffer>) {
    for await (const line of linesOf(chunks, path)) {
      const id = lineId(line)?.toString();
      if (id === undefined) throw new DamagedPart(`${path}: line ${records + 1} is not a record with an id`);
      records += 1;
      ids.add(id);
      const done = onRecord?.(id, line);
      if (done) await done;
    }
  }

  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  // One of its own: Node warns of more than ten listeners, and there may be more windows than that at once.
  const options = signal ? { signal: AbortSignal.any([signal]) } : {};
  try {
    if (gzip) {
      const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
      await pipeline(file, measured, gunzip, consume, options);
      // Newer Nodes pass over what stands behind the last member without a word.
      if (gunzip.bytesWritten !== bytes)
        throw new DamagedPart(`${path} holds more than complete gzip members`);
    } else await pipeline(file, measured, consume, options);
    return { bytes, records, unique: ids.size, sha256: hash.digest('hex') };
  } catch (error) {
    signal?.throwIfAborted();
    throw readError(path, error);
  }
}

/** The lines of a file, without their newlines. @throws {DamagedPart} when the last one has no end. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  let carried: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, to);
      yield carried.length === 0 ? end : Buffer.concat([...carried, end]);
      carried = [];
      from = to + 1;
    }
    if (from < chunk.length) carried.push(chunk.subarray(from));
  }
  if (carried.length > 0) throw new DamagedPart(`${path}: the last line has no end`);
}

/** What a failure to read a part file is called for people. */
export function readError(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const code = errorCode(error) ?? '';
  const { message } = error as Error;
  if (code === 'ENOENT') return new DamagedPart(`${path} is missing`, error);
  // Zeros behind a member count as its end for zlib, which then reads no further.
  if (code === 'ABORT_ERR') return new DamagedPart(`${path} goes on after its last gzip member`, error);
  if (code.startsWith('Z_')) return new DamagedPart(`${path} is not complete gzip: ${message}`, error);
  return new CliError('unexpected', `cannot read ${path}: ${message}`, { cause: error });
}
