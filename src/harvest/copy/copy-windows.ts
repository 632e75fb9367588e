import type { Generation, LedgerWindow } from '../store/ledger-data.ts';
import type { PageNumbers, Span } from '../walk/creation-time.ts';
import { recordsInGaps } from '../walk/gap.ts';
import type { Density } from '../windows/density.ts';
import type { JobLimit } from '../windows/job-limit.ts';
import { WINDOW_RECORDS } from '../windows/plan-windows.ts';
import { WindowPool } from '../windows/pool.ts';
import { Window } from '../windows/window.ts';
import { newWindow } from './generation.ts';

interface CopyOptions {
  readonly jobs: number;
  readonly limit: JobLimit | undefined;
  readonly pageSize: number;
  /** Whether windows may be cut: not in a shard, where their numbers come from the plan. */
  readonly mayCut: boolean;
  readonly density: Density;
  save(): Promise<void>;
  /** Stops all windows. */
  fail(error: unknown): void;
}

/** Its entry in the ledger is changed only where it can be saved. */
type CopyWindow = Window<LedgerWindow>;

/** The windows of a generation, shared out among jobs in any order. */
export class CopyWindows {
  readonly #generation: Generation;
  readonly #options: CopyOptions;
  readonly #pool: WindowPool<LedgerWindow>;
  readonly #works = new Set<Promise<void>>();
  #work: (entry: LedgerWindow) => Promise<void> = async () => undefined;
  #onIdle: () => void = () => undefined;
  #nextIndex: number;
  /** Whether the number of requests at once follows the time of an answer. */
  #hasAnswer = false;

  constructor(generation: Generation, options: CopyOptions) {
    const { jobs, limit, density, mayCut } = options;
    const { windows, totalAtStart } = generation;
    this.#generation = generation;
    this.#options = options;
    this.#nextIndex = Math.max(...windows.map(({ index }) => index)) + 1;
    this.#pool = new WindowPool(windows.map(resumed), {
      ...options,
      total: totalAtStart,
      most: WINDOW_RECORDS,
      mayCut: mayCut && generation.isUncut !== true,
      jobs: () => Math.max(1, Math.min(jobs, limit?.current ?? jobs)),
      start: (window) => this.#start(window),
      part: (span, records) => this.#part(span, records),
      onCut: (window, parts) => this.#onCut(window, parts),
    });
    if (windows.length > 1) for (const window of windows) density.learn(window, window.count);
  }

  /** Works on each window that is not done. Resolves when all work has ended or failed. */
  async run(work: (entry: LedgerWindow) => Promise<void>): Promise<void> {
    this.#work = work;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      this.#pool.serve();
      if (this.#works.size === 0) resolve();
    });
  }

  /** Learns from the time of an answer, in milliseconds. */
  onAnswer(ms: number): void {
    const { limit } = this.#options;
    limit?.note(ms);
    if (!this.#hasAnswer) limit?.start();
    this.#hasAnswer = true;
  }

  /** Notes a page that is not written yet: its window ends after its last record, created then. */
  onArrival(entry: LedgerWindow, last: number): void {
    const window = this.#pool.windows.find((each) => each.data === entry);
    if (window !== undefined && !(window.arrived >= last)) window.arrived = last;
  }

  /**
   * Notes what has been written. Afterwards the window may end earlier.
   * @param page undefined for a gap.
   * @param restart the creation time in milliseconds from which the walk has started over, or null.
   * @param read the records of the window so far, including the records in its gaps.
   */
  afterStep(
    entry: LedgerWindow,
    page: PageNumbers | undefined,
    restart: number | null,
    read: number,
  ): void {
    const window = this.#pool.windows.find((each) => each.data === entry);
    if (window === undefined || window.state === 'ended') return;
    if (restart !== null && !(window.latest >= restart)) window.latest = restart;
    if (page === undefined) return;
    const last = Math.max(page.last, restart ?? page.last);
    // After a start over, the service counts a part of the window.
    this.#pool.afterPage(
      window,
      { ...page, last, total: restart === null ? page.total : undefined },
      read,
    );
    if (window.isCounted) this.#updateEntry(window);
  }

  #start(window: CopyWindow): void {
    const work = this.#work(window.data)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        window.state = 'ended';
        this.#works.delete(work);
        this.#pool.serve();
        if (this.#works.size === 0) this.#onIdle();
      });
    this.#works.add(work);
  }

  #fail(error: unknown): void {
    this.#pool.stop();
    this.#options.fail(error);
  }

  #part({ from, to }: Span, records: number): CopyWindow {
    const count = Math.round(records);
    const entry: LedgerWindow = {
      ...newWindow(this.#nextIndex, { from, to, count }),
      estimated: true,
    };
    this.#nextIndex += 1;
    return new Window({ from, to }, count, entry);
  }

  /** Saves a cut before its parts are fetched. */
  async #onCut(window: CopyWindow, parts: readonly CopyWindow[]): Promise<void> {
    const { windows } = this.#generation;
    // Without an await in between: another window may save the ledger at any time.
    this.#updateEntry(window);
    windows.splice(windows.indexOf(window.data) + 1, 0, ...parts.map(({ data }) => data));
    await this.#options.save().catch((error: unknown) => this.#fail(error));
  }

  #updateEntry({ data: entry, to, count, isCounted }: CopyWindow): void {
    entry.to = to;
    if (!isCounted) {
      Object.assign(entry, { count: Math.round(count), estimated: true });
      return;
    }
    // A failing shard counts less (service.md, P18).
    entry.count = entry.estimated === true ? count : Math.max(entry.count, count);
    delete entry.estimated;
  }
}

function resumed(entry: LedgerWindow): CopyWindow {
  const window = new Window(entry, entry.count, entry, entry.estimated !== true);
  window.read = entry.records + recordsInGaps(entry.gaps);
  if (window.read > 0)
    window.latest = Math.max(
      entry.latest ?? Number.NaN,
      entry.restart ?? entry.latest ?? Number.NaN,
    );
  if (entry.done) window.state = 'ended';
  return window;
}
