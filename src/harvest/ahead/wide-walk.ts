import { setMaxListeners } from 'node:events';
import type { RateLimiter } from '../../api/http/rate-limiter.ts';
import { JobLimit } from '../../concurrency/job-limit.ts';
import type { FetchPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { Timeline, yearCounts } from '../plan/timeline.ts';
import { ALL_TIME, createdOf, type Span } from '../walk/creation-time.ts';
import { CursorWalk, type PageRequest } from '../walk/cursor-walk.ts';
import { nextOf, OneAhead } from '../walk/list-walk.ts';
import { type Params, pageParams, withinSpan, withYears } from '../walk/query-params.ts';
import { incomplete, RepeatGuard, type WalkedPage } from '../walk/repeat-guard.ts';
import { Cuts } from './cuts.ts';
import { type FetchPacked, unpackPage } from './packed-page.ts';
import { isCuttable, isWithin, lastTime } from './page-span.ts';
import { Prefetch } from './prefetch.ts';
import { Segment } from './segment.ts';

interface WideList {
  readonly params: Params;
  readonly pageSize: number;
  readonly fetch: FetchPage;
  readonly fetchPacked: FetchPacked;
  /** Checks a page that {@link fetchPacked} has fetched, as {@link fetch} does. */
  check(page: Page): Page;
  url(params: Params): URL;
  count(params: Params, signal: AbortSignal): Promise<number>;
  /** The service's count of the whole list. */
  countAll(): Promise<number>;
  readonly rateLimiter: RateLimiter;
  readonly jobs: number;
  /** The most bytes of pages that wait for their turn, compressed. */
  readonly mostBytes: number;
  now(): number;
}

// Fewer pages are not worth it.
const LEAST_PAGES = 5;
// Of the rate: with less left, requests that are paced would have to wait for the window.
const MOST_USED = 0.5;

/**
 * Walks a list by its cursor. The next page is requested while the current one is used. Where several cursors
 * reach the rate limit and one does not, the list is cut into segments of creation time, whose pages are requested
 * before their turn. One walk after the other still judges every page, with the same guard against repeats and wrong
 * order; where the service does not select by creation time as it should, one cursor goes on from the latest record.
 * @throws {CliError} kind `incomplete` after the last good page when links or pages go in circles; what makes
 *   the service unavailable, if a smaller page does not help.
 */
export async function* walkWide(list: WideList): AsyncGenerator<WalkedPage> {
  const walk = new WideWalk(list);
  try {
    yield* walk.pages();
  } finally {
    walk.stop();
  }
}

interface Fetched {
  readonly page: Page;
  readonly asked: Span;
  /** Whether the bytes seem to say that the page holds other records. */
  readonly isOutside: boolean;
}

class WideWalk {
  readonly #list: WideList;
  readonly #source: OneAhead;
  readonly #jobs: JobLimit;
  readonly #stop = new AbortController();
  #mayWiden: boolean;
  #prefetch: Prefetch | undefined;
  #segment = new Segment(ALL_TIME);
  /** What the page before was asked for. */
  #asked: Span = ALL_TIME;
  /** About how many records of the segment the walk has. */
  #brought = 0;
  /** The service's count of the whole list; set once the list was cut. */
  #listTotal: number | undefined;
  #years: ReturnType<typeof yearCounts> = [];

  constructor(list: WideList) {
    this.#list = list;
    // Every page that is unpacked listens to it.
    setMaxListeners(0, this.#stop.signal);
    this.#jobs = new JobLimit(list.jobs, list.rateLimiter.current);
    const onTime = (ms: number) => this.#jobs.note(ms);
    this.#source = new OneAhead((url, options) => list.fetch(url, { ...options, onTime }));
    this.#mayWiden = list.jobs > 1 && isCuttable(list.params);
  }

  async *pages(): AsyncGenerator<WalkedPage> {
    const guard = new RepeatGuard(true);
    const start = { cursor: '1', restart: null, after: null, brought: 0 };
    for (;;) {
      const port = {
        fetch: (request: PageRequest) => this.#fetch(request),
        count: () => this.#countSegment(),
      };
      for await (const step of new CursorWalk(port, guard, this.#list.pageSize, start).steps()) {
        if (!('page' in step)) continue;
        yield this.#listTotal === undefined ? step.page : { ...step.page, listTotal: this.#listTotal };
      }
      const next = this.#prefetch?.following;
      if (next === undefined) return;
      this.#prefetch?.advance();
      this.#segment = next;
      this.#asked = next.span;
      this.#brought = 0;
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#source.abandon();
    this.#prefetch?.stop();
  }

  async #fetch(request: PageRequest): Promise<{ page: Page; url: URL; narrowed: boolean }> {
    const segment = this.#segment;
    const { cursor, size } = request;
    for (;;) {
      const { page, asked, isOutside } = (await this.#fromAhead(request)) ?? (await this.#directly(request));
      const url = this.#url(asked, cursor, size);
      const next = nextOf(page.envelope['links'], url);
      const isRight = !isOutside && isWithin(page, segment.span) && (await this.#mayPass(next));
      if (isRight || this.#prefetch === undefined) {
        if (!isRight) throw incomplete('the service sent a record of another time than asked for');
        const narrowed = asked.to !== this.#asked.to;
        this.#asked = asked;
        this.#brought += page.count;
        this.#goOn(page, next, request);
        return { page, url, narrowed };
      }
      this.#goSingle();
    }
  }

  /** A page that was asked for before its turn; undefined if there is none that can be used. */
  async #fromAhead({ cursor, size }: PageRequest): Promise<Fetched | undefined> {
    const taken = await this.#prefetch?.take(cursor, size);
    if (taken === undefined) return undefined;
    const { answer, packed } = taken;
    const { from, to } = this.#segment.span;
    // Since the end of the list was asked for, records may have been added to it.
    const isEnd = to === null && packed.next === null;
    if (isEnd && this.#prefetch?.isEndLate !== true) return undefined;
    const page = await unpackPage(packed, this.#stop.signal).catch(() => undefined);
    if (page === undefined || page.kind !== 'list') return undefined;
    const isOutside =
      packed.last < (from ?? Number.NEGATIVE_INFINITY) ||
      packed.last >= (to ?? Number.POSITIVE_INFINITY) ||
      (await answer.check?.settled) === false;
    return { page: isOutside ? page : this.#list.check(page), asked: answer.span, isOutside };
  }

  async #directly({ cursor, size, retries }: PageRequest): Promise<Fetched> {
    const { span, check } = this.#segment;
    // The page after one that may be followed by a cut would be asked for in vain.
    const goesOn = this.#prefetch === undefined && !this.#mayWidenAfter(cursor);
    const urlOf = (at: string) => this.#url(span, at, size);
    const { page } = await this.#source.fetch(cursor, urlOf, retries, goesOn);
    return { page, asked: span, isOutside: (await check?.settled) === false };
  }

  /** Whether the walk may use a page: at the end of a segment, only when the next one is what it should be. */
  async #mayPass(next: string | null | undefined): Promise<boolean> {
    const following = this.#prefetch?.following;
    if (next !== null || following === undefined) return true;
    return (await following.origin?.settled) !== false;
  }

  #goOn(page: Page, next: string | null | undefined, { cursor, size, retries }: PageRequest): void {
    if (cursor === '1' && this.#segment.span === ALL_TIME) this.#years = yearCounts(page.envelope['meta']);
    const isFull = size === this.#list.pageSize && page.count === size;
    if (this.#prefetch !== undefined) {
      if (isFull && next !== undefined) this.#prefetch.resume(next, lastTime(page, next), this.#brought);
    } else if (typeof next === 'string' && this.#mayWidenAfter(cursor)) {
      if (isFull && this.#isWorthwhile(page.total)) this.#widen(page, next);
      else this.#source.follow(this.#url(this.#segment.span, next, size), retries);
    }
    this.#prefetch?.handOver();
  }

  #mayWidenAfter(cursor: string): boolean {
    return this.#mayWiden && (cursor === '1' || this.#jobs.isWorthwhile);
  }

  #isWorthwhile(total: number | undefined): boolean {
    const pages = ((total ?? 0) - this.#brought) / this.#list.pageSize;
    return pages >= LEAST_PAGES && this.#jobs.isWorthwhile && this.#list.rateLimiter.used < MOST_USED;
  }

  #widen(page: Page, next: string): void {
    const { total = 0 } = page;
    const list = this.#list;
    const last = lastTime(page, next);
    this.#mayWiden = false;
    // Without times, nothing tells where to cut.
    if (Number.isNaN(last)) return;
    this.#jobs.start();
    list.rateLimiter.pace();
    this.#listTotal = total;
    const first = createdOf(page.record(0));
    const timeline = Timeline.fromYears(
      this.#years,
      total,
      list.now(),
      Number.isNaN(first) ? undefined : first,
    );
    timeline.learn({ from: null, to: last + 1 }, this.#brought);
    timeline.learn({ from: last + 1, to: null }, total - this.#brought);
    const density = (last - first) / page.count;
    Object.assign(this.#segment, { next, records: this.#brought, total, last, density, pages: 1 });
    const port = {
      fetch: list.fetchPacked,
      url: (span: Span, cursor: string, size: number) => this.#url(span, cursor, size),
      count: (span: Span) => this.#count(span),
      jobs: this.#jobs,
      cuts: new Cuts(timeline, list.pageSize, total),
      pageSize: list.pageSize,
      mostBytes: list.mostBytes,
      now: list.now,
    };
    this.#prefetch = new Prefetch(port, this.#segment);
  }

  /** Goes on with one cursor. Without the end of its span, it reaches all that is left. */
  #goSingle(): void {
    this.#prefetch?.stop();
    this.#prefetch = undefined;
    this.#segment.endAt(null, undefined);
  }

  #url(span: Span, cursor: string, size: number): URL {
    const { params } = this.#list;
    const isStart = cursor === '1' && span.from === null && this.#list.jobs > 1;
    return this.#list.url(pageParams(within(isStart ? withYears(params) : params, span), cursor, size));
  }

  /** The count of the segment. That it is empty needs no proof where the counts around it add up. */
  async #countSegment(): Promise<number> {
    const { span, total, check } = this.#segment;
    if (total === 0 && check !== undefined && (await check.settled)) return 0;
    return span.from === null && span.to === null ? this.#list.countAll() : this.#count(span);
  }

  #count(span: Span): Promise<number> {
    return this.#list.count(within(this.#list.params, span), this.#stop.signal);
  }
}

function within(params: Params, span: Span): Params {
  return span.from === null && span.to === null ? params : withinSpan(params, span);
}
