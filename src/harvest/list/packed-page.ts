import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { collected, unpacked } from '../../api/http/body.ts';
import { TooLarge } from '../../api/http/network-error.ts';
import type { WireResponse } from '../../api/http/transport.ts';
import type { Service } from '../../api/service.ts';
import { type FetchOptions, MAX_PAGE_BYTES, nextOf } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { splitPage } from '../page/splitter.ts';
import { ALL_TIME, numbersOf, type PageNumbers } from '../walk/creation-time.ts';

export interface PackedPage extends Omit<PageNumbers, 'asked'> {
  /** The compressed bytes. */
  readonly bytes: Buffer;
  /** The page itself, unless it has to wait. */
  page: Page | undefined;
  /** The cursor of the next page; undefined if the link is wrong, which the walk reports. */
  readonly next: string | null | undefined;
}

/** Fetches a page, also compressed; undefined for an answer that cannot be kept. */
export type FetchPacked = (
  url: URL,
  options: Pick<FetchOptions, 'signal' | 'retries' | 'onTime'>,
) => Promise<PackedPage | undefined>;

// Ten times the usual. Larger pages are fetched when the walk needs them.
const MAX_PACKED_BYTES = 6 * 1024 * 1024;
const FASTEST = 1;

/** The {@link FetchPacked} of a service. */
export function packedFetcher({ http }: Service): FetchPacked {
  return (url, options) =>
    http.call({ method: 'GET', url, ...options, read: (response) => readPacked(response, url) });
}

export function unpackPage({ page, bytes }: Pick<PackedPage, 'page' | 'bytes'>): Page {
  return page ?? splitPage(unpacked(bytes, MAX_PAGE_BYTES));
}

async function readPacked(response: WireResponse, url: URL): Promise<PackedPage | undefined> {
  const encoding = response.header('content-encoding') ?? 'identity';
  if (!/^((x-)?gzip|identity|)$/i.test(encoding)) {
    response.discard();
    return undefined;
  }
  const checkSize = async (size: number) => {
    if (size > MAX_PACKED_BYTES) throw TooLarge.bytes(MAX_PACKED_BYTES, true);
  };
  const bytes = await response.encodedBody((body) =>
    collected(/gzip/i.test(encoding) ? body : packed(body), checkSize),
  );
  try {
    const page = unpackPage({ page: undefined, bytes });
    if (page.kind !== 'list') return undefined;
    const next = nextOf(page.envelope['links'], url);
    return { page, bytes, next, ...numbersOf(page, next, ALL_TIME) };
  } catch {
    // A damaged page is requested again when the walk needs it.
    return undefined;
  }
}

/** Compresses a body as it arrives: the bodies of all requests must fit into memory together. */
async function* packed(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: FASTEST });
  // The failure reaches the reader of the packed bytes.
  pipeline(body, gzip).catch(() => undefined);
  yield* gzip;
}
