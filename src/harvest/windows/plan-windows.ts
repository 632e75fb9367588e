import { forEachLimited } from '../../concurrency/promises.ts';
import { ALL_TIME, type Span, understandsTimes } from '../walk/creation-time.ts';
import { FILL_SHARE } from './cuts.ts';
import { Density, type YearCount } from './density.ts';

/** The most records of a window of a copy: a file of about 200 MB, or 50 MB compressed. */
export const WINDOW_RECORDS = 50_000;
// Of one cut: for evenly spread records, many parts take fewer counts than halves.
const PLANNED_PARTS = 16;

export interface CountedSpan extends Span {
  readonly count: number;
}

interface WindowPlan {
  /** In order; they cover all time exactly once. */
  readonly windows: readonly CountedSpan[];
  /** False, with one window, when the service does not understand queries by creation time. */
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

/**
 * Cuts all time into windows of creation time by counts alone. Each window has at most `most`
 * records or is one second wide.
 * @throws what `count` throws, unless the service refuses queries by creation time.
 */
export async function planWindows(count: Count, options: PlanOptions): Promise<WindowPlan> {
  const { most, jobs, total } = options;
  const density = new Density(options);
  let windows: readonly CountedSpan[] = [{ ...ALL_TIME, count: total }];
  const middle = density.cut(ALL_TIME, 1 / 2);
  if (total > most && middle !== undefined && !(await understandsTimes(count, middle, total)))
    return { windows, understood: false };
  for (;;) {
    const parts = windows.map((window) =>
      window.count > most ? partsOf(window, most, density) : [window],
    );
    if (parts.every(({ length }) => length === 1)) break;
    const counted: CountedSpan[] = [];
    await forEachLimited(parts.flat().entries(), jobs, async ([index, span]) => {
      counted[index] = { ...span, count: 'count' in span ? span.count : await count(span) };
    });
    density.learnAll(counted);
    windows = counted;
  }
  return { windows: merged(windows, most), understood: true };
}

function partsOf(
  window: CountedSpan,
  most: number,
  density: Density,
): readonly (Span | CountedSpan)[] {
  const parts = Math.max(2, Math.min(PLANNED_PARTS, Math.ceil(window.count / (most * FILL_SHARE))));
  const times = Array.from({ length: parts - 1 }, (_, index) =>
    density.cut(window, (index + 1) / parts),
  );
  const cuts = [...new Set(times)].filter((time) => time !== undefined);
  if (cuts.length === 0) return [window];
  return [window.from, ...cuts].map((from, index) => ({ from, to: cuts[index] ?? window.to }));
}

/** Merges neighbours that fit into one window, so that empty windows cost no request. */
function merged(windows: readonly CountedSpan[], most: number): readonly CountedSpan[] {
  const kept: CountedSpan[] = [];
  for (const window of windows) {
    const last = kept.at(-1);
    const count = (last?.count ?? 0) + window.count;
    if (last === undefined || count > most) kept.push(window);
    else kept[kept.length - 1] = { from: last.from, to: window.to, count };
  }
  return kept;
}
