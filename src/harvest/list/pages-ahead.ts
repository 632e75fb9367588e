import { ALL_TIME, type PageNumbers, type Span } from '../walk/creation-time.ts';
import type { Density } from '../windows/density.ts';
import type { JobLimit } from '../windows/job-limit.ts';
import { WindowPool } from '../windows/pool.ts';
import { Window } from '../windows/window.ts';
import type { FetchPacked, PackedPage } from './packed-page.ts';

// Compressed, until the first page arrives.
const USUAL_BYTES_PER_RECORD = 600;
// A reader that takes no page for longer has stopped.
const READER_PATIENCE_MS = 3000;
// Fraction of the earlier pages assumed to be waiting too.
const EARLIER_WAITING_SHARE = 0.5;

// As in the walk itself, before it tries smaller pages.
const PREFETCH_RETRIES = 2;

/** The prefetched pages of a window. */
interface Prefetched {
  /** The cursor of the next page; null after the last one, undefined if only the walk knows it. */
  next: string | null | undefined;
  /** The latest one may not have arrived yet. */
  readonly answers: Answer[];
}

type ListWindow = Window<Prefetched>;

interface Answer {
  readonly cursor: string;
  readonly span: Span;
  readonly abort: AbortController;
  /** Undefined after a failed request: the walk repeats it and handles the failure. */
  readonly packed: Promise<PackedPage | undefined>;
  bytes: number;
  /** Whether all other pages of the list had been requested before. */
  readonly isAfterAll: boolean;
  /** The number of the window's records before it. */
  readonly readBefore: number;
}

interface AheadPort {
  readonly fetch: FetchPacked;
  url(span: Span, cursor: string, size: number): URL;
  /** Called when the page of an empty window has arrived that is not the last window. */
  onEmpty(span: Span): void;
  readonly jobs: JobLimit;
  readonly pageSize: number;
  readonly density: Density;
  /** The service's count of the whole list. */
  readonly total: number;
  /** The most bytes of prefetched pages. */
  readonly mostBytes: number;
  now(): number;
}

/** Prefetches the pages of a list, in about the order of the walk, which checks them. */
export class PagesAhead {
  readonly #port: AheadPort;
  readonly #pool: WindowPool<Prefetched>;
  /** The windows that the walk has not finished, in order; the first one is being walked. */
  readonly #windows: ListWindow[];
  #bytes = 0;
  readonly #received: { pages: number; bytes: number };
  /** When the walk took its latest page; undefined while it waits for a page. */
  #takenAt: number | undefined;
  #wake: () => void = () => undefined;

  constructor(port: AheadPort) {
    this.#port = port;
    this.#received = { pages: 1, bytes: USUAL_BYTES_PER_RECORD * port.pageSize };
    this.#takenAt = port.now();
    const all = { next: undefined, answers: [] };
    this.#pool = new WindowPool<Prefetched>([new Window(ALL_TIME, port.total, all, true)], {
      ...port,
      jobs: () => port.jobs.current,
      start: (window) => this.#request(window),
      part: (span, count) => new Window(span, count, { next: '1', answers: [] }),
      room: () => this.#room,
      mayTake: (window, pagesBefore) => this.#mayTake(window, pagesBefore),
    });
    this.#windows = this.#pool.windows;
  }

  /** The compressed bytes of the prefetched pages. */
  get bytes(): number {
    return this.#bytes;
  }

  get window(): ListWindow {
    return this.#windows[0] as ListWindow;
  }

  /** Removes the window that the walk has finished. @returns whether there is another one. */
  advance(): boolean {
    if (this.#windows.length === 1) return false;
    this.#windows.shift();
    return true;
  }

  /** The answer to a request of the walk; undefined if the walk must send it itself. */
  async take(
    cursor: string,
    size: number,
  ): Promise<{ answer: Answer; packed: PackedPage } | undefined> {
    const head = this.window;
    const { data } = head;
    for (;;) {
      this.#takenAt = undefined;
      const answer = data.answers[0];
      if (answer === undefined && data.next === cursor && size === this.#port.pageSize) {
        this.#serve();
        if (data.answers.length === 0) await this.#answerOrCut();
        continue;
      }
      if (answer?.cursor !== cursor || size !== this.#port.pageSize) {
        if (answer !== undefined || data.next !== null) this.#drop(head);
        return undefined;
      }
      const packed = await answer.packed;
      // The answer was dropped while the walk waited.
      if (data.answers[0] !== answer) continue;
      data.answers.shift();
      this.#bytes -= answer.bytes;
      if (packed === undefined) this.#drop(head);
      return packed && { answer, packed };
    }
  }

  /** The walk has received its page and is using it. */
  pageTaken(): void {
    this.#takenAt = this.#port.now();
    this.#serve();
  }

  /**
   * Continues after a page that the walk has requested itself.
   * @param read the number of its window's records so far.
   */
  resume(next: string | null, page: PageNumbers, read: number): void {
    const head = this.window;
    if (head.data.next !== undefined) return;
    head.data.next = next;
    this.#pool.afterPage(head, page, read);
  }

  stop(): void {
    this.#pool.stop();
    for (const window of this.#windows) this.#drop(window);
  }

  #serve(): void {
    this.#pool.serve();
    if (this.#repeatEnd()) this.#pool.serve();
  }

  /** Drops all answers: the walk requests the next page itself. */
  #drop(window: ListWindow): void {
    for (const { bytes, abort } of window.data.answers.splice(0)) {
      this.#bytes -= bytes;
      abort.abort();
    }
    window.data.next = undefined;
    window.latest = Number.NaN;
    // The walk may find another page.
    if (window.state === 'ended') window.state = 'free';
  }

  #answerOrCut(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  get #requested(): number {
    return this.#windows.reduce((sum, { state }) => sum + (state === 'taken' ? 1 : 0), 0);
  }

  /** How many more pages may wait, by the average size so far. */
  get #room(): number {
    const bytesEach = this.#received.bytes / this.#received.pages;
    return (this.#port.mostBytes - this.#bytes) / bytesEach - this.#requested;
  }

  #mayTake(window: ListWindow, pagesBefore: number): boolean {
    if (typeof window.data.next !== 'string') return false;
    // The last page comes after all others: otherwise it would have to be requested again.
    if (window === this.#windows.at(-1) && this.#pool.pagesLeft(window) < 1 && !this.#isOnlyEndLeft)
      return false;
    const hasReaderStopped =
      this.#takenAt !== undefined && this.#port.now() - this.#takenAt > READER_PATIENCE_MS;
    if (window === this.window && window.data.answers.length === 0) return !hasReaderStopped;
    const room = this.#room;
    return !hasReaderStopped && room > 0 && EARLIER_WAITING_SHARE * pagesBefore < room;
  }

  /** Whether all pages before the last window have been requested. */
  get #isOnlyEndLeft(): boolean {
    return this.#windows
      .slice(0, -1)
      .every(
        (window) =>
          window.data.next === null ||
          (window.state === 'taken' && this.#pool.pagesLeft(window) <= 1),
      );
  }

  /** Requests the last page again after all others: records may have been added since. */
  #repeatEnd(): boolean {
    const last = this.#windows.at(-1) as ListWindow;
    const answer = last.data.next === null ? last.data.answers.at(-1) : undefined;
    if (answer === undefined || answer.isAfterAll || !this.#isOnlyEndLeft) return false;
    last.data.answers.pop();
    this.#bytes -= answer.bytes;
    last.data.next = answer.cursor;
    Object.assign(last, { read: answer.readBefore, state: 'free' });
    return true;
  }

  #request(window: ListWindow): void {
    const isAfterAll = window === this.#windows.at(-1) && this.#isOnlyEndLeft;
    const { fetch, url, pageSize, jobs } = this.#port;
    const span = { from: window.from, to: window.to };
    const cursor = window.data.next as string;
    const abort = new AbortController();
    const onTime = (ms: number) => jobs.note(ms);
    const options = { signal: abort.signal, retries: PREFETCH_RETRIES, onTime };
    const packed = fetch(url(span, cursor, pageSize), options).catch(() => undefined);
    const readBefore = window.read;
    const answer: Answer = { cursor, span, abort, packed, bytes: 0, isAfterAll, readBefore };
    window.data.answers.push(answer);
    void answer.packed.then((page) => {
      if (window.data.answers.includes(answer)) this.#receive(window, answer, page);
      this.#pool.release(window);
      this.#wake();
      this.#serve();
    });
    this.#wake();
  }

  #receive(window: ListWindow, answer: Answer, page: PackedPage | undefined): void {
    const { data } = window;
    // Only the page that the walk takes next waits unpacked.
    if (page !== undefined && answer !== this.window.data.answers[0]) page.page = undefined;
    const wasCut = answer.span.to !== window.to;
    if (
      wasCut &&
      page !== undefined &&
      page.count > 0 &&
      !(page.last < (window.to ?? Number.POSITIVE_INFINITY))
    ) {
      // The cut was within the page: its later records belong to another window.
      data.answers.pop();
      data.next = answer.cursor;
      return;
    }
    data.next = page?.next;
    if (page === undefined) return;
    if (!wasCut && window.to !== null && window.read + page.count === 0)
      this.#port.onEmpty(answer.span);
    answer.bytes = page.bytes.length;
    this.#bytes += page.bytes.length;
    this.#received.pages += 1;
    this.#received.bytes += page.bytes.length;
    this.#pool.afterPage(window, { ...page, asked: answer.span }, window.read + page.count);
  }
}
