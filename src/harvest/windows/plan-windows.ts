import { forEachLimited } from '../../concurrency/for-each.ts';
import { CliError } from '../../errors.ts';
import { ALL_TIME, type Span } from '../walk/creation-time.ts';
import { Density } from './density.ts';
import { FILL, MOST_PARTS_COUNTED } from './tuning.ts';
import type { YearCount } from './year-counts.ts';

export interface CountedSpan extends Span {
  readonly count: number;
}

interface WindowPlan {
  /** In order, covering all time exactly once: each begins where the previous one ends. */
  readonly windows: readonly CountedSpan[];
  readonly total: number;
  /** False, with one window, when the counts do not add up: the service ignores `query`, for example. */
  readonly understood: boolean;
}

interface PlanOptions {
  /** The most records of a window; a single second may hold more. */
  readonly most: number;
  readonly now: number;
  readonly jobs: number;
  readonly total: number;
  readonly years: readonly YearCount[];
}

type Count = (span: Span) => Promise<number>;

// Records may be added or hidden between two counts.
const ROUNDS = 3;

/**
 * Cuts all time into windows of creation time, by counts alone. Each holds at most `most` records or is one second
 * wide. After each round of cuts, all windows together have to hold as many records as the service counts in the
 * whole.
 * @throws whatever `count` throws, unless the service refuses queries by creation time.
 */
export async function planWindows(count: Count, options: PlanOptions): Promise<WindowPlan> {
  const { most, jobs, total: before } = options;
  const density = new Density(options);
  const whole = { ...ALL_TIME, count: before };
  const totals = [before];
  let windows: readonly CountedSpan[] = [whole];
  for (;;) {
    const parts = windows.map((window) => (window.count > most ? partsOf(window, most, density) : [window]));
    if (parts.every(({ length }) => length === 1)) break;
    const counted = await countParts(parts.flat(), { count, jobs, totals }).catch(undefinedIfRefused);
    if (counted === undefined) return { windows: [whole], total: totals.at(-1) ?? before, understood: false };
    density.learnAll(counted);
    windows = counted;
  }
  return { windows: merged(windows, most), total: totals.at(-1) ?? before, understood: true };
}

/** The service has counted the query without a clause on the creation time, and refuses it with one. */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof CliError && error.kind === 'rejected')) throw error;
}

function partsOf(window: CountedSpan, most: number, density: Density): readonly (Span | CountedSpan)[] {
  const parts = Math.max(2, Math.min(MOST_PARTS_COUNTED, Math.ceil(window.count / (most * FILL))));
  const times = Array.from({ length: parts - 1 }, (_, index) => density.cut(window, (index + 1) / parts));
  const cuts = [...new Set(times)].filter((time) => time !== undefined);
  if (cuts.length === 0) return [window];
  return [window.from, ...cuts].map((from, index) => ({ from, to: cuts[index] ?? window.to }));
}

/**
 * Counts the spans that have not been counted; undefined where their sum is not a count of the whole, before or
 * since.
 * @param totals the counts of the whole so far; adds those that it asks for.
 */
async function countParts(
  spans: readonly (Span | CountedSpan)[],
  { count, jobs, totals }: { readonly count: Count; readonly jobs: number; readonly totals: number[] },
): Promise<readonly CountedSpan[] | undefined> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const counted: CountedSpan[] = [];
    await forEachLimited(spans.entries(), jobs, async ([index, span]) => {
      const known =
        'count' in span && round === 1 ? span.count : await count({ from: span.from, to: span.to });
      counted[index] = { from: span.from, to: span.to, count: known };
    });
    const sum = counted.reduce((all, each) => all + each.count, 0);
    if (sum !== totals.at(-1)) totals.push(await count(ALL_TIME));
    if (Math.min(...totals) <= sum && sum <= Math.max(...totals)) return counted;
  }
  return undefined;
}

/** Merges neighbours that fit into one window, so that no request is spent on an empty one. */
export function merged(windows: readonly CountedSpan[], most: number): readonly CountedSpan[] {
  const kept: CountedSpan[] = [];
  for (const window of windows) {
    const last = kept.at(-1);
    const count = (last?.count ?? 0) + window.count;
    if (last === undefined || count > most) kept.push(window);
    else kept[kept.length - 1] = { from: last.from, to: window.to, count };
  }
  return kept;
}
