import { countDois } from '../../api/dois.ts';
import { forEachLimited } from '../../concurrency/for-each.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { readPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import type { Span } from '../walk/creation-time.ts';
import { countParams, type Params, withinSpan } from '../walk/query-params.ts';
import type { WindowSource } from '../walk/window.ts';
import type { HarvestHost } from './options.ts';

/**
 * The service for the walk over one window. It keeps one page in memory at a time, and a slot of the
 * semaphore for it.
 */
export class PageSource implements WindowSource {
  readonly #service: HarvestHost['service'];
  readonly #slots: Semaphore;
  readonly #stop: { readonly signal?: AbortSignal };
  readonly now: () => number;
  /** Pages that are fetched already, by their URLs. */
  readonly #kept = new Map<string, Page>();
  readonly #ahead: PageSource | undefined;
  #release: () => void = () => undefined;

  /**
   * @param slots bounds how many pages all sources together hold in memory.
   * @param signal stops the requests of this source, in addition to the service's own signal.
   * @param ahead keeps pages for this source.
   */
  constructor(
    { service, now }: Pick<HarvestHost, 'service' | 'now'>,
    slots = new Semaphore(1),
    signal?: AbortSignal,
    ahead?: PageSource,
  ) {
    this.#service = service;
    this.#slots = slots;
    this.now = now;
    this.#ahead = ahead;
    this.#stop = signal === undefined ? {} : { signal };
  }

  /** Keeps a page for the request with these parameters. */
  keep(params: Params, page: Page): void {
    this.#kept.set(this.url(params).href, page);
  }

  /** The page that is kept for a request; only once. */
  take(params: Params): Page | undefined {
    const { href } = this.url(params);
    const page = this.#kept.get(href);
    this.#kept.delete(href);
    return page;
  }

  /** Fetches a page; the page before it is released. */
  async fetch(params: Params, retries?: number): Promise<Page> {
    this.release();
    const kept = this.#ahead?.take(params);
    if (kept !== undefined) {
      this.#release = () => kept.drop();
      return kept;
    }
    const { http } = this.#service;
    return http.call({
      method: 'GET',
      url: this.url(params),
      ...(retries === undefined ? {} : { retries }),
      ...this.#stop,
      read: async (response) => {
        // Requests wait for their answers in parallel, but an answer is unpacked only when a slot is free.
        const release = await this.#slots.acquire();
        try {
          const page = await readPage(response);
          this.#release = () => {
            page.drop();
            release();
          };
          return page;
        } catch (error) {
          release();
          throw error;
        }
      },
    });
  }

  /** Gives back the slot of the last page, which cannot be used any more. */
  release(): void {
    this.#release();
    this.#release = () => undefined;
  }

  url(params: Params): URL {
    return this.#service.http.url('/dois', params);
  }

  /** @throws {CliError} kind `unexpected` when the answer contains no count. */
  count(params: Params): Promise<number> {
    return countDois(this.#service, countParams(params), this.#stop);
  }

  /** The counts of several spans of a query, in their order; asks for at most `jobs` at once. */
  async counts(
    params: Params,
    spans: readonly Span[],
    clauses: readonly string[],
    jobs: number,
  ): Promise<number[]> {
    const counts: number[] = [];
    await forEachLimited(spans.entries(), jobs, async ([index, span]) => {
      counts[index] = await this.count(withinSpan(params, span, ...clauses));
    });
    return counts;
  }
}
