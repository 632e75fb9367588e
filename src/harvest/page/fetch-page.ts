import { BadBody } from '../../api/http/body.ts';
import type { Call } from '../../api/http/call.ts';
import { serviceMessage } from '../../api/http/error-response.ts';
import type { WireResponse } from '../../api/http/transport.ts';
import { nextCursor } from '../../api/pagination.ts';
import type { Service } from '../../api/service.ts';
import { CliError } from '../../errors.ts';
import type { Page } from './page.ts';
import { MalformedPage, splitPage } from './splitter.ts';

export interface FetchOptions {
  readonly signal?: AbortSignal;
  readonly retries?: number | undefined;
  readonly onTime?: ((ms: number) => void) | undefined;
  readonly headers?: Call<unknown>['headers'] | undefined;
}

/** Fetches a document and splits it into its records. Only for complete pages. */
export type FetchPage = (url: URL, options?: FetchOptions) => Promise<Page>;

/** The {@link FetchPage} of a service. */
export function pageFetcher({ http }: Service): FetchPage {
  return (url, options = {}) =>
    http.call({
      method: 'GET',
      url,
      ...options,
      read: async (response) => {
        const page = await readPage(response);
        const words = page.kind === 'none' ? serviceMessage(page.envelope, http.mask) : undefined;
        if (words !== undefined) throw new CliError('rejected', words);
        return page;
      },
    });
}

/** Several pages are in memory. The same records fit on more, smaller pages. */
export const MAX_PAGE_BYTES = 32 * 1024 * 1024;

/**
 * Splits a document into its records.
 * @throws {BadBody} when it is cut short (service.md, E10), damaged or too large.
 */
export async function readPage(response: Pick<WireResponse, 'body'>): Promise<Page> {
  const bytes = await response.body(MAX_PAGE_BYTES);
  try {
    return splitPage(bytes);
  } catch (error) {
    throw error instanceof MalformedPage ? new BadBody(error.message) : error;
  }
}

/** The cursor of the next page; undefined if the link is wrong, which the walk reports. */
export function nextOf(links: unknown, url: URL): string | null | undefined {
  try {
    return nextCursor(links, url);
  } catch {
    return undefined;
  }
}

interface Requested {
  readonly url: URL;
  readonly page: Promise<Page>;
  abandon(): void;
}

/** Fetches pages along a cursor, the next page while the current page is used. */
export class PagePrefetcher {
  readonly #fetch: FetchPage;
  #current: Requested | undefined;
  #ahead: Requested | undefined;

  constructor(fetch: FetchPage) {
    this.#fetch = fetch;
  }

  /** Fetches the page at a cursor. @param prefetch whether to request the next page after it. */
  async fetch(
    cursor: string,
    urlOf: (cursor: string) => URL,
    retries: number | undefined,
    prefetch: boolean,
  ): Promise<Page> {
    const url = urlOf(cursor);
    this.#current = this.#request(url, retries);
    this.#ahead = undefined;
    const page = await this.#current.page;
    const next = prefetch ? nextOf(page.envelope['links'], url) : null;
    if (typeof next === 'string') this.prefetch(urlOf(next), retries);
    return page;
  }

  /** Requests a page before it is needed. */
  prefetch(url: URL, retries: number | undefined): void {
    this.#request(url, retries);
  }

  abandon(): void {
    this.#current?.abandon();
    this.#ahead?.abandon();
  }

  #request(url: URL, retries: number | undefined): Requested {
    if (this.#ahead?.url.href === url.href) return this.#ahead;
    this.#ahead?.abandon();
    const abort = new AbortController();
    const page = this.#fetch(url, { signal: abort.signal, retries });
    // It may fail before it is awaited.
    page.catch(() => undefined);
    const abandon = () => abort.abort(new CliError('incomplete', 'the page is no longer wanted'));
    this.#ahead = { url, page, abandon };
    return this.#ahead;
  }
}
