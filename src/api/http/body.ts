import { isUtf8 } from 'node:buffer';
import { addAbortSignal } from 'node:stream';
import { createGunzip } from 'node:zlib';
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
  body(maxBytes: number): AsyncIterable<Buffer>;
}

/** A body of at most `maxBytes` bytes. @throws {NetworkError} when it is cut short or larger. */
export async function readBytes(response: Answer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body(maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * {@link readBytes} as text. @throws {BadBody} when it is not UTF-8: decoding would alter it
 * silently.
 */
export async function readText(response: Answer, maxBytes = MAX_DOCUMENT_BYTES): Promise<string> {
  const bytes = await readBytes(response, maxBytes);
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
// Compressed bytes are kept until the body's end. JSON compresses to a fifth or better.
const MAX_COMPRESSED_BYTES = 8 * MB;
const BLOCK_BYTES = 64 * 1024;
const SMALL_BYTES = 16 * 1024;
// Deflate cannot compress better (RFC 1951), so a larger size in a gzip trailer is wrong.
const MAX_RATIO = 1032;

/**
 * The decompressed body in pieces. @throws {TooLarge} beyond `maxBytes`; errors of undici and zlib.
 */
export async function* decoded(
  body: AsyncIterable<Buffer>,
  options: Encoding,
): AsyncGenerator<Buffer> {
  const { encoding, maxBytes, large, signal } = options;
  let giveBack: (() => void) | undefined;
  const takeSlot = async () => {
    giveBack ??= await large.acquire();
  };
  try {
    if (encoding === undefined || /^(identity)?$/i.test(encoding)) {
      for await (const { block, size } of blocks(body)) {
        if (size > maxBytes) throw TooLarge.bytes(maxBytes);
        if (size > FREE_BYTES) await takeSlot();
        yield block;
      }
    } else if (/^(x-)?gzip$/i.test(encoding)) {
      const most = Math.min(maxBytes, MAX_COMPRESSED_BYTES);
      const packed: Buffer[] = [];
      for await (const { block, size } of blocks(body)) {
        if (size > most) throw TooLarge.bytes(most, true);
        if (size > FREE_BYTES) await takeSlot();
        packed.push(block);
      }
      await takeSlot();
      yield* unpacked(packed, maxBytes, signal);
    } else {
      // The same kind as for a lost answer: a write may have taken effect.
      const name = /^(br|deflate|compress|zstd)$/i.test(encoding) ? encoding : 'something';
      throw new CliError(
        'unavailable',
        `the answer is encoded as ${name}, which was not asked for`,
      );
    }
  } finally {
    giveBack?.();
  }
}

/**
 * The pieces of a body, with small ones joined: separate views would take hundreds of times their
 * size.
 */
async function* blocks(
  body: AsyncIterable<Buffer>,
): AsyncGenerator<{ block: Buffer; size: number }> {
  let free = Buffer.allocUnsafe(BLOCK_BYTES);
  let used = 0;
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    const small = chunk.length < SMALL_BYTES;
    if (used > 0 && (!small || used + chunk.length > free.length)) {
      yield { block: free.subarray(0, used), size };
      free = free.subarray(used);
      used = 0;
    }
    if (!small) {
      yield { block: chunk, size };
      continue;
    }
    if (chunk.length > free.length) free = Buffer.allocUnsafe(BLOCK_BYTES);
    used += chunk.copy(free, used);
  }
  if (used > 0) yield { block: free.subarray(0, used), size };
}

/**
 * Unpacks gzip outside of the main thread, in one piece if possible: every piece costs a thread
 * switch.
 * @param packed the pieces; the array is emptied.
 * @throws {TooLarge} beyond `maxBytes`; errors of zlib; the signal's reason.
 */
export async function* unpacked(
  packed: Buffer[],
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const body = Buffer.concat(packed.splice(0));
  // Gzip ends with the uncompressed size. An impossible size means a cut, damaged or hostile
  // answer.
  const claimed = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
  const possible = claimed <= Math.min(maxBytes, body.length * MAX_RATIO);
  const chunkSize = Math.max(possible ? claimed + 1 : 0, BLOCK_BYTES);
  const gunzip = addAbortSignal(signal, createGunzip({ chunkSize }));
  gunzip.end(body);
  let size = 0;
  for await (const piece of gunzip as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw TooLarge.bytes(maxBytes);
    yield piece;
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
