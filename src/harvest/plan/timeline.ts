import { isObject } from '../../text/json-values.ts';
import { ALL_TIME, type Span } from '../walk/creation-time.ts';

export interface YearCount {
  readonly year: number;
  readonly count: number;
}

/** A time in which records are taken to be spread evenly; `to` is excluded. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const DAY_MS = 86_400_000;
// The years that have four digits.
const MIN_TIME = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');
// No record should be older than 2000, or more than a day in the future.
const USUAL_FROM = Date.UTC(2000, 0);
// The most years that the facet lists (service.md, P19).
const MOST_YEARS = 10;
// Each makes every estimate slower.
const MOST_ENTRIES = 100;

/**
 * What is known of when the records of a query were created: an estimate that exact counts refine. It only
 * says where a cut is worthwhile, so that a wrong estimate costs requests and never records.
 */
export class Timeline {
  /** In order and without a hole. */
  #stretches: readonly Stretch[];
  /** When records are created that nothing else is known of. */
  readonly #usual: Range;

  private constructor(stretches: readonly Stretch[], usual: Range) {
    this.#stretches = stretches;
    this.#usual = usual;
  }

  /**
   * Knows the number of all records alone.
   * @param oldest the creation time of the first record, where it is known.
   */
  static even(total: number, now: number, oldest = USUAL_FROM): Timeline {
    const usualTo = Math.max(USUAL_FROM, Math.ceil(now)) + DAY_MS;
    const from = Math.max(MIN_TIME, Math.min(oldest, usualTo - DAY_MS));
    const timeline = new Timeline([{ from: MIN_TIME, to: MAX_TIME, count: 0 }], { from, to: usualTo });
    timeline.learn(ALL_TIME, total);
    return timeline;
  }

  /** Knows the facet of the years, which names the latest ones only: further records are older. */
  static fromYears(years: readonly YearCount[], total: number, now: number, oldest?: number): Timeline {
    const timeline = Timeline.even(total, now, oldest);
    const sum = years.reduce((all, { count }) => all + count, 0);
    const first = Math.min(...years.map(({ year }) => year));
    if (sum === 0) return timeline;
    const { to: usualTo } = timeline.#usual;
    timeline.learn(ALL_TIME, 0);
    for (const { year, count } of years) {
      const [from, to] = [startOf(year), startOf(year + 1)];
      timeline.learn({ from, to: from < usualTo ? Math.min(to, usualTo) : to }, count);
    }
    if (years.length >= MOST_YEARS && sum < total) {
      timeline.learn({ from: null, to: startOf(first) }, total - sum);
    }
    timeline.learn(ALL_TIME, total);
    return timeline;
  }

  estimate(span: Span): number {
    return sumOf(within(this.#stretches, rangeOf(span)));
  }

  /** Takes a count for exact. How the records are spread within the span stays as estimated. */
  learn(span: Span, count: number): void {
    const range = rangeOf(span);
    if (range.from >= range.to) return;
    const known = within(this.#stretches, range);
    const sum = sumOf(known);
    const learnt =
      sum > 0
        ? known.map((stretch) => ({ ...stretch, count: (stretch.count * count) / sum }))
        : spread(range, this.#usual, count);
    this.#stretches = [
      ...within(this.#stretches, { from: MIN_TIME, to: range.from }),
      ...learnt,
      ...within(this.#stretches, { from: range.to, to: MAX_TIME }),
    ];
  }

  /**
   * The time before which about this share of the span's records was created: later than the start of the span
   * and earlier than its end. Undefined where a span of one millisecond leaves no such time.
   * @param share from 0 to 1.
   */
  cut(span: Span, share: number): number | undefined {
    const range = rangeOf(span);
    if (range.to - range.from <= 1) return undefined;
    let known = within(this.#stretches, range);
    if (sumOf(known) === 0) known = spread(range, this.#usual, 1);
    let left = sumOf(known) * share;
    let cut = range.to;
    for (const { from, to, count } of known) {
      if (count === 0) continue;
      // Sums are not exact: at the end, more may seem to be left than the last stretch has.
      cut = from + Math.round((to - from) * Math.min(1, left / count));
      if (count >= left) break;
      left -= count;
    }
    return Math.min(range.to - 1, Math.max(range.from + 1, cut));
  }
}

/** The counts by year in `meta` of an answer to `facets=created` (service.md, P19); none where it has no usable ones. */
export function yearCounts(meta: unknown): readonly YearCount[] {
  const facet = isObject(meta) ? meta['created'] : undefined;
  if (!Array.isArray(facet) || facet.length > MOST_ENTRIES) return [];
  const counts = facet.map((entry: unknown): YearCount | undefined => {
    const { id, count } = isObject(entry) ? entry : {};
    const year = typeof id === 'string' && /^\d{4}$/.test(id) ? Number(id) : 0;
    const usable = year >= 1 && year < 9999 && Number.isSafeInteger(count) && (count as number) >= 0;
    return usable ? { year, count: count as number } : undefined;
  });
  const years = new Set(counts.map((entry) => entry?.year));
  return years.size === counts.length && !years.has(undefined)
    ? counts.filter((entry) => entry !== undefined)
    : [];
}

function startOf(year: number): number {
  // Not Date.UTC, which takes 99 for 1999.
  return Date.parse(`${String(year).padStart(4, '0')}-01-01T00:00:00.000Z`);
}

type Range = Pick<Stretch, 'from' | 'to'>;

function rangeOf({ from, to }: Span): Range {
  return { from: from ?? MIN_TIME, to: to ?? MAX_TIME };
}

function within(stretches: readonly Stretch[], range: Range): readonly Stretch[] {
  return stretches.flatMap((stretch) => {
    const [from, to] = [Math.max(stretch.from, range.from), Math.min(stretch.to, range.to)];
    if (from >= to) return [];
    return [{ from, to, count: (stretch.count * (to - from)) / (stretch.to - stretch.from) }];
  });
}

function sumOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { count }) => sum + count, 0);
}

/** Records spread evenly over the usual part of a range, or over all of it where it has no such part. */
function spread(range: Range, usual: Range, count: number): readonly Stretch[] {
  const [usualPart] = within([{ ...usual, count }], range);
  if (usualPart === undefined) return [{ ...range, count }];
  const { from, to } = usualPart;
  return [
    { from: range.from, to: from, count: 0 },
    { from, to, count },
    { from: to, to: range.to, count: 0 },
  ].filter((stretch) => stretch.from < stretch.to);
}
