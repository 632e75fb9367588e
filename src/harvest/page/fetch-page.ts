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
  /** Called with the document's `links` as soon as they are read, often before the page is complete. */
  readonly onLinks?: (links: unknown) => void;
}

/** Fetches one document and splits it into its records while it arrives. It returns only complete pages. */
export type FetchPage = (url: URL, options?: FetchOptions) => Promise<Page>;

/** A {@link FetchPage} of this service. */
export function pageFetcher({ http }: Service): FetchPage {
  return (url, { onLinks, ...options } = {}) =>
    http.call({
      method: 'GET',
      url,
      ...options,
      read: async (response) => {
        const page = await readPage(response, onLinks);
        const words = page.kind === 'none' ? serviceMessage(page.envelope, http.mask) : undefined;
        if (words !== undefined) throw new CliError('rejected', words);
        return page;
      },
    });
}

// A large body is scanned in pieces that take half a millisecond. Between them the next page is received.
const TURN_BYTES = 512 * 1024;
// More than the document's members after its data take, without facets.
const TAIL_BYTES = 8 * 1024;

// Several pages are in memory. The same records fit on more pages that are smaller.
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

/**
 * Splits a document into its records while it arrives.
 * @throws {BadBody} when it is cut short (service.md, E10), damaged or too large.
 */
export async function readPage(
  response: Pick<WireResponse, 'body'>,
  onLinks?: FetchOptions['onLinks'],
): Promise<Page> {
  const splitter = new PageSplitter();
  let announce = onLinks;
  const announceOnce = (links: unknown) => {
    if (links === undefined) return;
    announce?.(links);
    announce = undefined;
  };
  try {
    for await (const chunk of response.body(MAX_PAGE_BYTES)) {
      if (announce !== undefined && chunk.length > TURN_BYTES) announceOnce(linksAtEnd(chunk));
      for (let at = 0; at < chunk.length; at += TURN_BYTES) {
        if (chunk.length > TURN_BYTES) await setImmediate();
        splitter.push(chunk.subarray(at, at + TURN_BYTES));
        if (announce !== undefined) announceOnce(splitter.member('links'));
      }
    }
    return splitter.finish();
  } catch (error) {
    throw error instanceof MalformedPage ? new BadBody(error.message) : error;
  }
}

/**
 * A guess at the `links` from the end of the last chunk: the service puts them after the data. With it the
 * next page can be requested before this one has been scanned; the scan decides.
 */
function linksAtEnd(chunk: Buffer): unknown {
  const tail = chunk.subarray(-TAIL_BYTES).toString();
  const at = tail.lastIndexOf('"links":{');
  if (at < 0) return undefined;
  try {
    return (JSON.parse(`{${tail.slice(at)}`) as { links?: unknown }).links;
  } catch {
    // They belong to another object: the scan finds the document's own.
    return undefined;
  }
}
