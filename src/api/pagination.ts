import { CliError } from '../errors.ts';
import { MAX_SMALL_BYTES, readJson } from './http/body.ts';
import type { Call } from './http/call.ts';
import { serviceMessage } from './http/error-response.ts';
import type { Http } from './http/http.ts';

export const CURSOR = 'page[cursor]';
export const PAGE_SIZE = 'page[size]';

// Cursors are kept in memory; they contain a time and a DOI (service.md, P7).
const MAX_CURSOR_LENGTH = 4000;
/** Page numbers reach the first 10,000 records (service.md, P3). */
const NUMBERED_REACH = 10_000;

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
  const cursor = next.searchParams.get(CURSOR);
  if (!cursor) throw new CliError('incomplete', 'the link to the next page has no cursor');
  if (cursor.length > MAX_CURSOR_LENGTH) {
    throw new CliError(
      'incomplete',
      `the link to the next page has a cursor of ${cursor.length} characters`,
    );
  }
  return cursor;
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
export async function countDois(
  { http }: { readonly http: Http },
  params: Iterable<readonly [name: string, value: string]>,
  options: Pick<Call<unknown>, 'signal'> = {},
): Promise<number> {
  const document = await http.call({
    method: 'GET',
    url: http.url('/dois', params),
    ...options,
    read: (response) => readJson(response, MAX_SMALL_BYTES),
  });
  const message = document['data'] === undefined ? serviceMessage(document, http.mask) : undefined;
  if (message !== undefined) throw new CliError('rejected', message);
  const total = totalIn(document['meta']);
  if (total === undefined) {
    throw new CliError('unexpected', 'the service gave no usable count of DOIs (meta.total)', {
      hint: 'check --base-url',
    });
  }
  return total;
}
