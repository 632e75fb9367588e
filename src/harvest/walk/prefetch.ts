import { nextPageUrl } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { FetchPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';

/** A requested page. Once it leads, it requests the next one as soon as its links have been read. */
export class Prefetch {
  readonly url: URL;
  readonly #fetch: FetchPage;
  readonly #retries: number | undefined;
  readonly #abort = new AbortController();
  readonly #result: Promise<{ page: Page } | { error: unknown }>;
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
    // Both outcomes are values, because a page may fail before anybody awaits it.
    this.#result = fetch(url, { signal: this.#abort.signal, retries, onLinks }).then(
      (page) => ({ page }),
      (error: unknown) => ({ error }),
    );
  }

  /**
   * Makes this the leading page, and waits for it.
   * @returns the page, and the URL of the next one, which has been requested, if the link to it is right.
   */
  async lead(): Promise<{ page: Page; next: URL | undefined }> {
    this.#leading = true;
    this.#followLinks();
    const result = await this.#result;
    if ('error' in result) throw result.error;
    this.#links = result.page.envelope['links'];
    return { page: result.page, next: this.#followLinks() };
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
