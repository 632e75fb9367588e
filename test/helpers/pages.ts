import type { FetchPage } from '../../src/harvest/page/fetch-page.ts';
import type { Page } from '../../src/harvest/page/page.ts';
import { splitPage } from '../../src/harvest/page/splitter.ts';

/** Makes a page from a document, with this white space in it. */
export function pageOf(document: unknown, space?: number): Page {
  return splitPage(Buffer.from(JSON.stringify(document, null, space)));
}

export const FIRST = new URL(
  'http://127.0.0.1/dois?state=findable&page%5Bsize%5D=10&page%5Bcursor%5D=1',
);

/** A service that answers each cursor with a document, and records the requests. */
export function fakeService(documents: Readonly<Record<string, unknown>>): {
  fetch: FetchPage;
  asked: URL[];
} {
  const asked: URL[] = [];
  return {
    asked,
    fetch: async (url) => {
      asked.push(url);
      const document = documents[url.searchParams.get('page[cursor]') ?? ''];
      if (document === undefined) throw new Error(`unexpected request ${url}`);
      return pageOf(document);
    },
  };
}

/** One page of a cursor walk: its records by id, the total, and the cursor of the next page. */
export function cursorPage(
  ids: readonly string[],
  total?: number,
  next?: string,
  created?: string,
) {
  return {
    data: ids.map((id) => ({ id, type: 'dois', ...(created ? { attributes: { created } } : {}) })),
    meta: total === undefined ? {} : { total },
    links: {
      self: 'x',
      ...(next ? { next: `http://127.0.0.1/dois?page%5Bcursor%5D=${next}` } : {}),
    },
  };
}
