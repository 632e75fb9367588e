import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import type { Semaphore } from '../../concurrency/promises.ts';
import { CliError } from '../../errors.ts';
import { isObject, type JsonObject, parseBounded, TooComplex } from '../../text/json-values.ts';
import { TooLarge } from './network-error.ts';

const MB = 1024 * 1024;
/** For lists of keys and records in any format: far more than the service sends. */
const MAX_DOCUMENT_BYTES = 16 * MB;
/** For counts and temporary credentials. */
export const MAX_SMALL_BYTES = MB;
/** The limit of the service (service.md, E12). */
const MAX_REQUEST_BYTES = 10 * MB;

/** A body that is cut short or malformed. The message never quotes it: it may hold a new key. */
export class BadBody extends Error {
  override readonly name = 'BadBody';
}

/**
 * HTML with status 200 (service.md, E4): a wrong address, a network's login page, or maintenance.
 */
export class WebPage extends BadBody {}

interface Answer {
  body(maxBytes: number): Promise<Buffer>;
}

/** A body as text. @throws {BadBody} when it is not UTF-8: decoding would alter it silently. */
export async function readText(response: Answer, maxBytes = MAX_DOCUMENT_BYTES): Promise<string> {
  const bytes = await response.body(maxBytes);
  if (!isUtf8(bytes)) throw new BadBody('the answer is not UTF-8 text');
  return bytes.toString();
}

/** A body as a JSON object. @throws {BadBody} for anything else; {TooLarge} beyond `maxBytes`. */
export async function readJson(response: Answer, maxBytes?: number): Promise<JsonObject> {
  const value = parseJson(await readText(response, maxBytes));
  if (!isObject(value)) throw new BadBody('the answer is not a JSON object');
  return value;
}

/**
 * Duplicate members are errors in the document, its `data` and `meta`, and a record's attributes.
 */
const UNIQUE_DEPTH = 3;

/**
 * @throws {BadBody} when the text is not JSON or repeats a member; {@link TooLarge} when it is too
 *   complex.
 */
export function parseJson(text: string): unknown {
  try {
    return parseBounded(text, UNIQUE_DEPTH);
  } catch (error) {
    if (error instanceof TooComplex) throw new TooLarge(`the answer has ${error.message}`);
    // The parser's own message would quote the text.
    throw new BadBody('the answer is not valid JSON, or repeats a member');
  }
}

interface Encoding {
  readonly encoding: string | undefined;
  /** The limit of the unpacked body. */
  readonly maxBytes: number;
  /**
   * Limits how many bodies above {@link FREE_BYTES} are received at once; the others wait unread.
   */
  readonly large: Semaphore;
  readonly signal: AbortSignal;
}

// Bodies up to this size need no slot. Counts, lists of keys and most records are smaller.
const FREE_BYTES = MB;
// JSON compresses to a fifth or better.
const MAX_COMPRESSED_BYTES = 8 * MB;
const LEAST_CHUNK_BYTES = 16 * 1024;
// Deflate cannot compress better (RFC 1951), so a larger size in a gzip trailer is wrong.
const MAX_RATIO = 1032;

/**
 * Collects and decompresses a body.
 * @throws {TooLarge} beyond `maxBytes`; the signal's reason; errors of undici and zlib.
 */
export async function decoded(
  body: AsyncIterable<Buffer>,
  { encoding = '', maxBytes, large, signal }: Encoding,
): Promise<Buffer> {
  const isPacked = /^(x-)?gzip$/i.test(encoding);
  if (!isPacked && !/^(identity)?$/i.test(encoding)) {
    // The same kind as for a lost answer: a write may have taken effect.
    const name = /^(br|deflate|compress|zstd)$/i.test(encoding) ? encoding : 'something';
    throw new CliError('unavailable', `the answer is encoded as ${name}, which was not asked for`);
  }
  const most = isPacked ? Math.min(maxBytes, MAX_COMPRESSED_BYTES) : maxBytes;
  let release: (() => void) | undefined;
  try {
    const bytes = await collected(body, async (size) => {
      if (size > most) throw TooLarge.bytes(most, isPacked);
      if (size > FREE_BYTES) release ??= await large.acquire();
    });
    signal.throwIfAborted();
    return isPacked ? unpacked(bytes, maxBytes) : bytes;
  } finally {
    release?.();
  }
}

/** Joins the pieces of a body. @param onSize called with the size so far, before it is kept. */
export async function collected(
  body: AsyncIterable<Buffer>,
  onSize: (size: number) => Promise<void>,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    await onSize(size);
    // Views of a few bytes each would take hundreds of times their size.
    const last = pieces.at(-1);
    if (last !== undefined && last.length + chunk.length <= LEAST_CHUNK_BYTES)
      pieces[pieces.length - 1] = Buffer.concat([last, chunk]);
    else pieces.push(chunk);
  }
  return Buffer.concat(pieces);
}

/**
 * Unpacks gzip, which takes less time at once than in pieces or in another thread.
 * @throws {TooLarge} beyond `maxBytes`; errors of zlib.
 */
export function unpacked(body: Buffer, maxBytes: number): Buffer {
  // Gzip ends with the unpacked size. An impossible size means a cut, damaged or hostile answer.
  const claimed = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
  const isPossible = claimed <= Math.min(maxBytes, body.length * MAX_RATIO);
  const chunkSize = Math.max(isPossible ? claimed + 1 : 0, LEAST_CHUNK_BYTES);
  try {
    return gunzipSync(body, { chunkSize, maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? TooLarge.bytes(maxBytes)
      : error;
  }
}

/** @throws {CliError} kind `rejected` for the body of a request that is too large. */
export function checkRequestSize(body = ''): void {
  const bytes = Buffer.byteLength(body);
  if (bytes <= MAX_REQUEST_BYTES) return;
  const size = (bytes / MB).toFixed(1);
  throw new CliError(
    'rejected',
    `the request has ${size} MB, and the service takes 10 MB at most`,
    {
      hint: 'shorten the record: leave out its xml, or some of its related items or contributors',
    },
  );
}
