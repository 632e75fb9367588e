import type { PageNumbers, Span } from '../walk/creation-time.ts';
import { equalLengths, FILL_SHARE, growingLengths, Waste } from './cuts.ts';
import type { Density } from './density.ts';
import { burstThreshold, type Window } from './window.ts';

// A window with more pages left is cut for an idle job.
const WORTH_A_CUT_PAGES = 1.2;
// Of one cut: parts that are still too large are cut again.
const MOST_CUT_PARTS = 64;

interface PoolOptions<Data> {
  readonly pageSize: number;
  /** The service's count of all records. */
  readonly total: number;
  readonly density: Density;
  /** The most requests at once. */
  jobs(): number;
  /** Requests one page of a window, or all, and calls {@link WindowPool.afterPage} after each. */
  start(window: Window<Data>): void;
  /** Makes a window with about this many records. */
  part(span: Span, count: number): Window<Data>;
  /** Called after a cut. Jobs may take the parts once it has resolved; it must not reject. */
  onCut?(window: Window<Data>, parts: readonly Window<Data>[]): Promise<void>;
  /** The most records of a window; undefined for no limit. */
  readonly most?: number;
  /** Whether windows may be cut. */
  readonly mayCut?: boolean;
  /** For a list: how many more pages may wait. Without it, windows are taken in any order. */
  room?(): number;
  /** For a list: whether a page of a window may be requested, with this many pages before it. */
  mayTake?(window: Window<Data>, pagesBefore: number): boolean;
}

/**
 * The windows of a list or a copy, in order and without gaps, shared out among jobs: an idle job
 * gets a later part of the window with most records left.
 */
export class WindowPool<Data> {
  /** In order. A list removes the first window when it has walked it. */
  readonly windows: Window<Data>[];
  readonly #options: PoolOptions<Data>;
  /** The guess whether bursts continue after a page, from the last count after a cut. */
  #burstsContinue = true;
  readonly #waste: Waste;
  #stopped = false;

  /** @param windows one of all time, or the windows of an earlier run. */
  constructor(windows: readonly Window<Data>[], options: PoolOptions<Data>) {
    this.windows = [...windows];
    this.#options = options;
    this.#waste = new Waste(options.total, options.pageSize);
  }

  /** Starts no more windows. */
  stop(): void {
    this.#stopped = true;
  }

  /** Gives windows to idle jobs. */
  serve(): void {
    if (this.#stopped) return;
    // First for idle jobs: a part cannot be cut again before it is counted.
    while (this.#idle > 0 && this.#cutLongest());
    this.#cutLarge();
    while (!this.#stopped && this.#inState('taken') < this.#options.jobs()) {
      const window = this.#next();
      if (window === undefined) return;
      Object.assign(window, { state: 'taken', isAsking: true });
      this.#options.start(window);
    }
  }

  /** Takes a window back from a job that has ended it, or has a page of it. */
  release(window: Window<Data>): void {
    if (window.state === 'taken') window.state = 'free';
    this.serve();
  }

  /** The pages of a window that are left, the requested page included. */
  pagesLeft(window: Window<Data>): number {
    return window.left / this.#options.pageSize;
  }

  /**
   * Learns from a page of a window, when no other page of it is being requested.
   * @param read how many records of the window have been read, including this page.
   */
  afterPage(window: Window<Data>, page: PageNumbers, read: number): void {
    const { density } = this.#options;
    this.#learnCount(window, page);
    this.#waste.onPage(page);
    window.read = read;
    if (page.isLast) {
      window.state = 'ended';
      density.markRead(window, read);
    } else if (page.count > 0 && !Number.isNaN(page.last)) {
      const step = (page.last - page.middle) / (page.count - Math.floor(page.count / 2));
      window.latest = page.last;
      density.markRead({ from: window.from, to: page.last }, read);
      window.burst = density.burstAfter(window.rest, step, this.#burstsContinue);
    }
    window.isAsking = false;
    this.serve();
    // A copy continues with the next page.
    window.isAsking = true;
  }

  /** Learns the count on a page: of the span that was requested, from the beginning of a window. */
  #learnCount(window: Window<Data>, { asked, total: count }: PageNumbers): void {
    const isWhole = asked.to === window.to;
    if (count === undefined || (isWhole && window.isCounted && window.count === count)) return;
    if (isWhole) {
      if (window.burstThreshold !== undefined) this.#burstsContinue = count > window.burstThreshold;
      Object.assign(window, { count, isCounted: true, burstThreshold: undefined });
    }
    const { density } = this.#options;
    density.learn({ from: window.from, to: asked.to }, count);
    for (const each of this.windows) {
      if (!each.isCounted) each.count = each.read + density.estimate(each.rest);
    }
  }

  /** The jobs for which there is no window. */
  get #idle(): number {
    return (
      this.#options.jobs() -
      this.#inState('taken') -
      this.#inState('coming') -
      this.#inState('free')
    );
  }

  #inState(state: Window['state']): number {
    return this.windows.reduce((sum, window) => sum + (window.state === state ? 1 : 0), 0);
  }

  /** The next window for a job: the one with most left, or the first if not all pages may wait. */
  #next(): Window<Data> | undefined {
    const { mayTake } = this.#options;
    let before = 0;
    const takeable = this.windows.filter((window) => {
      const may = mayTake?.(window, before) !== false;
      before += this.pagesLeft(window);
      return window.state === 'free' && may;
    });
    if (before > this.#room) return takeable[0];
    return takeable.reduce<Window<Data> | undefined>(
      (most, each) => (most && most.left >= each.left ? most : each),
      undefined,
    );
  }

  get #room(): number {
    return this.#options.room?.() ?? Number.POSITIVE_INFINITY;
  }

  #cutLarge(): void {
    const { most = Number.POSITIVE_INFINITY } = this.#options;
    for (const window of [...this.windows]) {
      if (!window.isCounted || window.count <= most || window.left === 0 || !this.#mayCut(window))
        continue;
      const parts = Math.min(MOST_CUT_PARTS, Math.ceil(window.count / (FILL_SHARE * most)));
      const shares = Array.from({ length: parts - 1 }, (_, index) => (index + 1) / parts);
      this.#cut(window, this.#timesOf(window, shares));
    }
  }

  /** Cuts the window with most pages left within reach. @returns whether there was one. */
  #cutLongest(): boolean {
    const reach = this.#reach();
    let longest: Window<Data> | undefined;
    for (const [window, pages] of reach) {
      const most = longest === undefined ? WORTH_A_CUT_PAGES : (reach.get(longest) ?? 0);
      if (pages > most && this.#mayCut(window)) longest = window;
    }
    return longest !== undefined && this.#cut(longest, this.#timesForJobs(longest, reach));
  }

  /** Not before the first page or the count of a window, which show where its records are. */
  #mayCut(window: Window<Data>): boolean {
    if (this.#options.mayCut === false || !window.isCuttable) return false;
    if (this.windows.length === 1 && window.read === 0) return false;
    return window.state === 'free' || (window.state === 'taken' && window.isCounted);
  }

  /** The pages of each window that are not requested yet; for a list, only as many as may wait. */
  #reach(): ReadonlyMap<Window<Data>, number> {
    const reach = new Map<Window<Data>, number>();
    let room = this.#room;
    for (const window of this.windows) {
      const pages = Math.max(0, this.pagesLeft(window) - this.#requested(window));
      reach.set(window, Math.max(0, Math.min(pages, room)));
      room -= pages;
    }
    return reach;
  }

  #requested(window: Window<Data>): number {
    return window.state === 'taken' && window.isAsking ? 1 : 0;
  }

  #timesForJobs(window: Window<Data>, reach: ReadonlyMap<Window<Data>, number>): readonly number[] {
    const { pageSize, jobs } = this.#options;
    const most = this.#waste.mostParts(window, this.windows);
    if (most < 1) return [];
    const pages = reach.get(window) ?? 0;
    const inReach = sumOf(reach.values());
    const before = sumOf(
      this.windows.slice(0, this.windows.indexOf(window)).map((each) => this.pagesLeft(each)),
    );
    const left = sumOf(this.windows.map((each) => this.pagesLeft(each)));
    const situation = { pages, inReach, before, jobs: jobs(), idle: this.#idle, most };
    const lengths =
      left <= this.#room ? equalLengths(situation) : growingLengths(situation, this.#room);
    // The requested page belongs to the first part.
    let share = (this.#requested(window) * pageSize) / window.left;
    const shares = lengths.map((length) => {
      share += (length * pageSize) / window.left;
      return share;
    });
    return this.#timesOf(window, shares);
  }

  #timesOf(window: Window<Data>, shares: readonly number[]): readonly number[] {
    const times = shares
      .filter((share) => share < 1)
      .map((share) => this.#options.density.cut(window.rest, share))
      .filter((time) => time !== undefined);
    return [...new Set(times)];
  }

  /** Cuts a window at these times, in order. @returns whether there are any. */
  #cut(window: Window<Data>, times: readonly number[]): boolean {
    const [first] = times;
    if (first === undefined) return false;
    const { density, part, onCut } = this.#options;
    window.burstThreshold = burstThreshold(window, first);
    const parts = times.map((from, index) => {
      const span = { from, to: times[index + 1] ?? window.to };
      return part(span, density.estimate(span));
    });
    Object.assign(window, { to: first, isCounted: false });
    window.count = window.read + density.estimate(window.rest);
    this.windows.splice(this.windows.indexOf(window) + 1, 0, ...parts);
    if (onCut === undefined) return true;
    for (const each of parts) each.state = 'coming';
    void onCut(window, parts).then(() => {
      for (const each of parts) each.state = 'free';
      this.serve();
    });
    return true;
  }
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const each of numbers) sum += each;
  return sum;
}
