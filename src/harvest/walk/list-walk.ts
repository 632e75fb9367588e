import { CURSOR, nextPageUrl, PAGE_SIZE } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { FetchPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
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
  let current: Prefetch | undefined;
  const fetchPage = async ({ cursor, size, retries }: PageRequest) => {
    const url = new URL(latest);
    url.searchParams.set(PAGE_SIZE, String(size));
    url.searchParams.set(CURSOR, cursor);
    current = current?.follow(url, retries) ?? new Prefetch(fetch, url, retries);
    const { page, next } = await current.lead();
    latest = next ?? url;
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
  }
}

/** A requested page. Once it leads, it requests the next one as soon as its links have been read. */
class Prefetch {
  readonly url: URL;
  readonly #fetch: FetchPage;
  readonly #retries: number | undefined;
  readonly #abort = new AbortController();
  readonly #page: Promise<Page>;
  #links: unknown;
  #leading = false;
  #next: Prefetch | undefined;

  constructor(fetch: FetchPage, url: URL, retries: number | undefined) {
    this.#fetch = fetch;
    this.url = url;
    this.#retries = retries;
    const onLinks = (links: unknown) => {
      this.#links = links;
      if (this.#leading) this.#followLinks();
    };
    this.#page = fetch(url, { signal: this.#abort.signal, retries, onLinks });
    // It may fail before anybody awaits it.
    this.#page.catch(() => undefined);
  }

  /** Waits for the page, and requests the next one. Returns its URL too, if the link to it is right. */
  async lead(): Promise<{ page: Page; next: URL | undefined }> {
    this.#leading = true;
    this.#followLinks();
    const page = await this.#page;
    this.#links = page.envelope['links'];
    return { page, next: this.#followLinks() };
  }

  /** The page at `url`, requested now unless it has been. */
  follow(url: URL, retries: number | undefined): Prefetch {
    if (this.#next?.url.href !== url.href) {
      this.#next?.abandon();
      this.#next = new Prefetch(this.#fetch, url, retries);
    }
    return this.#next;
  }

  /** Aborts the requests for this page and the next one. */
  abandon(): void {
    this.#abort.abort(new CliError('incomplete', 'the page is no longer wanted'));
    this.#next?.abandon();
  }

  #followLinks(): URL | undefined {
    try {
      const url = nextPageUrl(this.#links, this.url);
      if (url !== undefined) this.follow(url, this.#retries);
      return url;
    } catch {
      // The walk judges the links of the complete page, and reports them then.
      return undefined;
    }
  }
}

/**
 * Walks pages by their numbers, from `first` to `last` or to the end of the list. The numbers are counted
 * here and the service's links are ignored: they drop parameters, and the last page links to itself
 * (observed).
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
