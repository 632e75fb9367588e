import type { SmallerPages } from '../../api/http/http.ts';
import { countDois } from '../../api/pagination.ts';
import { forEachLimited, Semaphore } from '../../concurrency/promises.ts';
import { readPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import type { Span } from '../walk/creation-time.ts';
import { countParams, type Params, withinSpan } from '../walk/query-params.ts';
import type { WindowSource } from '../walk/walk-step.ts';
import type { HarvestHost } from './options.ts';

// Of one source, however many jobs a run has: their number follows the time of pages.
const COUNTS_AT_ONCE = 10;

/** Fetches the pages of one window. A page in memory occupies a slot of the semaphore. */
export class PageSource implements WindowSource {
  readonly #service: HarvestHost['service'];
  readonly #slots: Semaphore;
  readonly #counting = new Semaphore(COUNTS_AT_ONCE);
  readonly #signal: AbortSignal | undefined;
  readonly now: () => number;
  readonly #kept: Map<string, { readonly page: Page; readonly ms: number }>;
  readonly #onTime: ((ms: number) => void) | undefined;
  #release: () => void = () => undefined;

  /**
   * @param slots limits the pages that all sources together have in memory.
   * @param signal stops the requests of this source, in addition to the service's own signal.
   * @param ahead a source whose kept pages this one may use.
   * @param onTime called with the time that the service took for a page, in milliseconds.
   */
  constructor(
    { service, now }: Pick<HarvestHost, 'service' | 'now'>,
    slots = new Semaphore(1),
    signal?: AbortSignal,
    ahead?: PageSource,
    onTime?: (ms: number) => void,
  ) {
    this.#service = service;
    this.#slots = slots;
    this.now = now;
    this.#kept = ahead === undefined ? new Map() : ahead.#kept;
    this.#onTime = onTime;
    this.#signal = signal;
  }

  get smallerPages(): SmallerPages {
    return this.#service.http.smallerPages;
  }

  /** Keeps a page for a later fetch. @param ms the time that the service took for it. */
  keep(params: Params, page: Page, ms: number): void {
    this.#kept.set(this.url(params).href, { page, ms });
  }

  /** Releases the previous page and fetches one. */
  async fetch(params: Params, retries?: number): Promise<Page> {
    this.release();
    const url = this.url(params);
    const kept = this.#kept.get(url.href);
    if (kept !== undefined) {
      this.#kept.delete(url.href);
      this.#release = () => kept.page.drop();
      this.#onTime?.(kept.ms);
      return kept.page;
    }
    const { http } = this.#service;
    let readMs = 0;
    return http.call({
      method: 'GET',
      url,
      retries,
      signal: this.#signal,
      // Without the time for reading: a busy machine is no reason to send fewer requests.
      onTime: (ms) => this.#onTime?.(ms - readMs),
      read: async (response) => {
        const begin = this.now();
        // Requests wait for answers in parallel, but an answer is unpacked only in a free slot.
        const release = await this.#slots.acquire();
        try {
          const page = await readPage(response);
          readMs = this.now() - begin;
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

  release(): void {
    this.#release();
    this.#release = () => undefined;
  }

  url(params: Params): URL {
    return this.#service.http.url('/dois', params);
  }

  /** @throws {CliError} kind `unexpected` when the answer contains no count. */
  count(params: Params): Promise<number> {
    return this.#counting.run(() =>
      countDois(this.#service, countParams(params), { signal: this.#signal }),
    );
  }

  /** The counts of several spans of a query, in their order; at most `jobs` requests at once. */
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
