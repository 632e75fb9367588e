import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CliError, errorCode } from '../../errors.ts';
import { lineId } from './line-id.ts';
import { DamagedPart } from './part-file.ts';

/** The part of a part file that a ledger knows to be good. */
export interface KnownPart {
  readonly path: string;
  /** In bytes of the file on disk. */
  readonly bytes: number;
  readonly gzip: boolean;
}

interface Inspection {
  /** Of the file on disk. */
  readonly bytes: number;
  readonly records: number;
  /** Different DOIs. */
  readonly unique: number;
  /** Of the file on disk, in hexadecimal. */
  readonly sha256: string;
}

/**
 * Told of each record: its DOI, and its line without the newline. The line is a view of memory that does not
 * change later. The next record waits for the promise, if there is one.
 */
type OnRecord = (id: string, line: Buffer) => void | Promise<void>;

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads the records of a part file up to its known-good bytes: another process may be writing behind them.
 * Memory holds one chunk.
 * @throws {DamagedPart} when the file is missing, too short or damaged.
 */
export async function readPart(
  { path, bytes, gzip }: KnownPart,
  onRecord: OnRecord,
  signal: AbortSignal,
): Promise<void> {
  if (bytes === 0) return;
  const file = createReadStream(path, { end: bytes - 1, highWaterMark: CHUNK_BYTES });
  const consume = recordConsumer(path, onRecord);
  try {
    if (gzip) await pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), consume, stopBy(signal));
    else await pipeline(file, consume, stopBy(signal));
  } catch (error) {
    signal.throwIfAborted();
    throw readError(path, error);
  }
  if (file.bytesRead < bytes) {
    throw new DamagedPart(`${path} has ${file.bytesRead} bytes, but ${bytes} were written to it`);
  }
}

/**
 * Reads a whole part file back from disk and checks it: complete gzip members, a record with an id in every
 * line, and a newline at the end. Memory holds the DOIs and one chunk. A window without records has no file.
 * @param onRecord should throw only {@link CliError}.
 * @throws {DamagedPart} when the file is missing or damaged.
 */
export async function inspectPart(
  path: string,
  gzip: boolean,
  onRecord?: OnRecord,
  signal?: AbortSignal,
): Promise<Inspection> {
  const hash = createHash('sha256');
  // A window holds at most 50,000 records. Only a millisecond with more records, and a window that takes
  // everything because the service does not understand times, make this larger (a Set can hold 16.7 million).
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
  const consume = recordConsumer(path, (id, line) => {
    records += 1;
    ids.add(id);
    return onRecord?.(id, line);
  });
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    if (gzip) {
      const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
      await pipeline(file, measured, gunzip, consume, stopBy(signal));
      // Newer Nodes silently ignore what follows the last member.
      if (gunzip.bytesWritten !== bytes)
        throw new DamagedPart(`${path} holds more than complete gzip members`);
    } else await pipeline(file, measured, consume, stopBy(signal));
    return { bytes, records, unique: ids.size, sha256: hash.digest('hex') };
  } catch (error) {
    signal?.throwIfAborted();
    throw readError(path, error);
  }
}

// A signal for each file: Node warns of more than ten listeners, and more files than that may be open at
// once.
function stopBy(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal: AbortSignal.any([signal]) };
}

function recordConsumer(path: string, onRecord: OnRecord) {
  return async (chunks: AsyncIterable<Buffer>) => {
    let lines = 0;
    for await (const line of linesOf(chunks, path)) {
      lines += 1;
      const id = lineId(line);
      if (id === undefined) throw new DamagedPart(`${path}: line ${lines} is not a record with an id`);
      const done = onRecord(id.toString(), line);
      if (done) await done;
    }
  };
}

/** The lines of a file, without their newlines. @throws {DamagedPart} when the last one has no newline. */
async function* linesOf(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
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

/** The error for a failure to read a part file. */
function readError(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const code = errorCode(error) ?? '';
  const { message } = error as Error;
  if (code === 'ENOENT') return new DamagedPart(`${path} is missing`, error);
  // For zlib, zeros after a member are the end of the file: it stops reading.
  if (code === 'ABORT_ERR') return new DamagedPart(`${path} goes on after its last gzip member`, error);
  if (code.startsWith('Z_')) return new DamagedPart(`${path} is not complete gzip: ${message}`, error);
  return new CliError('unexpected', `cannot read ${path}: ${message}`, { cause: error });
}
