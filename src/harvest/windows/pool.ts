import type { PageNumbers, Span } from '../walk/creation-time.ts';
import { equalLengths, FILL, growingLengths, Waste } from './cuts.ts';
import type { Density } from './density.ts';
import { burstThreshold, type Window } from './window.ts';

// A window with more pages left is cut for an idle job: with less, each would get a page.
const WORTH_A_CUT = 1.2;
// The most parts of one cut: parts that turn out too large are cut again.
const MOST_PARTS = 64;

interface PoolOptions<W extends Window> {
  readonly pageSize: number;
  /** The service's count of all records. */
  readonly total: number;
  readonly density: Density;
  /** How many requests may be under way. */
  jobs(): number;
  /**
   * Asks for the next page of a window, or for all, and calls {@link WindowPool.afterPage} after
   * each.
   */
  start(window: W): void;
  /** A window from one time to another with about so many records. */
  part(span: Span, count: number): W;
  /**
   * Called when a window was cut. A job may take the parts once it has resolved; it must not
   * reject.
   */
  onCut?(window: W, parts: readonly W[]): Promise<void>;
  /** The most records of a window; undefined for any number. */
  readonly most?: number;
  /** Whether windows may be cut. */
  readonly mayCut?: boolean;
  /**
   * For a list: how many more pages may wait for their turn. Without it, windows are taken in any
   * order.
   */
  room?(): number;
  /**
   * For a list: whether a page of a window may be asked for now, with this many pages in front of
   * it.
   */
  mayTake?(window: W, pagesBefore: number): boolean;
}

/**
 * The windows of a list or a copy, in order and without a hole, shared out among jobs: an idle one
 * gets a later part of the window with most left.
 */
export class WindowPool<W extends Window> {
  /** In order. A list takes the first one away when it has walked it. */
  readonly windows: W[];
  readonly #options: PoolOptions<W>;
  /** Whether bursts are taken to go on behind a page: as the last count behind a cut told. */
  #goesOn = true;
  readonly #waste: Waste<W>;
  #stopped = false;

  /** @param windows one of all time, or those of an earlier run. */
  constructor(windows: readonly W[], options: PoolOptions<W>) {
    this.windows = [...windows];
    this.#options = options;
    this.#waste = new Waste(options.total, options.pageSize);
  }

  /** Starts no window from now on. */
  stop(): void {
    this.#stopped = true;
  }

  /** Gives windows to the jobs that have nothing to do. */
  serve(): void {
    if (this.#stopped) return;
    // For the jobs first: a part cannot be cut again before it is counted.
    while (this.#idle > 0 && this.#cutLongest());
    this.#cutLarge();
    while (!this.#stopped && this.#inState('taken') < this.#options.jobs()) {
      const window = this.#next();
      if (window === undefined) return;
      Object.assign(window, { state: 'taken', isAsking: true });
      this.#options.start(window);
    }
  }

  /** A job is done with a window, or with a page of it. */
  release(window: W): void {
    if (window.state === 'taken') window.state = 'free';
    this.serve();
  }

  /** The pages of a window that are left, one under way included. */
  pagesLeft(window: W): number {
    return window.left / this.#options.pageSize;
  }

  /**
   * Learns from a page of a window, of which no other page is under way.
   * @param held the number of the window's records that have been read, those of the page included.
   */
  afterPage(window: W, page: PageNumbers, held: number): void {
    const { density } = this.#options;
    this.#counted(window, page);
    this.#waste.onPage(page);
    window.held = held;
    if (page.isLast) {
      window.state = 'ended';
      density.settle(window, window.held);
    } else if (page.count > 0 && !Number.isNaN(page.last)) {
      const step = (page.last - page.middle) / (page.count - Math.floor(page.count / 2));
      window.latest = page.last;
      density.settle({ from: window.from, to: page.last }, window.held);
      window.burst = density.follow(window.rest, step, this.#goesOn);
    }
    window.isAsking = false;
    this.serve();
    // A copy goes on with the next page.
    window.isAsking = true;
  }

  /**
   * Takes the service's count of a span that was asked for, from the beginning of a window;
   * undefined if unusable.
   */
  #counted(window: W, { asked, total: count }: PageNumbers): void {
    const isWhole = asked.to === window.to;
    if (count === undefined || (isWhole && window.isCounted && window.count === count)) return;
    if (isWhole) {
      if (window.burstThreshold !== undefined) this.#goesOn = count > window.burstThreshold;
      Object.assign(window, { count, isCounted: true, burstThreshold: undefined });
    }
    const { density } = this.#options;
    density.learn({ from: window.from, to: asked.to }, count);
    for (const each of this.windows) {
      if (!each.isCounted) each.count = each.held + density.estimate(each.rest);
    }
  }

  /** How many jobs find no window. */
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

  /**
   * The window that a job is to take: the one with most left, or the first one where not all pages
   * may wait.
   */
  #next(): W | undefined {
    const { mayTake } = this.#options;
    let before = 0;
    const takeable = this.windows.filter((window) => {
      const may = mayTake?.(window, before) !== false;
      before += this.pagesLeft(window);
      return window.state === 'free' && may;
    });
    if (before > this.#room) return takeable[0];
    return takeable.reduce<W | undefined>(
      (most, each) => (most && most.left >= each.left ? most : each),
      undefined,
    );
  }

  get #room(): number {
    return this.#options.room?.() ?? Number.POSITIVE_INFINITY;
  }

  /** Cuts windows that hold more records than they may. */
  #cutLarge(): void {
    const { most = Number.POSITIVE_INFINITY } = this.#options;
    for (const window of [...this.windows]) {
      if (!window.isCounted || window.count <= most || window.left === 0 || !this.#mayCut(window))
        continue;
      const parts = Math.min(MOST_PARTS, Math.ceil(window.count / (FILL * most)));
      const shares = Array.from({ length: parts - 1 }, (_, index) => (index + 1) / parts);
      this.#cut(window, this.#timesOf(window, shares));
    }
  }

  /**
   * Cuts the window with most left within reach. @returns whether there was one that is worth it.
   */
  #cutLongest(): boolean {
    const reach = this.#reach();
    let longest: W | undefined;
    for (const [window, pages] of reach) {
      const most = longest === undefined ? WORTH_A_CUT : (reach.get(longest) ?? 0);
      if (pages > most && this.#mayCut(window)) longest = window;
    }
    return longest !== undefined && this.#cut(longest, this.#timesForJobs(longest, reach));
  }

  /** Where records are, is not known of a window whose first page is under way. */
  #mayCut(window: W): boolean {
    if (this.#options.mayCut === false || !window.isCuttable) return false;
    if (this.windows.length === 1 && window.held === 0) return false;
    return window.state === 'free' || (window.state === 'taken' && window.isCounted);
  }

  /** How many pages are left to ask for of each window: for a list, as many of them as may wait. */
  #reach(): ReadonlyMap<W, number> {
    const reach = new Map<W, number>();
    let room = this.#room;
    for (const window of this.windows) {
      const pages = Math.max(0, this.pagesLeft(window) - this.#underWay(window));
      reach.set(window, Math.max(0, Math.min(pages, room)));
      room -= pages;
    }
    return reach;
  }

  #underWay(window: W): number {
    return window.state === 'taken' && window.isAsking ? 1 : 0;
  }

  #timesForJobs(window: W, reach: ReadonlyMap<W, number>): readonly number[] {
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
    // The page that is under way belongs to the first part.
    let share = (this.#underWay(window) * pageSize) / window.left;
    const shares = lengths.map((length) => {
      share += (length * pageSize) / window.left;
      return share;
    });
    return this.#timesOf(window, shares);
  }

  #timesOf(window: W, shares: readonly number[]): readonly number[] {
    const times = shares
      .filter((share) => share < 1)
      .map((share) => this.#options.density.cut(window.rest, share))
      .filter((time) => time !== undefined);
    return [...new Set(times)];
  }

  /** Cuts a window at these times, in order. @returns whether there are any. */
  #cut(window: W, times: readonly number[]): boolean {
    const [first] = times;
    if (first === undefined) return false;
    const { density, part, onCut } = this.#options;
    window.burstThreshold = burstThreshold(window, first);
    const parts = times.map((from, index) => {
      const span = { from, to: times[index + 1] ?? window.to };
      return part(span, density.estimate(span));
    });
    Object.assign(window, { to: first, isCounted: false });
    window.count = window.held + density.estimate(window.rest);
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
