import type { PageNumbers, Span } from '../walk/creation-time.ts';
import type { Density } from '../windows/density.ts';
import type { JobLimit } from '../windows/job-limit.ts';
import { WindowPool } from '../windows/pool.ts';
import { Window } from '../windows/window.ts';
import type { FetchPacked, PackedPage } from './packed-page.ts';

// The compressed bytes of a record, until the first page arrives.
const USUAL_BYTES = 600;
// A reader that takes no page for so long has stopped.
const PATIENCE_MS = 3000;
// The share of the pages in front of a window, not asked for yet, that will wait together with its
// pages.
const IN_FRONT = 0.5;

// As the walk asks for a page that may have to be a smaller one.
const RETRIES = 2;

/** A window of a list, and its pages that wait for their turn. */
class ListWindow extends Window {
  /**
   * The cursor of the next page to ask for; null behind the last one, undefined if only the walk
   * knows it.
   */
  next: string | null | undefined = '1';
  /** The answers, the latest of which may be under way. */
  readonly answers: Answer[] = [];

  /** Drops all answers. The walk asks for the next page by itself. */
  drop(): void {
    for (const { abort } of this.answers.splice(0)) abort.abort();
    this.next = undefined;
    this.latest = Number.NaN;
    // The walk may find a further page.
    if (this.state === 'ended') this.state = 'free';
  }
}

interface Answer {
  readonly cursor: string;
  readonly span: Span;
  readonly abort: AbortController;
  /** Undefined when the request failed: the walk asks again, and judges. */
  readonly packed: Promise<PackedPage | undefined>;
  bytes: number;
  /** Whether every other page of the list had been asked for before. */
  readonly isAfterAll: boolean;
  /** The records of the window before it. */
  readonly heldBefore: number;
}

interface AheadPort {
  readonly fetch: FetchPacked;
  url(span: Span, cursor: string, size: number): URL;
  readonly jobs: JobLimit;
  readonly pageSize: number;
  readonly density: Density;
  /** The service's count of the whole list. */
  readonly total: number;
  /** The most bytes of pages that wait for their turn. */
  readonly mostBytes: number;
  now(): number;
}

/**
 * Asks for the pages of a list before their turn, those next to the walk first. The walk judges
 * them.
 */
export class PagesAhead {
  readonly #port: AheadPort;
  readonly #pool: WindowPool<ListWindow>;
  /** The windows that the walk has not finished, in order; it walks the first one. */
  readonly #windows: ListWindow[];
  #bytes = 0;
  readonly #received: { pages: number; bytes: number };
  /** When the walk took a page; undefined while it waits for one. */
  #taken: number | undefined;
  #wake: () => void = () => undefined;

  constructor(port: AheadPort) {
    this.#port = port;
    this.#received = { pages: 1, bytes: USUAL_BYTES * port.pageSize };
    this.#taken = port.now();
    const all = new ListWindow({ from: null, to: null }, port.total, true);
    all.next = undefined;
    this.#pool = new WindowPool([all], {
      pageSize: port.pageSize,
      total: port.total,
      density: port.density,
      jobs: () => port.jobs.current,
      start: (window) => this.#ask(window),
      part: (span, count) => new ListWindow(span, count),
      room: () => this.#room,
      mayTake: (window, pagesBefore) => this.#mayTake(window, pagesBefore),
    });
    this.#windows = this.#pool.windows;
  }

  /** The compressed bytes of the pages that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  get window(): ListWindow {
    return this.#windows[0] as ListWindow;
  }

  /** The walk has finished its window. @returns whether there is a further one. */
  advance(): boolean {
    if (this.#windows.length === 1) return false;
    this.#windows.shift();
    return true;
  }

  /** The answer to a request of the walk; undefined if it must ask by itself. */
  async take(
    cursor: string,
    size: number,
  ): Promise<{ answer: Answer; packed: PackedPage } | undefined> {
    const head = this.window;
    for (;;) {
      this.#taken = undefined;
      const answer = head.answers[0];
      if (answer === undefined && head.next === cursor && size === this.#port.pageSize) {
        this.#serve();
        if (head.answers.length === 0) await this.#change();
        continue;
      }
      if (answer?.cursor !== cursor || size !== this.#port.pageSize) {
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
    this.#serve();
  }

  /**
   * Goes on behind a page that the walk has asked for by itself. @param held the records of its
   * window so far.
   */
  resume(next: string | null, page: PageNumbers, held: number): void {
    const head = this.window;
    if (head.next !== undefined) return;
    head.next = next;
    this.#pool.afterPage(head, page, held);
  }

  stop(): void {
    this.#pool.stop();
    for (const window of this.#windows) this.#drop(window);
  }

  #serve(): void {
    this.#pool.serve();
    if (this.#askAgainForEnd()) this.#pool.serve();
  }

  #drop(window: ListWindow): void {
    for (const { bytes } of window.answers) this.#bytes -= bytes;
    window.drop();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  get #underWay(): number {
    return this.#windows.reduce((sum, { state }) => sum + (state === 'taken' ? 1 : 0), 0);
  }

  /** How many more pages may wait, by the average of those so far. */
  get #room(): number {
    const bytesEach = this.#received.bytes / this.#received.pages;
    return (this.#port.mostBytes - this.#bytes) / bytesEach - this.#underWay;
  }

  #mayTake(window: ListWindow, pagesBefore: number): boolean {
    if (typeof window.next !== 'string') return false;
    // The end comes after all others, so that it need not be asked for again: that would cost
    // another round trip.
    if (window === this.#windows.at(-1) && this.#pool.pagesLeft(window) < 1 && !this.#isOnlyEndLeft)
      return false;
    const isReaderGone = this.#taken !== undefined && this.#port.now() - this.#taken > PATIENCE_MS;
    if (window === this.window && window.answers.length === 0) return !isReaderGone;
    const room = this.#room;
    return !isReaderGone && room > 0 && IN_FRONT * pagesBefore < room;
  }

  /** Whether nothing in front of the last window is left to ask for. */
  get #isOnlyEndLeft(): boolean {
    return this.#windows
      .slice(0, -1)
      .every(
        (window) =>
          window.next === null || (window.state === 'taken' && this.#pool.pagesLeft(window) <= 1),
      );
  }

  /** Asks for the last page once more after all others: records may have been added since. */
  #askAgainForEnd(): boolean {
    const last = this.#windows.at(-1);
    const answer = last?.answers.at(-1);
    if (last?.next !== null || answer === undefined || answer.isAfterAll || !this.#isOnlyEndLeft)
      return false;
    last.answers.pop();
    this.#bytes -= answer.bytes;
    Object.assign(last, { next: answer.cursor, held: answer.heldBefore, state: 'free' });
    return true;
  }

  #ask(window: ListWindow): void {
    const isAfterAll = window === this.#windows.at(-1) && this.#isOnlyEndLeft;
    const { fetch, url, pageSize, jobs } = this.#port;
    const span = { from: window.from, to: window.to };
    const cursor = window.next as string;
    const abort = new AbortController();
    const onTime = (ms: number) => jobs.note(ms);
    const options = { signal: abort.signal, retries: RETRIES, onTime };
    const packed = fetch(url(span, cursor, pageSize), options).catch(() => undefined);
    const answer: Answer = {
      cursor,
      span,
      abort,
      packed,
      bytes: 0,
      isAfterAll,
      heldBefore: window.held,
    };
    window.answers.push(answer);
    void answer.packed.then((page) => {
      if (window.answers.includes(answer)) this.#learn(window, answer, page);
      this.#pool.release(window);
      this.#wake();
      this.#serve();
    });
    this.#wake();
  }

  #learn(window: ListWindow, answer: Answer, page: PackedPage | undefined): void {
    const wasCut = answer.span.to !== window.to;
    if (
      wasCut &&
      page !== undefined &&
      page.count > 0 &&
      !(page.last < (window.to ?? Number.POSITIVE_INFINITY))
    ) {
      // In the midst of the page: its later records belong to another window.
      window.answers.pop();
      window.next = answer.cursor;
      return;
    }
    window.next = page?.next;
    if (page === undefined) return;
    answer.bytes = page.bytes.length;
    this.#bytes += page.bytes.length;
    this.#received.pages += 1;
    this.#received.bytes += page.bytes.length;
    this.#pool.afterPage(window, { ...page, asked: answer.span }, window.held + page.count);
  }
}
