import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { unpacked } from '../../api/http/decode.ts';
import { TooLarge } from '../../api/http/network-error.ts';
import type { WireResponse } from '../../api/http/transport.ts';
import { CURSOR, positionOf, totalIn } from '../../api/pagination.ts';
import type { Service } from '../../api/service.ts';
import type { Semaphore } from '../../concurrency/semaphore.ts';
import { type FetchOptions, MAX_PAGE_BYTES, membersAtEnd, readPage } from './fetch-page.ts';
import type { Page } from './page.ts';

/** A page that waits for its turn, compressed, and what its bytes seem to say. The scan decides. */
export interface PackedPage {
  readonly bytes: Buffer;
  /** The document's `links`. */
  readonly links: unknown;
  /** The service's count of the query's records; undefined if it is unusable. */
  readonly total: number | undefined;
  /** The creation times of the first and the last record, in milliseconds; NaN if unknown. */
  readonly first: number;
  readonly last: number;
}

/** Fetches a page without splitting it; undefined if it is none that can wait. */
export type FetchPacked = (
  url: URL,
  options: Pick<FetchOptions, 'signal' | 'retries' | 'onTime'>,
) => Promise<PackedPage | undefined>;

// Ten times as much as usual. Larger ones are fetched when their turn comes.
const MAX_PACKED_BYTES = 6 * 1024 * 1024;
const FASTEST = 1;

/** A {@link FetchPacked} of a service. @param slots bounds how many pages are unpacked at once. */
export function packedFetcher({ http }: Service, slots: Semaphore): FetchPacked {
  return (url, { signal, retries, onTime }) =>
    http.call({
      method: 'GET',
      url,
      ...(signal ? { signal } : {}),
      ...(onTime ? { onTime } : {}),
      ...(retries === undefined ? {} : { retries }),
      read: (response) => readPacked(response, slots),
    });
}

/** The records of a packed page. @throws {MalformedPage} as a BadBody; errors of zlib. */
export function unpackPage({ bytes }: PackedPage, signal: AbortSignal): Promise<Page> {
  return readPage({ body: (maxBytes) => unpacked([bytes], maxBytes, signal) });
}

async function readPacked(response: WireResponse, slots: Semaphore): Promise<PackedPage | undefined> {
  const encoding = response.header('content-encoding') ?? 'identity';
  if (!/^((x-)?gzip|identity|)$/i.test(encoding)) {
    response.discard();
    return undefined;
  }
  const isPacked = /gzip/i.test(encoding);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of isPacked ? response.encodedBody() : packed(response.encodedBody())) {
    size += chunk.length;
    if (size > MAX_PACKED_BYTES) throw TooLarge.bytes(MAX_PACKED_BYTES, true);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks.splice(0));
  return slots.run(async () => {
    const json = await unpackWhole(bytes);
    return json && { bytes, ...guessedFrom(json) };
  });
}

/** Packs a body as it arrives: the bodies of all requests under way have to fit into memory. */
async function* packed(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: FASTEST });
  // The reader of the packed bytes gets the failure.
  pipeline(body, gzip).catch(() => undefined);
  yield* gzip;
}

/** Undefined where the bytes are damaged: then the page is asked for again when its turn comes. */
async function unpackWhole(body: Buffer): Promise<Buffer | undefined> {
  try {
    const pieces: Buffer[] = [];
    for await (const piece of unpacked([body], MAX_PAGE_BYTES, new AbortController().signal))
      pieces.push(piece);
    // Usually one piece: a copy of it would double the memory.
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
  } catch {
    return undefined;
  }
}

const CREATED = Buffer.from('"created":"');

function guessedFrom(json: Buffer): Omit<PackedPage, 'bytes'> {
  const { links, meta, at = json.length } = membersAtEnd(json) ?? {};
  const first = timeAt(json, json.indexOf(CREATED));
  const last = timeAt(json, json.lastIndexOf(CREATED, at));
  return { links, total: totalIn(meta), first, last: Number.isNaN(last) ? timeInLink(json, links) : last };
}

function timeAt(json: Buffer, at: number): number {
  if (at < 0) return Number.NaN;
  const from = at + CREATED.length;
  return Date.parse(json.toString('latin1', from, json.indexOf(0x22, from)));
}

/** The creation time of the last record by the cursor after it (service.md, P7). */
function timeInLink(json: Buffer, links: unknown): number {
  const { next } = (links ?? {}) as { next?: unknown };
  if (typeof next !== 'string' || !URL.canParse(next, 'http://localhost')) return Number.NaN;
  const position = positionOf(new URL(next, 'http://localhost').searchParams.get(CURSOR) ?? '');
  return position && json.includes(`"id":"${position.doi}"`) ? position.created : Number.NaN;
}
