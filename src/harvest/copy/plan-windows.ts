import { Semaphore } from '../../concurrency/semaphore.ts';
import { cutEvenly } from '../plan/cuts.ts';
import { Timeline, type YearCount } from '../plan/timeline.ts';
import { ALL_TIME, type Span } from '../walk/creation-time.ts';

export interface Window extends Span {
  readonly count: number;
}

interface WindowPlan {
  /** In order, covering all time exactly once: each begins where the previous one ends. */
  readonly windows: readonly Window[];
  readonly total: number;
  /** False, with one window, when the counts do not add up: the service ignores `query`, for example. */
  readonly understood: boolean;
}

interface PlanOptions {
  /** The most records of a window; a single millisecond may hold more. */
  readonly most: number;
  readonly now: number;
  readonly jobs: number;
  readonly total: number;
  readonly years: readonly YearCount[];
}

// Cutting into many pieces takes fewer counts than halving where records are spread evenly (1.5 for each
// window instead of 3), and as many where they are not; only ties alone in a long time cost more.
const MAX_PIECES = 16;
// How full pieces should be; fuller ones would too often be cut again.
const FILL = 0.9;
const ROUNDS = 3;

/**
 * Cuts all time into windows of creation time. Each holds at most `most` records or is one millisecond wide;
 * a millisecond with more records is never merged with another window.
 *
 * Every cut is checked: all pieces are counted, and where their sum differs from the count of the whole, the
 * whole is counted again, and the sum must lie between its least and its greatest count. That is repeated up
 * to {@link ROUNDS} times, because records may be added or hidden in between.
 * @param count the number of records created in a span: `page[size]=0` gives it alone (service.md, P2).
 * @throws whatever `count` throws.
 */
export async function planWindows(
  count: (span: Span) => Promise<number>,
  options: PlanOptions,
): Promise<WindowPlan> {
  let over = false;
  const slots = new Semaphore(Math.max(1, options.jobs));
  const ask = ({ from, to }: Span): Promise<Window> =>
    slots.run(async () => {
      if (over) throw new CountsDiffer();
      return { from, to, count: await count({ from, to }) };
    });

  const whole = { ...ALL_TIME, count: options.total };
  try {
    const timeline = Timeline.fromYears(options.years, whole.count, options.now);
    const windows = merged(await fitting(whole, ask, options.most, timeline), options.most);
    const sum = windows.reduce((total, window) => total + window.count, 0);
    const total = sum === whole.count ? sum : (await ask(ALL_TIME)).count;
    return { windows, total, understood: true };
  } catch (error) {
    if (!(error instanceof CountsDiffer)) throw error;
    return { windows: [whole], total: whole.count, understood: false };
  } finally {
    // Counts that still wait are not needed any more.
    over = true;
  }
}

/** The counts of the parts of a window are not those of the whole. */
export class CountsDiffer extends Error {}

type Ask = (span: Span) => Promise<Window>;

async function fitting(
  window: Window,
  ask: Ask,
  most: number,
  timeline: Timeline,
): Promise<readonly Window[]> {
  const cuts = window.count <= most ? [] : cutsOf(window, most, timeline);
  if (cuts.length === 0) return [window];
  const pieces = [window.from, ...cuts].map((from, i) => ({ from, to: cuts[i] ?? window.to }));
  const parts = await countPieces(window, pieces, ask);
  for (const part of parts) timeline.learn(part, part.count);
  return (await Promise.all(parts.map((part) => fitting(part, ask, most, timeline)))).flat();
}

/** The pieces of a window with their counts. @throws {CountsDiffer} */
export async function countPieces(
  window: Window,
  pieces: readonly Span[],
  ask: Ask,
): Promise<readonly Window[]> {
  const seen = [window.count];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const parts = await Promise.all(pieces.map(ask));
    const sum = parts.reduce((total, part) => total + part.count, 0);
    if (sum !== seen.at(-1)) seen.push((await ask(window)).count);
    if (Math.min(...seen) <= sum && sum <= Math.max(...seen)) return parts;
  }
  throw new CountsDiffer();
}

function cutsOf(window: Window, most: number, timeline: Timeline): readonly number[] {
  const pieces = Math.min(MAX_PIECES, Math.ceil(window.count / (most * FILL)));
  return cutEvenly(timeline, window, Math.max(2, pieces));
}

/** Merges neighbours that fit into one window, so that no request is spent on an empty one. */
function merged(windows: readonly Window[], most: number): readonly Window[] {
  const kept: Window[] = [];
  for (const window of windows) {
    const last = kept.at(-1);
    const count = (last?.count ?? 0) + window.count;
    if (last === undefined || count > most) kept.push(window);
    else kept[kept.length - 1] = { from: last.from, to: window.to, count };
  }
  return kept;
}
