import { CURSOR, nextPageUrl, PAGE_SIZE } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { FetchPage } from '../page/fetch-page.ts';
import { CursorWalk, type PageRequest } from './cursor-walk.ts';
import { incomplete, ONLY_REPEATS, RepeatGuard, type WalkedPage } from './repeat-guard.ts';

/**
 * Walks a list by its cursor. The next page is requested while the current one is used, and never more than
 * one ahead, so that memory is bounded and a slow reader slows the requests down.
 * @param first the request for the first page, with `page[size]` and `page[cursor]=1`.
 * @throws {CliError} kind `incomplete` after the last good page when links or pages go in circles; what makes
 *   the service unavailable, if a smaller page does not help.
 */
export async function* walkList(fetch: FetchPage, first: URL): AsyncGenerator<WalkedPage> {
  // The latest request, with the parameters that the service's links have added.
  let latest = first;
  let current: Requested | undefined;
  let ahead: Requested | undefined;
  const requestAhead = (url: URL, retries: number | undefined) => {
    if (ahead?.url.href === url.href) return ahead;
    ahead?.abandon();
    ahead = request(fetch, url, retries);
    return ahead;
  };
  const followLinks = (links: unknown, requested: URL, retries: number | undefined) => {
    try {
      const url = nextPageUrl(links, requested);
      if (url !== undefined) requestAhead(url, retries);
      return url;
    } catch {
      // The walk judges the links of the complete page, and reports them then.
      return undefined;
    }
  };
  const fetchPage = async ({ cursor, size, retries }: PageRequest) => {
    const url = new URL(latest);
    url.searchParams.set(PAGE_SIZE, String(size));
    url.searchParams.set(CURSOR, cursor);
    current = requestAhead(url, retries);
    ahead = undefined;
    void current.links.then((links) => followLinks(links, url, retries));
    const page = await current.page;
    latest = followLinks(page.envelope['links'], url, retries) ?? url;
    return { page, url };
  };
  const start = { cursor: first.searchParams.get(CURSOR), restart: null, after: null, brought: 0 };
  const pageSize = Number(first.searchParams.get(PAGE_SIZE));
  const walk = new CursorWalk({ fetch: fetchPage }, new RepeatGuard(true), pageSize, start);
  try {
    for await (const step of walk.steps()) {
      if ('page' in step) yield step.page;
    }
  } finally {
    current?.abandon();
    ahead?.abandon();
  }
}

type Requested = ReturnType<typeof request>;

/** Requests a page. Its links are known as soon as they have been read, often before the page is complete. */
function request(fetch: FetchPage, url: URL, retries: number | undefined) {
  const abort = new AbortController();
  let onLinks: (links: unknown) => void = () => undefined;
  const links = new Promise<unknown>((resolve) => {
    onLinks = resolve;
  });
  const page = fetch(url, { signal: abort.signal, retries, onLinks });
  // It may fail before anybody awaits it.
  page.catch(() => undefined);
  const abandon = () => abort.abort(new CliError('incomplete', 'the page is no longer wanted'));
  return { url, page, links, abandon };
}

/**
 * Walks pages by their numbers, from `first` to `last` or to the end of the list. The numbers are counted
 * here and the service's links are ignored: they drop parameters, and the last page links to itself
 * (service.md, P4, P9). Only numbered pages say which page they are (service.md, P12).
 * @throws {CliError} kind `incomplete` when the service answers with a page other than the requested one.
 */
export async function* walkNumbered(
  fetch: FetchPage,
  urlOf: (page: number) => URL,
  { first, last, pageSize }: { first: number; last: number; pageSize: number },
): AsyncGenerator<WalkedPage> {
  const guard = new RepeatGuard(false);
  for (let number = first; number <= last; number += 1) {
    const page = await fetch(urlOf(number));
    const walked = guard.check(page);
    if (page.count > 0 && walked.count === 0) throw incomplete(ONLY_REPEATS);
    const { page: answered } = (page.envelope['meta'] ?? {}) as { page?: unknown };
    if (typeof answered === 'number' && answered !== number && page.count > 0) {
      throw incomplete(`the service answered with page ${answered} instead of page ${number}`);
    }
    yield walked;
    // A short page is the last one, unless the service counts more records than it gave.
    const more = page.total === undefined ? page.count >= pageSize : number * pageSize < page.total;
    if (!more || page.count === 0) return;
  }
}
