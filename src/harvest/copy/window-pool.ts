import type { JobLimit } from '../../concurrency/job-limit.ts';
import { CliError } from '../../errors.ts';
import { cutsOf, type Demand } from '../plan/cuts.ts';
import type { Timeline } from '../plan/timeline.ts';
import type { Generation, WindowState } from '../store/ledger-data.ts';
import { ALL_TIME, type Span } from '../walk/creation-time.ts';
import type { Position } from '../walk/window.ts';
import { MAX_RECORDS, newWindow } from './generation.ts';
import { CountsDiffer, countPieces } from './plan-windows.ts';
import { recordsInGaps, type WrittenPage } from './window-job.ts';

/** The service's answers to the windows do not add up to that for all time. */
export class NotUnderstood extends CliError {
  constructor() {
    super('incomplete', 'the service does not understand queries by creation time');
    this.name = 'NotUnderstood';
  }
}

interface PoolOptions {
  readonly jobs: number;
  readonly limit: JobLimit | undefined;
  readonly pageSize: number;
  /** Whether windows may be cut: the windows of a shard may not, because their numbers come from the plan. */
  readonly mayCut: boolean;
  readonly timeline: Timeline;
  count(span: Span): Promise<number>;
  /** How many requests wait for their turn in the rate limit: more windows at once would not be faster. */
  waiting(): number;
  save(): Promise<void>;
  /** Called once, when no window has more than one page left. */
  onEnding(): void;
}

interface Progress {
  left: number;
  /** The same when the window was cut; undefined when its size is known since. */
  leftBefore?: number | undefined;
  misses: number;
}

// The service is asked for at most a tenth more requests than full pages would take, because of pages that are
// not full and counts. A part of that is for the counts at the end, and for bad luck.
const WASTE = 0.1;
// A harvest of at most this many pages may waste more: each job needs a window.
const FEW_PAGES = 100;
const WASTE_OF_FEW = 20;
const RESERVED = 2;
// Pages that a further window wastes: its last page is half full on average.
const WASTED_BY_WINDOW = 0.5;
// A cut that leaves more of the records than this in the earlier part was in vain.
const MISSED = 0.9;

/**
 * The windows of a generation that are not done, shared out among jobs. A job that finds none waits, and gets
 * the later part of a window that another job walks: between two of its pages, that window is cut at a time
 * after its latest record.
 */
export class WindowPool {
  readonly #generation: Generation;
  readonly #options: PoolOptions;
  readonly #timeline: Timeline;
  readonly #progress = new Map<WindowState, Progress>();
  readonly #queue: WindowState[] = [];
  readonly #walked = new Map<WindowState, () => void>();
  readonly #waiting: ((window: WindowState | undefined) => void)[] = [];
  #running = 0;
  // Windows that the ledger does not know yet.
  #coming = 0;
  #failed = false;
  // Whether the time of an answer has told how many windows to fetch at once.
  #judged = false;
  #wasted = 0;
  #ending = false;
  #proof: Promise<void> | undefined;

  constructor(generation: Generation, options: PoolOptions) {
    this.#generation = generation;
    this.#options = options;
    const { windows } = generation;
    this.#timeline = options.timeline;
    for (const window of windows) {
      if (windows.length > 1) this.#timeline.learn(window, window.count);
      if (window.done) continue;
      const held = window.records + recordsInGaps(window.gaps);
      this.#progress.set(window, { left: Math.max(0, window.count - held), misses: 0 });
      this.#queue.push(window);
    }
  }

  /**
   * Does some work for each window, the largest first. A job takes the next one once all pages of one are
   * there.
   * @throws the first failure, once all work under way has ended; no work begins after a failure.
   */
  async run(work: (window: WindowState) => Promise<void>): Promise<void> {
    const failures: unknown[] = [];
    const works: Promise<void>[] = [];
    const job = async () => {
      for (let window = await this.#next(); window !== undefined; window = await this.#next()) {
        const walked = new Promise<void>((resolve) => this.#walked.set(window, resolve));
        const ended = work(window).catch((error: unknown) => {
          failures.push(error);
          this.#failed = true;
        });
        works.push(ended);
        await Promise.race([walked, ended]);
        this.#running -= 1;
        this.#progress.delete(window);
        this.#serve();
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, this.#options.jobs) }, job));
    if (failures.length === 0) this.#announceEnd();
    await Promise.all(works);
    if (failures.length > 0) throw failures[0];
    if (this.#generation.cuts === 'unproven') await this.#compareCounts();
  }

  #next(): Promise<WindowState | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#serve();
    });
  }

  onAnswer(ms: number): void {
    const { limit } = this.#options;
    limit?.note(ms);
    if (!this.#judged) limit?.start();
    this.#judged = true;
    this.#serve();
  }

  get #jobs(): number {
    const { jobs, limit } = this.#options;
    return Math.max(1, Math.min(jobs, limit?.current ?? jobs));
  }

  /** Gives windows to the jobs that wait; undefined when there will be none. */
  #serve(): void {
    while (this.#waiting.length > 0) {
      if (!this.#failed && this.#running >= this.#jobs) return;
      const window = this.#failed ? undefined : this.#largest();
      if (window === undefined && !this.#failed && this.#running > 0) return;
      if (window !== undefined) this.#running += 1;
      this.#waiting.shift()?.(window);
    }
  }

  #largest(): WindowState | undefined {
    const left = (window: WindowState) => this.#progress.get(window)?.left ?? 0;
    this.#queue.sort((a, b) => left(b) - left(a));
    return this.#queue.shift();
  }

  /**
   * Takes note of a page, after which the window may end earlier: then the ledger knows the windows after it.
   * @param held the records of the window so far, and those in its gaps.
   * @throws {NotUnderstood} when the first cuts show that the service does not understand them.
   */
  async afterPage(window: WindowState, page: WrittenPage, position: Position, held: number): Promise<void> {
    const { restart, latest, cursor } = position;
    const progress = this.#progress.get(window);
    if (progress === undefined) return;
    if (page.total !== undefined && restart === null)
      this.#learn(window, progress, page.total, held - page.count);
    progress.left = cursor === null ? 0 : Math.max(0, window.count - held);
    if (cursor === null) this.#wasted += Math.max(0, 1 - page.count / this.#options.pageSize);
    await this.#prove(window, page, latest, held);
    if (cursor === null) this.#walked.get(window)?.();
    else if (latest !== null) await this.#cut(window, progress, Math.max(latest, restart ?? latest), held);
    const { pageSize } = this.#options;
    const last = [...this.#progress].every(([{ estimated }, { left }]) => !estimated && left <= pageSize);
    if (last && this.#coming === 0) this.#announceEnd();
  }

  #announceEnd(): void {
    if (!this.#ending) this.#options.onEnding();
    this.#ending = true;
  }

  #learn(window: WindowState, progress: Progress, total: number, heldBefore: number): void {
    if (window.estimated !== true) {
      window.count = Math.max(window.count, total);
      return;
    }
    window.count = total;
    delete window.estimated;
    this.#timeline.learn(window, total);
    const { leftBefore } = progress;
    if (leftBefore === undefined) return;
    progress.misses = total - heldBefore > MISSED * leftBefore ? progress.misses + 1 : 0;
    progress.leftBefore = undefined;
  }

  /** Looks for evidence that the service understands the windows of the first cut. */
  async #prove({ from, to }: Span, page: WrittenPage, latest: number | null, held: number): Promise<void> {
    const generation = this.#generation;
    if (generation.cuts !== 'unproven') return;
    const early = from !== null && page.first < from;
    const late = to !== null && latest !== null && latest >= to;
    if (early || late) throw new NotUnderstood();
    if (page.total === undefined) return;
    // Every window lacks the records of the others, unless these are empty.
    if (page.total >= generation.totalAtStart || page.total < held) await this.#compareCounts();
    else if (page.count === 0) return;
    delete generation.cuts;
  }

  #compareCounts(): Promise<void> {
    const { windows, totalAtStart } = this.#generation;
    const { count } = this.#options;
    const ask = async ({ from, to }: Span) => {
      this.#wasted += 1;
      return { from, to, count: await count({ from, to }) };
    };
    const whole = { ...ALL_TIME, count: totalAtStart };
    this.#proof ??= countPieces(whole, [...windows], ask).then(
      () => {
        delete this.#generation.cuts;
      },
      (error: unknown) => {
        throw error instanceof CountsDiffer ? new NotUnderstood() : error;
      },
    );
    return this.#proof;
  }

  async #cut(window: WindowState, progress: Progress, latest: number, held: number): Promise<void> {
    const generation = this.#generation;
    const { windows } = generation;
    if (!this.#options.mayCut || generation.cuts !== undefined) return;
    const timeline = this.#timeline;
    const { from, to } = window;
    const { left, misses } = progress;
    const cuts = cutsOf({ from, to, latest, held, left, misses }, timeline, this.#demand());
    const [end, ...ends] = [...cuts, to];
    if (cuts.length === 0 || end === undefined) return;
    const first = Math.max(...windows.map(({ index }) => index)) + 1;
    const parts = cuts.map((cut, place): WindowState => {
      const span = { from: cut, to: ends[place] ?? null };
      const count = Math.round(timeline.estimate(span));
      return { ...newWindow(first + place, { ...span, count }), estimated: true };
    });
    // No await in between: another window may save the ledger at any time.
    if (windows.length === 1) generation.cuts = 'unproven';
    progress.leftBefore = left;
    progress.left = Math.round(timeline.estimate({ from: latest, to: end }));
    Object.assign(window, { to: end, count: held + progress.left, estimated: true });
    windows.splice(windows.indexOf(window) + 1, 0, ...parts);
    this.#coming += parts.length;
    await this.#options.save().finally(() => {
      this.#coming -= parts.length;
    });
    for (const part of parts) this.#progress.set(part, { left: part.count, misses: 0 });
    this.#queue.push(...parts);
    this.#serve();
  }

  #demand(): Demand {
    const { pageSize } = this.#options;
    const jobs = this.#jobs;
    const lefts = Array.from(this.#progress.values(), ({ left }) => left).filter((left) => left > 0);
    const pages = this.#generation.totalAtStart / pageSize;
    const most = pages > FEW_PAGES ? WASTE * pages : WASTE_OF_FEW;
    const allowed = most - RESERVED - this.#wasted;
    const free = this.#options.waiting() > 0 ? 0 : Math.min(this.#waiting.length, jobs - this.#running);
    return {
      idle: free - this.#queue.length - this.#coming,
      jobs,
      leftInAll: lefts.reduce((sum, left) => sum + left, 0),
      mostLeft: Math.max(0, ...lefts),
      spare: Math.floor(allowed / WASTED_BY_WINDOW) - lefts.length - this.#coming,
      pageSize,
      most: MAX_RECORDS,
    };
  }
}
