import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { hashing, openRegularFile, UnusableFile } from '../../disk/regular-file.ts';
import { systemReason } from '../../disk/system-error.ts';
import { CliError, errorCode } from '../../errors.ts';
import { bareDoi } from '../../text/doi.ts';
import { isObject, type JsonObject, jsonIn } from '../../text/json-values.ts';
import { readLines } from '../../text/lines.ts';
import { parsedRecord } from '../page/parsed-record.ts';
import { DamagedPart } from './part-file.ts';

/** The known-good beginning of a part file, or all of it. */
export interface KnownPart {
  readonly path: string;
  readonly bytes?: number;
  readonly gzip: boolean;
  readonly sha256?: string | undefined;
}

/** A record in a part file. */
export interface PartRecord<Part> {
  readonly part: Part;
  /** Its {@link doiKey}. */
  readonly doi: string;
  /** A view of a chunk of the file. */
  readonly line: Buffer;
}

/** The number of part files to read at once, which keeps one thread busy. */
export const READERS = 2;
const CHUNK_BYTES = 256 * 1024;
const FIRST_BYTES = 1024 * 1024;
const BEGIN = Buffer.from('{"id":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSING_BRACE = 0x7d;

/**
 * Reads the records in the known-good bytes of a part file: another process may be appending.
 * @param read gets the size and the hash of what was read, after all records.
 * @throws {DamagedPart} when it is missing, too short or damaged: perhaps after all records.
 */
export async function* readPart<Part extends KnownPart>(
  part: Part,
  signal: AbortSignal | undefined,
  read = { bytes: 0, sha256: '' },
): AsyncGenerator<PartRecord<Part>, void, undefined> {
  const { path, gzip, bytes, sha256 } = part;
  if (bytes === 0) return;
  const handle = await openRegularFile(path).catch((error: unknown) => {
    throw error instanceof UnusableFile
      ? new DamagedPart(`${path}: ${error.message}`)
      : readError(path, error);
  });
  const end = (bytes ?? Number.POSITIVE_INFINITY) - 1;
  const file = handle.createReadStream({ end, highWaterMark: CHUNK_BYTES });
  const hash = createHash('sha256');
  const gunzip = gzip ? createGunzip({ chunkSize: CHUNK_BYTES }) : undefined;
  const chunks = gunzip
    ? pipeline(file, hashing(hash), gunzip, () => undefined)
    : hashing(hash)(file);
  try {
    for await (const line of readLines(chunks, path, Number.POSITIVE_INFINITY)) {
      if (!line.ended) throw new DamagedPart(`${path}: the last line has no end`);
      const id = lineId(line.bytes);
      if (id === undefined)
        throw new DamagedPart(`${path}: line ${line.number} is not a record with an id`);
      signal?.throwIfAborted();
      yield { part, doi: doiKey(id), line: line.bytes };
    }
    // Newer Nodes silently ignore bytes after the last member, and take zeros for the end.
    if (gunzip && !(file.readableEnded && gunzip.bytesWritten === file.bytesRead))
      throw new DamagedPart(`${path} holds more than complete gzip members`);
  } catch (error) {
    signal?.throwIfAborted();
    throw readError(path, error);
  } finally {
    await handle.close();
  }
  Object.assign(read, { bytes: file.bytesRead, sha256: hash.digest('hex') });
  if (read.bytes < (bytes ?? 0)) {
    throw new DamagedPart(`${path} has ${read.bytes} bytes, but ${bytes} were written to it`);
  }
  if (sha256 !== undefined && read.sha256 !== sha256) {
    throw new DamagedPart(`${path} has other contents than were written to it`);
  }
}

/**
 * The records in the first megabyte of a part file, the last of them cut short. Empty if they
 * cannot be read: {@link inspectPart} finds damage.
 */
export async function firstRecords({
  path,
  gzip,
  bytes = FIRST_BYTES,
}: KnownPart): Promise<readonly Buffer[]> {
  const records: Buffer[] = [];
  try {
    const handle = await openRegularFile(path);
    const end = Math.min(bytes, FIRST_BYTES) - 1;
    const head = await buffer(handle.createReadStream({ end }));
    const text = gzip ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head;
    for await (const line of readLines([text], path, Number.POSITIVE_INFINITY))
      records.push(line.bytes);
    return records;
  } catch {
    return records;
  }
}

/**
 * Reads a whole part file and checks it: complete gzip members, and a record with an id in every
 * line. Its DOIs are in memory meanwhile.
 * @throws {DamagedPart} when the file is missing or damaged.
 */
export async function inspectPart(
  path: string,
  gzip: boolean,
  onRecord?: (doi: string, line: Buffer) => void,
  signal?: AbortSignal,
) {
  const dois = new Set<string>();
  let records = 0;
  const read = { bytes: 0, sha256: '' };
  for await (const { doi, line } of readPart({ path, gzip }, signal, read)) {
    records += 1;
    dois.add(doi);
    onRecord?.(doi, line);
  }
  return { ...read, records, unique: dois.size };
}

/** The same key for all spellings of a DOI: in upper or lower case, or as a URL. */
export function doiKey(id: string): string {
  const bare = id.startsWith('10.') ? id : bareDoi(id);
  return bare.startsWith('10.') ? bare.toLowerCase() : id;
}

/**
 * The `id` of a record in a line of JSON; undefined without an id. If the line begins with the id,
 * the rest is not parsed, but must have no zero bytes, with which file systems replace lost data.
 */
function lineId(line: Buffer): string | undefined {
  if (line.at(-1) === CLOSING_BRACE && line.subarray(0, BEGIN.length).equals(BEGIN)) {
    const end = line.indexOf(QUOTE, BEGIN.length);
    const id = line.subarray(BEGIN.length, end);
    if (end >= 0 && !id.includes(BACKSLASH) && !line.includes(0)) return id.toString();
  }
  const record = jsonIn(line.toString());
  const id = isObject(record) ? record['id'] : undefined;
  return typeof id === 'string' ? Buffer.from(id).toString() : undefined;
}

function readError(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const code = errorCode(error) ?? '';
  const { message } = error as Error;
  if (code === 'ENOENT') return new DamagedPart(`${path} is missing`, error);
  if (code.startsWith('Z_'))
    return new DamagedPart(`${path} is not complete gzip: ${message}`, error);
  return new CliError('unexpected', `cannot read ${path}: ${systemReason(error)}`, {
    cause: error,
  });
}

/** The record in a line of a part file. @throws {CliError} for no record, or one too large. */
export function recordIn(line: Buffer, path: string): JsonObject {
  try {
    return parsedRecord(line, `${path} holds it: read it with another program`);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('incomplete', `${path} holds a line that cannot be read`, {
      hint: 'the same harvest with --check fetches it again',
      cause: error,
    });
  }
}
