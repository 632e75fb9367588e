import type { Span } from '../walk/creation-time.ts';
import type { Cuts } from './cuts.ts';
import type { PackedPage } from './packed-page.ts';
import { pieceLengths, type Situation } from './piece-lengths.ts';
import { type Answer, Check, type RequestPort, request, type Segment } from './segment.ts';
import { WaitingPages } from './waiting-pages.ts';

interface PrefetchPort extends RequestPort {
  count(span: Span): Promise<number>;
  readonly cuts: Cuts;
  /** The most bytes of pages that wait for their turn. */
  readonly mostBytes: number;
  now(): number;
}

// Segments that wait for a job while not all pages that are left fit into memory: a cut takes an answer.
const RESERVE = 3;
// Of the pages in front of a segment that are still to be asked for: those that will wait at the same time.
const IN_FRONT = 0.5;

// A reader that takes no page for so long has stopped.
const PATIENCE_MS = 3000;

type Place = Pick<Situation, 'distance'> & { readonly segment: Segment };

/**
 * Asks for pages before their turn: segments of creation time, each by a cursor of its own, those next to the
 * walk first. It judges nothing: the walk asks again where an answer is missing or wrong.
 */
export class Prefetch {
  readonly #port: PrefetchPort;
  /** In order and without a hole; the first one is being walked. */
  readonly #segments: Segment[];
  #running = 0;
  readonly #waiting: WaitingPages;
  #failed = false;
  #stopped = false;
  /** Whether the end of the list was asked for when nothing else was left to ask for. */
  isEndLate = false;
  /** When the walk took a page; undefined while it waits for one. */
  #taken: number | undefined;
  #wake: () => void = () => undefined;

  /** @param head the segment that is being walked, which holds all that is left. */
  constructor(port: PrefetchPort, head: Segment) {
    this.#port = port;
    this.#segments = [head];
    this.#waiting = new WaitingPages(port.mostBytes, port.pageSize);
    this.#taken = port.now();
  }

  get bytes(): number {
    return this.#waiting.bytes;
  }

  get following(): Segment | undefined {
    return this.#segments[1];
  }

  advance(): void {
    this.#segments.shift();
  }

  /** Asks for as many pages as there are jobs for. */
  schedule(): void {
    while (!this.#stopped && this.#running < this.#port.jobs.current) {
      const segment = this.#pick();
      if (segment !== undefined) this.#ask(segment);
      else if (!this.#askAgainForEnd()) return;
    }
  }

  /** Whether nothing in front of the last segment is left to ask for. */
  get #isOnlyEndLeft(): boolean {
    return this.#segments.slice(0, -1).every((segment) => this.#port.cuts.isAsked(segment));
  }

  /** Asks for the last page once more after all others: records may have been added since. */
  #askAgainForEnd(): boolean {
    const last = this.#segments.at(-1);
    const answer = last?.answers.at(-1);
    if (this.isEndLate || last?.next !== null || answer === undefined || !this.#isOnlyEndLeft) return false;
    last.answers.pop();
    this.#waiting.remove(answer.bytes);
    Object.assign(last, { next: answer.cursor, records: answer.recordsBefore });
    return true;
  }

  /**
   * The answer to a request of the walk, at its turn; undefined if the walk must ask by itself.
   * @throws {CliError} kind `credentials` when the answer was for somebody else: one that is asked for again may not be.
   */
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
      this.#waiting.remove(answer.bytes);
      if (answer.refusal !== undefined) throw answer.refusal;
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

  stop(): void {
    this.#stopped = true;
    for (const segment of this.#segments) this.#drop(segment);
  }

  #drop(segment: Segment): void {
    for (const { bytes } of segment.answers) this.#waiting.remove(bytes);
    segment.drop();
    if (!this.#stopped) this.#count(segment);
  }

  /** Counts a segment that no answer has counted since a cut: the cut waits for it. */
  #count(segment: Segment): void {
    const { span, check, total } = segment;
    if (total !== undefined || check === undefined) return;
    this.#port
      .count(span)
      .then((total) => segment.check === check && this.#counted(segment, total), check.fail);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** The next segment to go on with, cut where it is too long or jobs have nothing to do. */
  #pick(): Segment | undefined {
    const { jobs, cuts } = this.#port;
    const askable: Place[] = [];
    // A request that is under way will take its place in memory.
    const room = this.#waiting.room - this.#running;
    let distance = 0;
    let left = 0;
    let requests = 0;
    for (const segment of this.#segments) {
      if (this.#mayAsk(segment, IN_FRONT * left < room)) askable.push({ segment, distance });
      const pages = cuts.pagesLeft(segment);
      distance += segment.answers.length + pages;
      left += pages;
      requests += Math.ceil(pages);
    }
    const fits = distance - this.#running < this.#waiting.capacity;
    // A cut is complete only when its pieces are counted. Where all that is left fits into memory, the longest
    // come first, so that they end together.
    const rank = ({ segment }: Place) =>
      segment.isUnasked ? Number.MAX_SAFE_INTEGER : fits ? cuts.pagesLeft(segment) : 0;
    askable.sort((a, b) => rank(b) - rank(a));
    const [first] = askable;
    if (first === undefined || this.#isHeld) return first?.segment;
    const spare = jobs.current - this.#running - askable.length + RESERVE;
    const last = askable.find(({ segment }) => segment === this.#segments.at(-1));
    // What lies behind is cut for jobs without a segment, and the others only where they are too long.
    const { segment, distance: at } = !fits && spare > 0 && last !== undefined ? last : first;
    this.#cut(segment, {
      distance: at,
      jobs: jobs.current,
      perAnswer: jobs.perAnswer,
      spare: segment === last?.segment ? spare : 0,
      capacity: this.#waiting.capacity,
      room: Math.max(0, room),
      least: cuts.least(left),
      requests: requests - this.#running,
      fits,
    });
    return first.segment;
  }

  #mayAsk(segment: Segment, isNear: boolean): boolean {
    if (segment.underWay !== undefined || typeof segment.next !== 'string') return false;
    // A cut is complete only when all its pieces have been counted.
    if (segment.isUnasked && !this.#failed) return true;
    // The end comes after all others, so that it need not be asked for again: that would cost another round trip.
    const isEnd = segment === this.#segments.at(-1) && this.#port.cuts.pagesLeft(segment) < 1;
    if (isEnd && !this.#isOnlyEndLeft) return false;
    const isAwaited = segment === this.#segments[0] && segment.answers.length === 0;
    return isAwaited ? !this.#isReaderGone : isNear && !this.#isHeld;
  }

  /** Whether nothing may be asked for but what the walk needs next. */
  get #isHeld(): boolean {
    return this.#waiting.isFull || this.#failed || this.#isReaderGone;
  }

  get #isReaderGone(): boolean {
    return this.#taken !== undefined && this.#port.now() - this.#taken > PATIENCE_MS;
  }

  #cut(segment: Segment, situation: Omit<Situation, 'pages'>): void {
    const { cuts, count } = this.#port;
    const { total } = segment;
    if (total === undefined || segment.isUnasked) return;
    const wanted = pieceLengths({ ...situation, pages: cuts.pagesLeft(segment) });
    const places = cuts.of(segment, wanted);
    if (places.length === 0) return;
    const whole = segment.span;
    const check = new Check(total, () => count(whole));
    void check.settled.then((isRight) => {
      if (!isRight) this.#failed = true;
    });
    const pieces = segment.cutAt(places, check);
    this.#segments.splice(this.#segments.indexOf(segment) + 1, 0, ...pieces);
  }

  #ask(segment: Segment): void {
    const abort = new AbortController();
    segment.underWay = abort;
    if (segment === this.#segments.at(-1)) this.isEndLate = this.#isOnlyEndLeft;
    this.#running += 1;
    const answer = request(this.#port, segment, segment.next as string, abort.signal);
    void answer.packed.then(async (page) => {
      this.#running -= 1;
      if (segment.underWay === abort) {
        segment.underWay = undefined;
        this.#learn(segment, answer, page);
      }
      this.#wake();
      this.schedule();
    });
    this.#wake();
  }

  #learn(segment: Segment, answer: Answer, page: PackedPage | undefined): void {
    const { span, size } = answer;
    const isFirst = segment.isUnasked;
    segment.next = undefined;
    if (page === undefined) {
      this.#count(segment);
      return;
    }
    answer.bytes = page.bytes.length;
    this.#waiting.add(page.bytes.length);
    const { total, first, last } = page;
    const isOutside = first < (span.from ?? first) || last >= (span.to ?? Number.POSITIVE_INFINITY);
    if (isOutside && isFirst) answer.check?.fail();
    this.#counted(segment, total);
    segment.goOn(page, size);
  }

  #counted(segment: Segment, total: number | undefined): void {
    if (segment.total !== undefined) return;
    segment.total = total;
    if (total === undefined) {
      segment.check?.fail();
      return;
    }
    const left = total - segment.records;
    segment.check?.add(total, left < this.#port.pageSize / 2);
    this.#port.cuts.learn(segment, left);
  }
}
