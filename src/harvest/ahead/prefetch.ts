import { nextCursor } from '../../api/pagination.ts';
import type { JobLimit } from '../../concurrency/job-limit.ts';
import type { FetchPacked, PackedPage } from '../page/packed-page.ts';
import type { Span } from '../walk/creation-time.ts';
import type { Cuts } from './cuts.ts';
import { type Answer, Check, Segment } from './segment.ts';

/** What a prefetch asks, and how much. */
export interface PrefetchPort {
  readonly fetch: FetchPacked;
  url(span: Span, cursor: string, size: number): URL;
  count(span: Span): Promise<number>;
  readonly jobs: JobLimit;
  readonly cuts: Cuts;
  readonly pageSize: number;
  /** Milliseconds since 1970. */
  now(): number;
}

// Pages that wait for their turn, compressed.
const BUDGET_BYTES = 48 * 1024 * 1024;
// Pages of a segment, at most: the pages behind it wait for those in front of it.
const MOST_PAGES = 12;
// A cut costs half a page on average.
const LEAST_PAGES = 4;
// The same where jobs have nothing else to do.
const SMALLEST_PAGES = 1.5;
// As the walk asks for a page that may have to be a smaller one.
const RETRIES = 2;
// A reader that takes no page for so long has stopped.
const PATIENCE_MS = 3000;

/**
 * Asks for pages before their turn: segments of creation time, each by a cursor of its own, as many at once as
 * the jobs allow, and those next to the walk first. It judges nothing: an answer that is missing or
 * wrong is asked for again by the walk.
 */
export class Prefetch {
  readonly #port: PrefetchPort;
  /** In order and without a hole; the first one is being walked. */
  readonly #segments: Segment[];
  #running = 0;
  #bytes = 0;
  #failed = false;
  #stopped = false;
  /** When the walk took a page; undefined while it waits for one. */
  #taken: number | undefined;
  #wake: () => void = () => undefined;

  /** @param head the segment that is being walked, which holds all that is left. */
  constructor(port: PrefetchPort, head: Segment) {
    this.#port = port;
    this.#segments = [head];
    this.#taken = port.now();
  }

  /** The segment behind the one that is walked. */
  get following(): Segment | undefined {
    return this.#segments[1];
  }

  /** Goes on to the next segment. */
  advance(): void {
    this.#segments.shift();
  }

  /** Asks for as many pages as there are jobs for. */
  schedule(): void {
    while (!this.#stopped && this.#running < this.#port.jobs.current) {
      const segment = this.#pick();
      if (segment === undefined) return;
      this.#ask(segment);
    }
  }

  /** The answer to a request of the walk, at its turn; undefined if the walk must ask by itself. */
  async take(cursor: string, size: number): Promise<{ answer: Answer; packed: PackedPage } | undefined> {
    const [head] = this.#segments;
    for (;;) {
      this.#taken = undefined;
      if (head === undefined) return undefined;
      const answer = head.answers[0];
      if (answer === undefined && head.next === cursor && size === this.#port.pageSize) {
        this.schedule();
        if (head.answers.length === 0) await this.#change();
        continue;
      }
      if (answer?.cursor !== cursor || answer.size !== size) {
        if (answer !== undefined || head.next !== null) this.#drop(head);
        return undefined;
      }
      const packed = await answer.packed;
      // It was dropped while the walk waited.
      if (head.answers[0] !== answer) continue;
      head.answers.shift();
      this.#bytes -= answer.bytes;
      if (packed === undefined) this.#drop(head);
      return packed && { answer, packed };
    }
  }

  /** The walk has the page that it asked for, and now uses it. */
  handOver(): void {
    this.#taken = this.#port.now();
    this.schedule();
  }

  /** Goes on behind a page that the walk has asked for by itself. */
  resume(next: string | null, last: number, records: number): void {
    const [head] = this.#segments;
    if (head === undefined || head.next !== undefined) return;
    Object.assign(head, { next, last, records });
  }

  /** Ends all requests. */
  stop(): void {
    this.#stopped = true;
    for (const segment of this.#segments) this.#drop(segment);
  }

  #drop(segment: Segment): void {
    for (const { bytes } of segment.answers) this.#bytes -= bytes;
    segment.drop();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** The next segment to go on with, cut where it is too long or jobs have nothing to do. */
  #pick(): Segment | undefined {
    const waiting = this.#segments.filter(
      (one) => one.underWay === undefined && typeof one.next === 'string',
    );
    const isFull = this.#bytes >= BUDGET_BYTES || this.#failed || this.#readerStopped;
    const segment = waiting.find(
      (one) =>
        // A cut is complete only when all its pieces have been counted.
        (one.isUnasked && !this.#failed) ||
        !isFull ||
        (one === this.#segments[0] && one.answers.length === 0 && !this.#readerStopped),
    );
    if (segment === undefined || isFull) return segment;
    const spare = this.#port.jobs.current - this.#running - waiting.length;
    this.#cut(segment, spare);
    return segment;
  }

  get #readerStopped(): boolean {
    return this.#taken !== undefined && this.#port.now() - this.#taken > PATIENCE_MS;
  }

  #cut(segment: Segment, spare: number): void {
    const { cuts, jobs, count } = this.#port;
    const { total } = segment;
    if (total === undefined || segment.isUnasked) return;
    const pages = cuts.pagesLeft(segment);
    const allPages = this.#segments.reduce((sum, one) => sum + cuts.pagesLeft(one), 0);
    const length = Math.min(MOST_PAGES, Math.max(LEAST_PAGES, allPages / jobs.current));
    const most = Math.floor(pages / SMALLEST_PAGES);
    const isLong = pages > 1.5 * length;
    if (!isLong && (spare <= 0 || most < 2)) return;
    const places = cuts.of(
      segment,
      isLong ? lengths(length, spare) : evenly(pages, Math.min(spare + 1, most)),
    );
    if (places.length === 0) return;
    const whole = segment.span;
    const check = new Check(total, places.length + 1, () => count(whole));
    void check.settled.then((isRight) => {
      if (!isRight) this.#failed = true;
    });
    segment.endAt(places[0] ?? null, check);
    const pieces = places.map(
      (from, index) => new Segment({ from, to: places[index + 1] ?? whole.to }, check),
    );
    this.#segments.splice(this.#segments.indexOf(segment) + 1, 0, ...pieces);
  }

  #ask(segment: Segment): void {
    const port = this.#port;
    const { span, check, next } = segment;
    const cursor = next as string;
    const size = port.pageSize;
    const abort = new AbortController();
    segment.underWay = abort;
    this.#running += 1;
    const url = port.url(span, cursor, size);
    const onTime = (ms: number) => port.jobs.note(ms);
    const packed = port.fetch(url, { signal: abort.signal, retries: RETRIES, onTime }).catch(() => undefined);
    const answer: Answer = { cursor, size, span, check, packed, bytes: 0 };
    segment.answers.push(answer);
    void packed.then(async (page) => {
      this.#running -= 1;
      if (segment.underWay === abort) {
        segment.underWay = undefined;
        this.#learn(segment, answer, page, url);
      }
      this.#wake();
      this.schedule();
    });
    this.#wake();
  }

  /** Takes what an answer says about its segment. */
  #learn(segment: Segment, answer: Answer, page: PackedPage | undefined, url: URL): void {
    const isFirst = segment.isUnasked;
    const { span, check } = answer;
    const count = (total: number | undefined) => {
      // The first total of a piece counts for the cut that made it.
      if (segment.total !== undefined) return;
      if (total === undefined) check?.fail();
      else check?.add(total);
      segment.total = total;
    };
    segment.next = undefined;
    if (page === undefined) {
      if (segment.total === undefined) void this.#port.count(span).then(count, () => count(undefined));
      return;
    }
    answer.bytes = page.bytes.length;
    this.#bytes += page.bytes.length;
    const { total, first, last } = page;
    if (isFirst && (first < (span.from ?? first) || last >= (span.to ?? Number.POSITIVE_INFINITY)))
      check?.fail();
    const isNew = segment.total === undefined;
    count(total);
    segment.total = total;
    try {
      segment.next = nextCursor(page.links, url);
    } catch {
      return;
    }
    const size = segment.next === null ? Math.max(0, (total ?? 0) - segment.records) : answer.size;
    segment.records += size;
    segment.last = last;
    segment.density = size === 0 ? Number.NaN : (last - first) / size;
    if (isNew) this.#port.cuts.learn(segment, isFirst);
  }
}

/** Pieces for spare jobs, the first ones shorter: so they do not all end at the same time. */
function lengths(length: number, spare: number): number[] {
  const pieces = Math.max(1, spare + 1);
  return Array.from({ length: pieces }, (_, index) => Math.max(1, (length * (index + 1)) / pieces));
}

function evenly(pages: number, pieces: number): number[] {
  return Array.from({ length: pieces - 1 }, () => pages / pieces);
}
