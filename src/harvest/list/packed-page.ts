import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { unpacked } from '../../api/http/body.ts';
import { TooLarge } from '../../api/http/network-error.ts';
import type { WireResponse } from '../../api/http/transport.ts';
import type { Service } from '../../api/service.ts';
import type { Semaphore } from '../../concurrency/promises.ts';
import { type FetchOptions, nextOf, readPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { ALL_TIME, numbersOf, type PageNumbers } from '../walk/creation-time.ts';

export interface PackedPage extends Omit<PageNumbers, 'asked'> {
  readonly bytes: Buffer;
  /** The cursor of the next page; undefined if the link is wrong, which the walk reports. */
  readonly next: string | null | undefined;
}

/** Fetches a page and keeps it compressed; undefined for an answer that cannot be kept. */
export type FetchPacked = (
  url: URL,
  options: Pick<FetchOptions, 'signal' | 'retries' | 'onTime'>,
) => Promise<PackedPage | undefined>;

// Ten times the usual. Larger pages are fetched when the walk needs them.
const MAX_PACKED_BYTES = 6 * 1024 * 1024;
const FASTEST = 1;
const NEVER = new AbortController().signal;

/** The {@link FetchPacked} of a service. @param slots limits the pages unpacked at once. */
export function packedFetcher({ http }: Service, slots: Semaphore): FetchPacked {
  return (url, options) =>
    http.call({
      method: 'GET',
      url,
      ...options,
      read: (response) => readPacked(response, url, slots),
    });
}

/** Unpacks a page. @throws {BadBody}; errors of zlib. */
export function unpackPage(
  { bytes }: Pick<PackedPage, 'bytes'>,
  signal: AbortSignal,
): Promise<Page> {
  return readPage({ body: (maxBytes) => unpacked([bytes], maxBytes, signal) });
}

async function readPacked(
  response: WireResponse,
  url: URL,
  slots: Semaphore,
): Promise<PackedPage | undefined> {
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
    const page = await unpackPage({ bytes }, NEVER).catch(() => undefined);
    // A damaged page is requested again when the walk needs it.
    if (page?.kind !== 'list') return undefined;
    const next = nextOf(page.envelope['links'], url);
    const kept = { bytes, next, ...numbersOf(page, next, ALL_TIME) };
    page.drop();
    return kept;
  });
}

/** Compresses a body as it arrives: the bodies of all requests must fit into memory together. */
async function* packed(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: FASTEST });
  // The failure reaches the reader of the packed bytes.
  pipeline(body, gzip).catch(() => undefined);
  yield* gzip;
}
