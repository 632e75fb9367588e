import { BadBody } from '../api/http.ts';
import type { WireResponse } from '../api/transport.ts';
import type { Service } from '../context.ts';
import type { Page } from './page.ts';
import { MalformedPage, PageSplitter } from './page-splitter.ts';

export interface FetchOptions {
  readonly signal?: AbortSignal;
  /** Told the document's `links` as soon as they are read, which may be long before the page is complete. */
  readonly onLinks?: (links: unknown) => void;
}

/** Fetches one document and splits it into its records while it arrives. Nothing of it is given out before its end. */
export type FetchPage = (url: URL, options?: FetchOptions) => Promise<Page>;

/** A {@link FetchPage} that asks the service, checking each time for whom it answers. */
export function pageFetcher({ http, identity }: Service): FetchPage {
  return (url, { signal, onLinks } = {}) =>
    http.call({
      method: 'GET',
      url,
      ...(signal ? { signal } : {}),
      read: (response) => {
        identity.check(response);
        return readPage(response, onLinks);
      },
    });
}

/**
 * Splits a document into its records while it arrives.
 * @throws {BadBody} when it is cut short or damaged.
 */
export async function readPage(response: WireResponse, onLinks?: FetchOptions['onLinks']): Promise<Page> {
  const splitter = new PageSplitter();
  let announce = onLinks;
  try {
    for await (const chunk of response.body()) {
      splitter.push(chunk);
      const links = announce && splitter.member('links');
      if (links === undefined) continue;
      announce?.(links);
      announce = undefined;
    }
    return splitter.finish();
  } catch (error) {
    throw error instanceof MalformedPage ? new BadBody(error.message) : error;
  }
}
