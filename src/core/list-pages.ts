import { countAt, PAGE_SIZE } from '../api/pagination.ts';
import type { Service } from '../api/service.ts';
import { once } from '../concurrency/promises.ts';
import { type FetchOptions, type FetchPage, pageFetcher } from '../harvest/page/fetch-page.ts';
import { walkLinks } from '../harvest/walk/link-walk.ts';
import { walkNumbered } from '../harvest/walk/numbered-pages.ts';
import type { Params } from '../harvest/walk/query-params.ts';
import { type DoiList, listSource } from './list.ts';

/** Some pages of a list, by their numbers. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
  readonly pageSize: number;
  readonly sort: string | undefined;
}

/** The records of some pages of a query. */
export function listNumbered(service: Service, query: Params, range: PageRange): DoiList {
  const { fetch, url, count } = listSource(service, query);
  const sort: Params = range.sort === undefined ? [] : [['sort', range.sort]];
  const size = [PAGE_SIZE, String(range.pageSize)] as const;
  const urlOf = (page: number) => url([...query, ...sort, size, ['page[number]', String(page)]]);
  return { pages: walkNumbered(fetch, urlOf, range), count };
}

/**
 * All records of a list of any resource, by its links.
 * @param url with filters, and without paging.
 */
export function listByLinks(
  service: Service,
  url: URL,
  pageSize: number,
  headers?: FetchOptions['headers'],
): DoiList {
  const { http } = service;
  const fetchPage = pageFetcher(service);
  const counted = new URL(url);
  counted.searchParams.append(PAGE_SIZE, '0');
  const countAll = once(() => countAt(http, counted, 'record'));
  let isCounted = false;
  let records = 0;
  const fetch: FetchPage = async (page, options) => {
    const fetched = await fetchPage(page, { ...options, headers });
    isCounted ||= fetched.total !== undefined;
    return fetched;
  };
  // Some lists have no count (service.md, O12): their end is where the links end.
  const count = async () => (isCounted ? countAll() : records);
  async function* pages() {
    const walk = { fetch, pageSize, smallerPages: http.smallerPages, count };
    for await (const walked of walkLinks(url, walk)) {
      records += walked.count;
      yield walked;
    }
  }
  return { pages: pages(), count };
}
