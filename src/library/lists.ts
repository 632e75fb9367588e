import { MAX_PAGE_SIZE } from '../core/defaults.ts';
import { type DoiQuery, paramsOf, requireCursor, requireReadable } from '../core/filters.ts';
import { listAll, wholeList } from '../core/list.ts';
import { parsedRecord } from '../harvest/page/parsed-record.ts';
import { WalkTotals } from '../harvest/walk/walk-totals.ts';
import { queryFilters, requireNumbers } from './arguments.ts';
import { type CallOptions, type Client, readAll } from './client.ts';
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
 * newline, in the spelling of the service.
 *
 * Records arrive while others are used; a slow reader slows the requests down, and `break` stops
 * them. The list ends without an error only if it has as many records as the service counts.
 * @throws {DoiCliError} during the iteration: kind `usage` before any request; `incomplete` when
 *   records are missing or do not match the query; `credentials`, `unavailable` or `throttled`.
 */
export function listDois(
  client: Client,
  query?: DoiQuery,
  options?: ListOptions & { readonly parse?: false | undefined },
): AsyncIterable<Uint8Array>;
/** The same records, parsed. */
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
    const list = checkedList(query, options);
    for await (const page of pagesOf(client, list, left)) {
      for (const record of page) {
        yield copyOf(record, list);
        list.signal?.throwIfAborted();
      }
    }
  });
}

/** The records of {@link listDois} as arrays of up to `pageSize`, as they arrive. */
export function listPages(
  client: Client,
  query?: DoiQuery,
  options?: ListOptions & { readonly parse?: false | undefined },
): AsyncIterable<readonly Uint8Array[]>;
/** The same records, parsed. */
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
    const list = checkedList(query, options);
    for await (const page of pagesOf(client, list, left)) {
      const records = Array.from(page, (record) => copyOf(record, list));
      // The last answer may be empty (service.md, P10): that is no page.
      if (records.length > 0) yield records;
    }
  });
}

/**
 * Items whose reader can leave at once. A generator alone would wait for the answer to a request,
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

type CheckedList = ReturnType<typeof checkedList>;

/** @throws {CliError} kind `usage` for an option or a filter that cannot be used. */
function checkedList(query: DoiQuery, options: ListOptions) {
  requireNumbers(options);
  const filters = queryFilters(query);
  const params = paramsOf(filters);
  requireCursor(params, 'a list of all records');
  return { ...options, filters, params };
}

/** The pages of a list. Their records are views of the answers, to be used before the next page. */
function pagesOf(
  client: Client,
  { signal, filters, params, limit, jobs, pageSize: size }: CheckedList,
  left: AbortSignal,
): AsyncGenerator<Iterable<Buffer>, void, undefined> {
  const pageSize = size ?? Math.min(limit ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE);
  const signals = signal === undefined ? [left] : [left, signal];
  return readAll(client, signals, async function* (service) {
    requireReadable(service.credentials, filters);
    const list = listAll(service, params, { pageSize, limit, jobs, now: Date.now });
    yield* wholeList(list, { totals: new WalkTotals(), limit });
  });
}

/** A copy of a record: a view would keep its whole page in memory. */
function copyOf(record: Buffer, { parse }: CheckedList): Uint8Array | DoiRecord {
  return parse
    ? (parsedRecord(record, 'list it without parse') as unknown as DoiRecord)
    : new Uint8Array(record);
}
