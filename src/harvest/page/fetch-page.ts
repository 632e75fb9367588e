import { setImmediate } from 'node:timers/promises';
import { BadBody } from '../../api/http/body.ts';
import { serviceMessage } from '../../api/http/error-response.ts';
import type { WireResponse } from '../../api/http/transport.ts';
import type { Service } from '../../api/service.ts';
import { CliError } from '../../errors.ts';
import type { Page } from './page.ts';
import { MalformedPage, PageSplitter } from './splitter.ts';

interface FetchOptions {
  readonly signal?: AbortSignal;
  /** Told the document's `links` as soon as they are read, which may be long before the page is complete. */
  readonly onLinks?: (links: unknown) => void;
}

/** Fetches one document and splits it into its records while it arrives. Nothing of it is given out before its end. */
export type FetchPage = (url: URL, options?: FetchOptions) => Promise<Page>;

/** A {@link FetchPage} that asks the service, checking each time for whom it answers. */
export function pageFetcher({ http, caller }: Service): FetchPage {
  return (url, { signal, onLinks } = {}) =>
    http.call({
      method: 'GET',
      url,
      ...(signal ? { signal } : {}),
      inspect: (response) => caller.check(response),
      read: async (response) => {
        const page = await readPage(response, onLinks);
        const words = page.kind === 'none' ? serviceMessage(page.envelope) : undefined;
        if (words !== undefined) throw new CliError('rejected', words);
        return page;
      },
    });
}

// A large body is scanned in pieces of this many bytes, about half a millisecond each, with turns of the event loop
// between them: the next page is requested, received and sent to decompression meanwhile.
const PIECE_BYTES = 512 * 1024;
// More than the document's members behind its data, without facets.
const TAIL_BYTES = 8 * 1024;

/**
 * Splits a document into its records while it arrives.
 * @throws {BadBody} when it is cut short or damaged.
 */
export async function readPage(response: WireResponse, onLinks?: FetchOptions['onLinks']): Promise<Page> {
  const splitter = new PageSplitter();
  let announce = onLinks;
  const announceOnce = (links: unknown) => {
    if (links === undefined) return;
    announce?.(links);
    announce = undefined;
  };
  try {
    for await (const chunk of response.body()) {
      if (announce !== undefined && chunk.length > PIECE_BYTES) announceOnce(linksAtEnd(chunk));
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        if (at > 0) await setImmediate();
        splitter.push(chunk.subarray(at, at + PIECE_BYTES));
        if (announce !== undefined) announceOnce(splitter.member('links'));
      }
    }
    return splitter.finish();
  } catch (error) {
    throw error instanceof MalformedPage ? new BadBody(error.message) : error;
  }
}

/**
 * The `links` of a document whose end this is, where they stand behind the data, as the service puts them. A guess
 * that lets the next page be requested before this one has been scanned; the scan decides.
 */
function linksAtEnd(chunk: Buffer): unknown {
  const tail = chunk.subarray(-TAIL_BYTES);
  const at = tail.lastIndexOf('"links":{');
  if (at < 0) return undefined;
  try {
    return (JSON.parse(`{${tail.toString('utf8', at)}`) as { links: unknown }).links;
  } catch {
    // Some other links: the scan will find the document's own.
    return undefined;
  }
}
