import { parsedRecord } from '../harvest/page/parsed-record.ts';
import { WalkTotals } from '../harvest/walk/walk-totals.ts';
import { type CallOptions, type Client, yieldAll } from './client.ts';
import { MAX_PAGE_SIZE } from './defaults.ts';
import { paramsOf, requireCursor, requireReadable } from './filter-params.ts';
import type { DoiQuery } from './filters.ts';
import { checkedFilters, checkedOptions } from './given.ts';
import { listAll, wholeList } from './list.ts';
import type { DoiRecord } from './record.ts';

/** How to list records. */
export interface ListOptions extends CallOptions {
  /** Whether to parse the records; otherwise they are the bytes of the service. */
  readonly parse?: boolean | undefined;
  /** The most records; all by default. */
  readonly limit?: number | undefined;
  /** Records per request, from 1 to 1000; 1000 by default. */
  readonly pageSize?: number | undefined;
  /** The most requests at once; by default as many as the rate limit calls for. */
  readonly jobs?: number | undefined;
}

/**
 * All DOI records of a query, the oldest first, each once: JSON in UTF-8 on one line, without a
 * newline, in the service's own spelling.
 *
 * Records arrive while others are used; a slow reader slows the requests down, and `break` stops
 * them. The end is reached only when the records are as many as the service counts.
 * @throws {DoiCliError} during the iteration: kind `usage` before any request; `incomplete` when
 *   records are missing, or are not those of the query; `credentials`, `unavailable` or `throttled`
 *   as they say.
 */
export function listDois(
  client: Client,
  query?: DoiQuery,
  options?: ListOptions & { readonly parse?: false | undefined },
): AsyncIterable<Uint8Array>;
/** All DOI records of a query, parsed. Otherwise it is the same. */
export function listDois(
  client: Client,
  query: DoiQuery | undefined,
  options: ListOptions & { readonly parse: true },
): AsyncIterable<DoiRecord>;
export function listDois(
  client: Client,
  query: DoiQuery = {},
  options: ListOptions = {},
): AsyncIterable<Uint8Array | DoiRecord> {
  return cancellable(async function* (left) {
    for await (const page of pagesOf(client, query, options, left)) {
      for (const record of page) {
        yield given(record, options);
        options.signal?.throwIfAborted();
      }
    }
  });
}

/**
 * The records of {@link listDois} as they arrive: an array for each answer with any, of up to
 * `pageSize` of them.
 */
export function listPages(
  client: Client,
  query?: DoiQuery,
  options?: ListOptions & { readonly parse?: false | undefined },
): AsyncIterable<readonly Uint8Array[]>;
/** The parsed records as they arrive. Otherwise it is the same. */
export function listPages(
  client: Client,
  query: DoiQuery | undefined,
  options: ListOptions & { readonly parse: true },
): AsyncIterable<readonly DoiRecord[]>;
export function listPages(
  client: Client,
  query: DoiQuery = {},
  options: ListOptions = {},
): AsyncIterable<readonly (Uint8Array | DoiRecord)[]> {
  return cancellable(async function* (left) {
    for await (const page of pagesOf(client, query, options, left)) {
      const records = Array.from(page, (record) => given(record, options));
      // The last answer may be empty (service.md, P10): that is no page.
      if (records.length > 0) yield records;
    }
  });
}

/**
 * Items that a reader leaves at once. A generator alone would wait for the answer to a request,
 * which may take minutes.
 */
function cancellable<T>(
  items: (left: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncIterable<T> {
  const left = new AbortController();
  const generator = items(left.signal);
  const end = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        generator.next().catch((error: unknown) => {
          if (left.signal.aborted) return end;
          throw error;
        }),
      return: async () => {
        left.abort();
        await generator.return();
        return end;
      },
    }),
  };
}

/** The pages of a list. Their records are views of the answers, to be used before the next page. */
async function* pagesOf(
  client: Client,
  query: DoiQuery,
  options: ListOptions,
  left: AbortSignal,
): AsyncGenerator<Iterable<Buffer>, void, undefined> {
  const names = ['signal', 'parse', 'limit', 'pageSize', 'jobs'] as const;
  const { signal, limit, jobs, ...sizes } = checkedOptions(options, ...names);
  const filters = checkedFilters(query);
  const params = paramsOf(filters);
  requireCursor(params, 'a list of all records');
  const pageSize = sizes.pageSize ?? Math.min(limit ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE);
  yield* yieldAll(
    client,
    signal === undefined ? [left] : [left, signal],
    async function* (service) {
      requireReadable(service.credentials, filters);
      const list = listAll(service, params, { pageSize, limit, jobs, now: Date.now });
      yield* wholeList(list, { totals: new WalkTotals(), limit });
    },
  );
}

/** A record as the caller wants it. A view would keep its page in memory as long as the record. */
function given(record: Buffer, { parse }: ListOptions): Uint8Array | DoiRecord {
  return parse
    ? (parsedRecord(record, 'list it without parse') as unknown as DoiRecord)
    : new Uint8Array(record);
}
