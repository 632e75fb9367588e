import { setImmediate } from 'node:timers/promises';
import { BadBody } from '../../api/http/body.ts';
import { serviceMessage } from '../../api/http/error-response.ts';
import type { WireResponse } from '../../api/http/transport.ts';
import type { Service } from '../../api/service.ts';
import { CliError } from '../../errors.ts';
import type { Page } from './page.ts';
import { MalformedPage, PageSplitter } from './splitter.ts';

export interface FetchOptions {
  readonly signal?: AbortSignal;
  readonly retries?: number | undefined;
  readonly onTime?: ((ms: number) => void) | undefined;
}

/**
 * Fetches one document and splits it into its records while it arrives. It returns only complete
 * pages.
 */
export type FetchPage = (url: URL, options?: FetchOptions) => Promise<Page>;

/** A {@link FetchPage} of this service. */
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

// A large body is scanned in pieces that take half a millisecond. Between them the next page is
// received.
const TURN_BYTES = 512 * 1024;
// Several pages are in memory. The same records fit on more pages that are smaller.
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

/**
 * Splits a document into its records while it arrives.
 * @throws {BadBody} when it is cut short (service.md, E10), damaged or too large.
 */
export async function readPage(response: Pick<WireResponse, 'body'>): Promise<Page> {
  const splitter = new PageSplitter();
  try {
    for await (const chunk of response.body(MAX_PAGE_BYTES)) {
      for (let at = 0; at < chunk.length; at += TURN_BYTES) {
        if (chunk.length > TURN_BYTES) await setImmediate();
        splitter.push(chunk.subarray(at, at + TURN_BYTES));
      }
    }
    return splitter.finish();
  } catch (error) {
    throw error instanceof MalformedPage ? new BadBody(error.message) : error;
  }
}
