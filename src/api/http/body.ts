import type { WireResponse } from './transport.ts';

// Far more than a list of all keys; what is cut off here is not valid JSON.
const MOST_JSON_BYTES = 32 * 1024 * 1024;

/** A body that is not what it should be: cut short or malformed. The message never quotes it. */
export class BadBody extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadBody';
  }
}

/** A page for people with status 200: a wrong address, a network that wants a log-in, or a service at rest. */
export class WebPage extends BadBody {
  constructor() {
    super('a web page instead of an answer');
  }
}

/**
 * A body as text, at most so many bytes of it.
 * @throws {NetworkError} when it is cut short.
 */
export async function readText(response: WireResponse, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8');
}

/**
 * A body as a JSON object.
 * @throws {BadBody} when it is none; the parser's own message would quote the body, which may hold a new key.
 */
export async function readJson(response: WireResponse): Promise<Record<string, unknown>> {
  const text = await readText(response, MOST_JSON_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadBody('the answer is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadBody('the answer is not a JSON object');
  }
  return value as Record<string, unknown>;
}
