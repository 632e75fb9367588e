import { countDois } from '../../api/dois.ts';
import type { Service } from '../../api/service.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { readPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { countParams, type Params } from '../walk/query-params.ts';
import type { WindowSource } from '../walk/window.ts';

/** The service for the walk over one window: of its pages one is held at a time, and only so many of all windows'. */
export class PageSource implements WindowSource {
  readonly #service: Service;
  readonly #slots: Semaphore;
  readonly #signal: AbortSignal | undefined;
  readonly now: () => number;
  #release: () => void = () => undefined;

  /** @param signal stops its requests, besides what stops all of the service's. */
  constructor(service: Service, slots: Semaphore, now: () => number, signal?: AbortSignal) {
    this.#signal = signal;
    this.#service = service;
    this.#slots = slots;
    this.now = now;
  }

  /** The page before is no longer needed once the next one is asked for. */
  async fetch(params: Params, retries?: number): Promise<Page> {
    this.release();
    const { http, caller } = this.#service;
    return http.call({
      method: 'GET',
      url: this.url(params),
      ...(retries === undefined ? {} : { retries }),
      ...this.#stop(),
      inspect: (response) => caller.check(response),
      read: async (response) => {
        // Waits for its answer side by side with others, but is not unpacked before there is room for it.
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

  /** Gives back the room of the last page, which cannot be used any more. */
  release(): void {
    this.#release();
    this.#release = () => undefined;
  }

  url(params: Params): URL {
    return this.#service.http.url('/dois', params);
  }

  #stop(): { readonly signal?: AbortSignal } {
    return this.#signal === undefined ? {} : { signal: this.#signal };
  }

  /** @throws {CliError} kind `unexpected` when the answer holds no count. */
  count(params: Params): Promise<number> {
    return countDois(this.#service, countParams(params), this.#stop());
  }

  /** The counts of several queries, in their order; so many are asked for at once. */
  async counts(queries: readonly Params[], atOnce: number): Promise<number[]> {
    const slots = new Semaphore(atOnce);
    return Promise.all(
      queries.map(async (params) => {
        const release = await slots.acquire();
        return this.count(params).finally(release);
      }),
    );
  }
}
