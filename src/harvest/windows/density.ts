import { isObject, objectsOf } from '../../text/json-values.ts';
import { ALL_TIME, type Span } from '../walk/creation-time.ts';
import { type Burst, secondAfter } from './window.ts';

// The later half of a page shows a burst if it is denser than the rest by this factor.
const BURST_FACTOR = 3;
// Share of the records kept for the unlikely guess.
const UNLIKELY_SHARE = 0.2;
// Counts of years and windows overlap: fitting one changes the others.
const FIT_ROUNDS = 5;
// With a smaller change, the density agrees with all counts.
const FITS_RECORDS = 1;

/** A range of times; `to` is excluded. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** A range in which records are assumed to be spread evenly. */
interface Stretch extends Range {
  count: number;
  /** Whether its records have been read: then their number is certain. */
  readonly isRead: boolean;
}

const DAY_MS = 86_400_000;
// The years that have four digits.
const MIN_TIME = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');
// No record should be from before 2000, or from more than a day in the future.
const USUAL_FROM = Date.UTC(2000, 0);
// The most years that the facet lists (service.md, P19).
const FACET_YEARS = 10;

interface FirstAnswer {
  /** The number of all records. */
  readonly total: number;
  readonly years: readonly YearCount[];
  /** The creation time of the first record, where it is known. */
  readonly oldest?: number | undefined;
  readonly now: number;
}

/** Estimates when the records of a query were created, from pages and counts. */
export class Density {
  /** In order, without gaps. */
  readonly #stretches: Stretch[] = [{ from: MIN_TIME, to: MAX_TIME, count: 0, isRead: false }];
  /** The service's counts of all records, years and windows, even of cut ones; the widest first. */
  #counts: readonly (Range & { readonly count: number })[] = [];
  /** Whether the density agrees with all counts: it is fitted only when it is used. */
  #isFitted = false;
  /** Where to expect records of unknown times. */
  readonly #usual: Range;

  /** The facet has only the latest years: further records are older. */
  constructor({ total, years, oldest = USUAL_FROM, now }: FirstAnswer) {
    const to = Math.max(USUAL_FROM, Math.ceil(now)) + DAY_MS;
    this.#usual = { from: Math.max(MIN_TIME, Math.min(oldest, to - DAY_MS)), to };
    const sum = years.reduce((all, { count }) => all + count, 0);
    const counted: [Range, number][] = [];
    for (const { year, count } of sum === 0 || sum > total ? [] : years) {
      const from = startOf(year);
      const end = startOf(year + 1);
      counted.push([{ from, to: from < to ? Math.min(end, to) : end }, count]);
    }
    if (years.length >= FACET_YEARS && sum > 0 && sum < total) {
      const first = startOf(Math.min(...years.map(({ year }) => year)));
      counted.push([{ from: MIN_TIME, to: first }, total - sum]);
    }
    // Here and not by fitting, which would empty years without records slowly.
    const uncounted = total - counted.reduce((all, [, count]) => all + count, 0);
    if (uncounted > 0) this.#balance(this.#usual, uncounted);
    for (const [range, count] of counted) this.#balance(range, count);
    for (const [range, count] of [...counted, [rangeOf(ALL_TIME), total] as const])
      this.#note(range, count);
  }

  /** About how many records were created in a span. */
  estimate(span: Span): number {
    this.#fit();
    return sumOf(within(this.#stretches, rangeOf(span)));
  }

  /** Learns a count of the service. Uncounted parts share the rest of the counts around them. */
  learn(span: Span, count: number): void {
    const range = rangeOf(span);
    if (range.from >= range.to) return;
    this.#note(range, count);
  }

  /** Learns counts of spans that cover all time exactly once. They replace all earlier counts. */
  learnAll(counts: readonly (Span & { readonly count: number })[]): void {
    this.#counts = counts.map(({ count, ...span }) => ({ ...rangeOf(span), count }));
    this.#isFitted = false;
  }

  /** Marks a span as read, with its number of records. */
  markRead(span: Span, count: number): void {
    const range = rangeOf(span);
    this.#replace(range, [{ ...range, count, isRead: true }]);
    this.#counts = this.#counts.filter(({ from, to }) => from < range.from || to > range.to);
    this.#isFitted = false;
  }

  /**
   * The burst after a page whose later half is much denser than the rest of its window, if any.
   * @param step milliseconds for each record in the later half of the page; NaN if unknown.
   * @param continues a guess whether the burst continues after the page.
   */
  burstAfter(rest: Span, step: number, continues: boolean): Burst | undefined {
    const range = rangeOf(rest);
    const { from } = range;
    if (from >= range.to) return undefined;
    // At most the count up to the end of the year. Only few records are after the usual times.
    const ends = [this.#usual.to, ...this.#counts.map(({ to }) => to)].filter((to) => to > from);
    const to = Math.min(range.to, ...ends);
    const most = this.estimate({ from, to });
    const near = Math.min(to, Math.max(secondAfter(from), from + most * step));
    if (!(most > 0 && near - from < (to - from) / BURST_FACTOR)) return undefined;
    // A second cannot be cut: further cuts belong after it. One burst hardly has all later records
    // of a list.
    const isLikely = continues && near > secondAfter(from) && to < this.#usual.to;
    const share = isLikely ? 1 - UNLIKELY_SHARE : UNLIKELY_SHARE;
    this.#replace({ from, to: near }, [{ from, to: near, count: most * share, isRead: false }]);
    this.#balance({ from: near, to }, most * (1 - share));
    return { to: near, count: most, until: to };
  }

  /** The whole second, if any, that divides the records of a span at about this share. */
  cut(span: Span, share: number): number | undefined {
    this.#fit();
    const range = rangeOf(span);
    let known = within(this.#stretches, range);
    if (sumOf(known) === 0) known = [this.#emptyPart(range)];
    let left = sumOf(known) * share;
    let cut = range.to;
    for (const { from, to, count } of known) {
      if (count === 0) continue;
      // Sums are not exact: at the end, more may be left than the last stretch has.
      cut = from + (to - from) * Math.min(1, left / count);
      if (count >= left) break;
      left -= count;
    }
    const earliest = secondAfter(range.from);
    const latest = secondAfter(range.to - 1) - secondAfter(0);
    return earliest > latest
      ? undefined
      : Math.min(latest, Math.max(earliest, secondAfter(cut - 1)));
  }

  /** The part of a range in usual times, or all of it. */
  #emptyPart(range: Range): Stretch {
    const from = Math.max(range.from, this.#usual.from);
    const to = Math.min(range.to, this.#usual.to);
    return { ...(from < to ? { from, to } : range), count: 1, isRead: false };
  }

  #note(range: Range, count: number): void {
    const isKnown = (each: Range & { count: number }) =>
      each.from === range.from && each.to === range.to && each.count === count;
    if (this.#counts.some(isKnown)) return;
    this.#isFitted = false;
    const others = this.#counts.filter(({ from, to }) => from !== range.from || to !== range.to);
    this.#counts = [...others, { ...range, count }].sort((a, b) => b.to - b.from - (a.to - a.from));
  }

  /** Scales the stretches that have not been read until they nearly agree with all counts. */
  #fit(): void {
    if (this.#isFitted) return;
    this.#isFitted = true;
    for (let round = 0; round < FIT_ROUNDS; round += 1) {
      let change = 0;
      for (const { count, ...range } of this.#counts)
        change = Math.max(change, this.#balance(range, count));
      if (change < FITS_RECORDS) return;
    }
  }

  /** Scales a range to a number of records. @returns how many it adds or removes. */
  #balance(range: Range, count: number): number {
    const inside = this.#inside(range);
    const open = inside.filter(({ isRead }) => !isRead);
    const before = sumOf(open);
    const now = Math.max(0, count - sumOf(inside.filter(({ isRead }) => isRead)));
    if (before === now) return 0;
    const length = open.reduce((sum, { from, to }) => sum + to - from, 0);
    for (const each of open) {
      each.count =
        before > 0 ? (each.count * now) / before : (now * (each.to - each.from)) / length;
    }
    return Math.abs(now - before);
  }

  #inside({ from, to }: Range): readonly Stretch[] {
    return this.#stretches.slice(this.#split(from), this.#split(to));
  }

  /** Splits the stretch at a time. @returns the index of the later part; the length at the end. */
  #split(time: number): number {
    const index = indexAt(this.#stretches, time);
    const stretch = this.#stretches[index];
    if (stretch === undefined) return this.#stretches.length;
    if (stretch.from === time) return index;
    const count = (stretch.count * (time - stretch.from)) / (stretch.to - stretch.from);
    const parts = [
      { ...stretch, to: time, count },
      { ...stretch, from: time, count: stretch.count - count },
    ];
    this.#stretches.splice(index, 1, ...parts);
    return index + 1;
  }

  #replace(range: Range, stretches: readonly Stretch[]): void {
    if (range.from >= range.to) return;
    const begin = this.#split(range.from);
    this.#stretches.splice(begin, this.#split(range.to) - begin, ...stretches);
  }
}

function startOf(year: number): number {
  // Not Date.UTC, which takes 99 for 1999.
  return Date.parse(`${String(year).padStart(4, '0')}-01-01T00:00:00.000Z`);
}

function rangeOf({ from, to }: Span): Range {
  return { from: from ?? MIN_TIME, to: to ?? MAX_TIME };
}

/** The index of the stretch with a time; the length for the end of time. */
function indexAt(stretches: readonly Stretch[], time: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle] as Stretch).to > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function within(stretches: readonly Stretch[], { from, to }: Range): readonly Stretch[] {
  const parts: Stretch[] = [];
  for (let index = indexAt(stretches, from); index < stretches.length; index += 1) {
    const stretch = stretches[index] as Stretch;
    if (stretch.from >= to) break;
    if (stretch.from >= from && stretch.to <= to) {
      parts.push(stretch);
      continue;
    }
    const part = { from: Math.max(stretch.from, from), to: Math.min(stretch.to, to) };
    if (part.from >= part.to) continue;
    const share = (part.to - part.from) / (stretch.to - stretch.from);
    parts.push({ ...stretch, ...part, count: stretch.count * share });
  }
  return parts;
}

function sumOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { count }) => sum + count, 0);
}

export interface YearCount {
  readonly year: number;
  readonly count: number;
}

// The facet has ten; each year makes every estimate slower.
const MOST_COUNTED_YEARS = 100;

/** The usable counts by year in `meta` of an answer to `facets=created` (service.md, P19). */
export function yearCounts(meta: unknown): readonly YearCount[] {
  const entries = isObject(meta) ? objectsOf(meta['created']) : [];
  return entries.slice(0, MOST_COUNTED_YEARS).flatMap(({ id, count }) => {
    const year = typeof id === 'string' && /^\d{4}$/.test(id) ? Number(id) : 0;
    const isUsable = year >= 1 && year < 9999 && typeof count === 'number' && count >= 0;
    return isUsable ? [{ year, count }] : [];
  });
}
