import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, parseBounded, TooComplex } from '../../text/json-values.ts';
import { TooLarge } from './network-error.ts';
import type { WireResponse } from './transport.ts';

const MB = 1024 * 1024;
/** A list of all keys, a record in any format, a listing: far more than the service sends. */
const MAX_DOCUMENT_BYTES = 16 * MB;
/** A count, temporary credentials. */
export const MAX_SMALL_BYTES = MB;

/** A body that is cut short or malformed. The message never quotes it: it may hold a new key. */
export class BadBody extends Error {
  override readonly name = 'BadBody';
}

/** HTML with status 200 (service.md, E4): a wrong address, a network's log-in page, or maintenance. */
export class WebPage extends BadBody {}

/** A body of at most `maxBytes` bytes. @throws {NetworkError} when it is cut short or larger. */
export async function readBytes(response: WireResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body(maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** {@link readBytes} as text. @throws {BadBody} when it is not UTF-8: decoding would alter it silently. */
export async function readText(response: WireResponse, maxBytes = MAX_DOCUMENT_BYTES): Promise<string> {
  const bytes = await readBytes(response, maxBytes);
  if (!isUtf8(bytes)) throw new BadBody('the answer is not UTF-8 text');
  return bytes.toString();
}

/** A body as a JSON object. @throws {BadBody} when it is none; {TooLarge} beyond `maxBytes`. */
export async function readJson(response: WireResponse, maxBytes?: number): Promise<JsonObject> {
  const value = parseJson(await readText(response, maxBytes));
  if (!isObject(value)) throw new BadBody('the answer is not a JSON object');
  return value;
}

/** The members of a document, of its `data` and `meta`, and of a record's attributes. */
const ONCE_TO = 3;

/** @throws {BadBody} when the text is not JSON or has a member twice, {@link TooLarge} when it is too complex. */
export function parseJson(text: string): unknown {
  try {
    return parseBounded(text, ONCE_TO);
  } catch (error) {
    if (error instanceof TooComplex) throw new TooLarge(`the answer has ${error.message}`);
    // The parser's own message would quote it.
    throw new BadBody('the answer is not valid JSON, or names a member twice');
  }
}
