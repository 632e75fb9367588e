import { setMaxListeners } from 'node:events';
import type { SmallerPages } from '../../api/http/http.ts';
import type { RateLimiter } from '../../api/http/rate-limiter.ts';
import { type FetchPage, nextOf, PagePrefetcher } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import {
  ALL_TIME,
  endsBefore,
  isWithin,
  numbersOf,
  type Span,
  understandsTimes,
} from '../walk/creation-time.ts';
import { CursorWalk, type PageRequest } from '../walk/cursor-walk.ts';
import {
  isCuttable,
  type Params,
  pageParams,
  withinSpan,
  withYears,
} from '../walk/query-params.ts';
import { incomplete, RepeatGuard, type WalkedPage } from '../walk/repeat-guard.ts';
import { Density, yearCounts } from '../windows/density.ts';
import { JobLimit } from '../windows/job-limit.ts';
import { secondAfter } from '../windows/window.ts';
import { type FetchPacked, unpackPage } from './packed-page.ts';
import { PagesAhead } from './pages-ahead.ts';

// With fewer pages left, one cursor is enough.
const LEAST_PAGES = 5;
// Above this share of the rate limit, use one cursor.
const MOST_USED_SHARE = 0.5;

interface ListSource {
  readonly params: Params;
  readonly pageSize: number;
  readonly fetch: FetchPage;
  readonly fetchPacked: FetchPacked;
  /** Checks a page that {@link fetchPacked} has fetched, as {@link fetch} does. */
  check(page: Page): Page;
  url(params: Params): URL;
  count(params: Params, signal: AbortSignal): Promise<number>;
  /** Counts the whole list. */
  countAll(): Promise<number>;
  readonly smallerPages?: SmallerPages;
  readonly rateLimiter: RateLimiter;
  readonly jobs: number;
  /** The most bytes of prefetched pages, compressed. */
  readonly mostBytes: number;
  now(): number;
}

/**
 * Walks a list by its cursor. Where one cursor is slower than the rate limit, the list is cut into
 * windows of creation time, whose pages are prefetched. The walk still takes one window after the
 * other and checks every page, with the same guard. Where the service does not select by creation
 * time, one cursor continues from the latest record.
 * @throws {CliError} kind `incomplete` after the last good page when links or pages go in circles.
 */
export async function* walkList(list: ListSource): AsyncGenerator<WalkedPage> {
  const walk = new ListWalk(list);
  try {
    yield* walk.pages();
  } finally {
    walk.stop();
  }
}

interface Fetched {
  readonly page: Page;
  readonly asked: Span;
}

class ListWalk {
  readonly #list: ListSource;
  readonly #pages: PagePrefetcher;
  readonly #jobs: JobLimit;
  readonly #stop = new AbortController();
  #mayCut: boolean;
  #ahead: PagesAhead | undefined;
  /** Whether the service understands windows. Until it resolves, no page of a window is used. */
  #understood: Promise<boolean> = Promise.resolve(true);
  /** The span of the walk with one cursor. */
  #span: Span = ALL_TIME;
  /** The span in the request for the page before. */
  #asked: Span = ALL_TIME;
  /** About how many records of the window the walk has received. */
  #received = 0;
  /** The service's count of the whole list, from the first cut on. */
  #listTotal: number | undefined;
  #years: ReturnType<typeof yearCounts> = [];
  /** The counts of empty windows, by their ends. The walk believes no empty page alone. */
  readonly #emptyCounts = new Map<Span['to'], Promise<number>>();

  constructor(list: ListSource) {
    this.#list = list;
    // Each count of an empty window listens to it.
    setMaxListeners(0, this.#stop.signal);
    this.#jobs = new JobLimit(list.jobs, list.rateLimiter.current);
    const onTime = (ms: number) => this.#jobs.note(ms);
    this.#pages = new PagePrefetcher((url, options) => list.fetch(url, { ...options, onTime }));
    this.#mayCut = list.jobs > 1 && isCuttable(list.params);
  }

  async *pages(): AsyncGenerator<WalkedPage> {
    const guard = new RepeatGuard(true);
    const start = { cursor: '1', restart: null, after: null, received: 0 };
    for (;;) {
      const port = {
        smallerPages: this.#list.smallerPages,
        fetch: (request: PageRequest) => this.#fetch(request),
        count: () => this.#countWindow(),
      };
      for await (const step of new CursorWalk(port, guard, this.#list.pageSize, start).steps()) {
        if ('page' in step) yield { ...step.page, listTotal: this.#listTotal };
      }
      if (this.#ahead?.advance() !== true) return;
      const { from, to } = this.#ahead.window;
      this.#asked = { from, to };
      this.#received = 0;
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#pages.abandon();
    this.#ahead?.stop();
  }

  /** The span of the window that is being walked. Cuts move its end. */
  get #window(): Span {
    return this.#ahead?.window ?? this.#span;
  }

  async #fetch(request: PageRequest): Promise<{ page: Page; url: URL; narrowed: boolean }> {
    const { cursor, size } = request;
    for (;;) {
      const ahead = await this.#takePrefetched(request);
      // A service that refuses the clause of a window does not get it again.
      if (ahead === undefined && this.#window.to !== null && !(await this.#understood))
        this.#useOneCursor();
      const { page, asked } = ahead ?? (await this.#fetchNow(request));
      const url = this.#url(asked, cursor, size);
      const next = nextOf(page.envelope['links'], url);
      const isRight =
        isWithin(page, this.#window) && (asked.to === null || (await this.#understood));
      if (isRight || this.#ahead === undefined) {
        if (!isRight) throw incomplete('the service sent a record of another time than asked for');
        const narrowed = asked.to !== this.#asked.to;
        this.#asked = { from: asked.from, to: asked.to };
        this.#received += page.count;
        this.#afterPage(page, next, request);
        return { page, url, narrowed };
      }
      this.#useOneCursor();
    }
  }

  async #takePrefetched({ cursor, size }: PageRequest): Promise<Fetched | undefined> {
    const taken = await this.#ahead?.take(cursor, size);
    if (taken === undefined) return undefined;
    const { answer, packed } = taken;
    // Records may have been added since the end of the list was requested.
    if (packed.isLast && answer.span.to === null && !answer.isAfterAll) return undefined;
    const page = unpackPage(packed);
    return {
      page: isWithin(page, this.#window) ? this.#list.check(page) : page,
      asked: answer.span,
    };
  }

  async #fetchNow({ cursor, size, retries }: PageRequest): Promise<Fetched> {
    for (;;) {
      const { from, to } = this.#window;
      // If a cut may follow the page, the next page would be requested in vain.
      const prefetch = this.#ahead === undefined && !this.#mayCutAfter(cursor);
      const urlOf = (at: string) => this.#url({ from, to }, at, size);
      const page = await this.#pages.fetch(cursor, urlOf, retries, prefetch);
      const next = nextOf(page.envelope['links'], urlOf(cursor));
      // If the window was cut within the page, its later records belong to another window.
      if (to === this.#window.to || endsBefore(page, next, this.#window))
        return { page, asked: { from, to } };
    }
  }

  #afterPage(
    page: Page,
    next: string | null | undefined,
    { cursor, size, retries }: PageRequest,
  ): void {
    if (cursor === '1' && this.#window.from === null)
      this.#years = yearCounts(page.envelope['meta']);
    const isFull = size === this.#list.pageSize && page.count === size;
    if (this.#ahead !== undefined) {
      if (isFull && next !== undefined)
        this.#ahead.resume(next, numbersOf(page, next, this.#asked), this.#received);
    } else if (typeof next === 'string' && this.#mayCutAfter(cursor)) {
      if (isFull && this.#isWorthwhile(page.total)) this.#startPrefetching(page, next);
      else this.#pages.prefetch(this.#url(this.#window, next, size), retries);
    }
    this.#ahead?.pageTaken();
  }

  #mayCutAfter(cursor: string): boolean {
    return this.#mayCut && (cursor === '1' || this.#jobs.isWorthwhile);
  }

  #isWorthwhile(total: number | undefined): boolean {
    const pages = ((total ?? 0) - this.#received) / this.#list.pageSize;
    return (
      pages >= LEAST_PAGES &&
      this.#jobs.isWorthwhile &&
      this.#list.rateLimiter.used < MOST_USED_SHARE
    );
  }

  #startPrefetching(page: Page, next: string): void {
    const { total = 0 } = page;
    const list = this.#list;
    const numbers = numbersOf(page, next, ALL_TIME);
    this.#mayCut = false;
    // Without times, there is nothing to cut by.
    if (Number.isNaN(numbers.last)) return;
    this.#jobs.start();
    this.#listTotal = total;
    const oldest = Number.isNaN(numbers.first) ? undefined : numbers.first;
    this.#ahead = new PagesAhead({
      ...list,
      fetch: list.fetchPacked,
      url: (span, cursor, size) => this.#url(span, cursor, size),
      onEmpty: (span) => this.#countEmpty(span),
      jobs: this.#jobs,
      density: new Density({ total, years: this.#years, oldest, now: list.now() }),
      total,
    });
    const count = (span: Span) => this.#count(span);
    this.#understood = understandsTimes(count, secondAfter(numbers.last), total).catch(() => false);
    this.#ahead.resume(next, numbers, this.#received);
  }

  /** Continues with one cursor, which without the end of its window reaches all that is left. */
  #useOneCursor(): void {
    this.#span = { from: this.#window.from, to: null };
    this.#ahead?.stop();
    this.#ahead = undefined;
    this.#understood = Promise.resolve(true);
  }

  #url(span: Span, cursor: string, size: number): URL {
    const { params } = this.#list;
    const isStart = cursor === '1' && span.from === null && this.#list.jobs > 1;
    return this.#list.url(
      pageParams(within(isStart ? withYears(params) : params, span), cursor, size),
    );
  }

  /** Counts a window whose page is empty long before the walk reaches it. */
  #countEmpty(span: Span): void {
    const counted = this.#count(span);
    counted.catch(() => undefined);
    this.#emptyCounts.set(span.to, counted);
  }

  #countWindow(): Promise<number> {
    const { from, to } = this.#window;
    const counted = this.#emptyCounts.get(to);
    this.#emptyCounts.delete(to);
    if (counted !== undefined) return counted.catch(() => this.#count({ from, to }));
    return from === null && to === null ? this.#list.countAll() : this.#count({ from, to });
  }

  #count(span: Span): Promise<number> {
    return this.#list.count(within(this.#list.params, span), this.#stop.signal);
  }
}

function within(params: Params, span: Span): Params {
  return span.from === null && span.to === null ? params : withinSpan(params, span);
}
