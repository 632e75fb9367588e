import { isObject, type JsonObject } from '../../text/json-values.ts';
import type { WireResponse } from './transport.ts';

// Far more than a list of all keys; a body that is cut off here is not valid JSON.
const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** A body that is cut short or malformed. The message never quotes it: it may hold a new key. */
export class BadBody extends Error {
  override readonly name = 'BadBody';
}

/** HTML with status 200 (service.md, E4): a wrong address, a network's log-in page, or maintenance. */
export class WebPage extends BadBody {}

/** The first `maxBytes` bytes of a body as text. @throws {NetworkError} when the body is cut short. */
export async function readText(response: WireResponse, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

/** Reads a body as a JSON object. @throws {BadBody} when it is not one. */
export async function readJson(response: WireResponse): Promise<JsonObject> {
  const value = parseJson(await readText(response, MAX_JSON_BYTES));
  if (!isObject(value)) throw new BadBody('the answer is not a JSON object');
  return value;
}

/** @throws {BadBody} when the text is not JSON; the parser's own message would quote it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadBody('the answer is not valid JSON');
  }
}
