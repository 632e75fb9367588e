import { CliError } from '../errors.ts';
import { MAX_SMALL_BYTES, readJson } from './http/body.ts';
import type { Call } from './http/call.ts';
import { serviceMessage } from './http/error-response.ts';
import type { Http } from './http/http.ts';

export const CURSOR = 'page[cursor]';
export const PAGE_SIZE = 'page[size]';
export const PAGE_NUMBER = 'page[number]';

// Cursors are kept in memory; they contain a time and a DOI (service.md, P7).
const MAX_CURSOR_LENGTH = 4000;
/** Page numbers reach the first 10,000 records (service.md, P3). */
export const NUMBERED_REACH = 10_000;

/**
 * The last page number at a page size; beyond it the service repeats that page (service.md, P4).
 */
export function lastReachablePage(pageSize: number): number {
  return pageSize === 0 ? Number.MAX_SAFE_INTEGER : Math.floor(NUMBERED_REACH / pageSize);
}

/**
 * The service's count in a document's `meta`; undefined unless `meta.total` is a whole number of at
 * least 0.
 */
export function totalIn(meta: unknown): number | undefined {
  const { total } = (meta ?? {}) as { total?: unknown };
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : undefined;
}

/**
 * The cursor of `links.next`, unaltered (service.md, P7); null on the last page. The rest of the
 * link is not used: it loses parameters of the request (service.md, P9). @throws {CliError} kind
 * `incomplete` when the link leaves the host or has no cursor.
 */
export function nextCursor(links: unknown, requested: URL): string | null {
  return nextPage(links, requested, [CURSOR])?.[1] ?? null;
}

/**
 * The parameter of `links.next` that leads to the next page, as {@link nextCursor}.
 * @param names of the parameters that may lead there.
 */
export function nextPage(
  links: unknown,
  requested: URL,
  names: readonly string[],
): readonly [name: string, value: string] | null {
  const link = (links as { next?: unknown } | null | undefined)?.next ?? '';
  if (link === '') return null;
  if (typeof link !== 'string' || !URL.canParse(link, requested.href)) {
    throw new CliError('incomplete', 'the service sent a link to the next page that is not a URL');
  }
  const next = new URL(link, requested);
  // Behind a proxy the link may begin with http (service.md, P11), but never has another host or
  // port.
  if (next.host !== requested.host || !/^https?:$/.test(next.protocol)) {
    const message =
      `the link to the next page leads to another host, ${next.origin};` +
      ' nothing was sent there';
    throw new CliError('incomplete', message, { hint: 'check --base-url' });
  }
  const name = names.find((each) => next.searchParams.get(each));
  const value = next.searchParams.get(name ?? '');
  if (name === undefined || value === null) {
    const what = names.length === 1 ? 'no cursor' : 'neither a cursor nor a page number';
    throw new CliError('incomplete', `the link to the next page has ${what}`);
  }
  if (value.length > MAX_CURSOR_LENGTH) {
    const problem = `has a cursor of ${value.length} characters`;
    throw new CliError('incomplete', `the link to the next page ${problem}`);
  }
  return [name, value];
}

/**
 * The position in a cursor: milliseconds, and the DOI in lower case; undefined if it is unreadable.
 */
export function positionOf(
  cursor: string,
): { readonly created: number; readonly doi: string } | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, created, doi] = /^(\d{1,15}),(10\..+)$/.exec(text) ?? [];
  return created === undefined || doi === undefined
    ? undefined
    : { created: Number(created), doi: doi.toLowerCase() };
}

/**
 * The service's count of the DOIs that a query matches (service.md, P2).
 * @throws {CliError} kind `rejected` if it refuses the query, `unexpected` without a usable count.
 */
export function countDois(
  { http }: { readonly http: Http },
  params: Iterable<readonly [name: string, value: string]>,
  options: Pick<Call<unknown>, 'signal'> = {},
): Promise<number> {
  return countAt(http, http.url('/dois', params), 'DOI', options);
}

/** The service's count of the records of any list, as {@link countDois}. */
export async function countAt(
  http: Http,
  url: URL,
  noun: string,
  options: Pick<Call<unknown>, 'signal'> = {},
): Promise<number> {
  const document = await http.call({
    method: 'GET',
    url,
    ...options,
    read: (response) => readJson(response, MAX_SMALL_BYTES),
  });
  const message = document['data'] === undefined ? serviceMessage(document, http.mask) : undefined;
  if (message !== undefined) throw new CliError('rejected', message);
  const total = totalIn(document['meta']);
  if (total === undefined) {
    throw new CliError('unexpected', `the service gave no usable count of ${noun}s (meta.total)`, {
      hint: 'check --base-url',
    });
  }
  return total;
}
