import { nextCursor } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { FetchPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { MAX_REPEATED_REQUESTS } from './cursor-walk.ts';
import { incomplete, ONLY_REPEATS, RepeatGuard, type WalkedPage } from './repeat-guard.ts';
import { Totals } from './walk-totals.ts';

interface Requested {
  readonly url: URL;
  readonly page: Promise<Page>;
  abandon(): void;
}

/** Fetches pages along a cursor, the next one while the current one is used. */
export class OneAhead {
  readonly #fetch: FetchPage;
  #current: Requested | undefined;
  #ahead: Requested | undefined;

  constructor(fetch: FetchPage) {
    this.#fetch = fetch;
  }

  /**
   * Fetches the page at a cursor. @param goesOn whether to request the page after it when it is
   * there.
   */
  async fetch(
    cursor: string,
    urlOf: (cursor: string) => URL,
    retries: number | undefined,
    goesOn: boolean,
  ): Promise<Page> {
    const url = urlOf(cursor);
    this.#current = this.#request(url, retries);
    this.#ahead = undefined;
    const page = await this.#current.page;
    const next = goesOn ? nextOf(page.envelope['links'], url) : null;
    if (typeof next === 'string') this.follow(urlOf(next), retries);
    return page;
  }

  /** Requests a page before its turn. */
  follow(url: URL, retries: number | undefined): void {
    this.#request(url, retries);
  }

  abandon(): void {
    this.#current?.abandon();
    this.#ahead?.abandon();
  }

  #request(url: URL, retries: number | undefined): Requested {
    if (this.#ahead?.url.href === url.href) return this.#ahead;
    this.#ahead?.abandon();
    const abort = new AbortController();
    const page = this.#fetch(url, { signal: abort.signal, retries });
    // It may fail before anybody awaits it.
    page.catch(() => undefined);
    const abandon = () => abort.abort(new CliError('incomplete', 'the page is no longer wanted'));
    this.#ahead = { url, page, abandon };
    return this.#ahead;
  }
}

/** The cursor of the next page; undefined if the link is wrong, which the walk reports. */
export function nextOf(links: unknown, url: URL): string | null | undefined {
  try {
    return nextCursor(links, url);
  } catch {
    return undefined;
  }
}

/**
 * Walks pages by their numbers, from `first` to `last` or to the end of the list. The service's
 * links are ignored: they drop parameters, and the last page links to itself (service.md, P4, P9,
 * P12). A page with fewer records than the service counts is requested again.
 * @throws {CliError} kind `incomplete` when the service answers with another page.
 */
export async function* walkNumbered(
  fetch: FetchPage,
  urlOf: (page: number) => URL,
  { first, last, pageSize }: { first: number; last: number; pageSize: number },
): AsyncGenerator<WalkedPage> {
  const guard = new RepeatGuard(false);
  const totals = new Totals();
  for (let number = first; number <= last; number += 1) {
    const isShort = ({ count, total }: Page) => {
      totals.add(total);
      const known = total !== undefined && (number - 1) * pageSize + count >= totals.most;
      return count < pageSize && !known;
    };
    let page = await fetch(urlOf(number));
    for (let look = 1; isShort(page) && look <= MAX_REPEATED_REQUESTS; look += 1) {
      page = await fetch(urlOf(number));
    }
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
