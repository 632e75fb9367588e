import { positionOf } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import { parseBounded, valueAt } from '../../text/json-values.ts';
import type { Page } from '../page/page.ts';

/** A span of creation times in milliseconds since 1970, without `to`; null for an open end. */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
}

export const ALL_TIME: Span = { from: null, to: null };

/** Whether a span includes a time in milliseconds; never true for NaN. */
export function contains({ from, to }: Span, time: number): boolean {
  return time >= (from ?? Number.NEGATIVE_INFINITY) && time < (to ?? Number.POSITIVE_INFINITY);
}

/**
 * The clause that selects the records of a span: `created:[2024-01-01T00:00:00.000Z TO *]`;
 * undefined if both ends are open. `[` includes a bound and `}` excludes it (service.md, F4).
 */
export function createdClause({ from, to }: Span): string | undefined {
  if (from === null && to === null) return undefined;
  const bound = (time: number | null) => (time === null ? '*' : new Date(time).toISOString());
  return `created:[${bound(from)} TO ${bound(to)}${to === null ? ']' : '}'}`;
}

/**
 * Makes a function that finds the index of the span with a creation time; the latest span for NaN
 * and for a time in no span.
 */
export function spanFinder(spans: readonly Span[]): (created: number) => number {
  const sorted = spans.map(({ from, to }, index) => ({ from, to, index })).sort(bySpan);
  return (created) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const to = sorted[middle]?.to ?? Number.POSITIVE_INFINITY;
      if (to <= created) low = middle + 1;
      else high = middle;
    }
    const span = sorted[low];
    return (span !== undefined && contains(span, created) ? span : sorted.at(-1))?.index ?? 0;
  };
}

/** Orders spans by time. */
export function bySpan(a: Span, b: Span): number {
  return (a.from ?? Number.NEGATIVE_INFINITY) - (b.from ?? Number.NEGATIVE_INFINITY) || 0;
}

const CREATED = Buffer.from('"created":"');
const QUOTE = 0x22;

/**
 * The creation time of a record in milliseconds; NaN without one (a sparse fieldset) and for a
 * record that cannot be parsed. A record with one member of that name is not parsed.
 * @internal
 */
export function createdOf(record: Buffer): number {
  const at = record.lastIndexOf(CREATED);
  if (at >= 0 && record.indexOf(CREATED) === at) {
    const from = at + CREATED.length;
    return Date.parse(record.toString('latin1', from, record.indexOf(QUOTE, from)));
  }
  try {
    const created = valueAt(parseBounded(record.toString()), ['attributes', 'created']);
    return typeof created === 'string' ? Date.parse(created) : Number.NaN;
  } catch {
    return Number.NaN;
  }
}

/** What a page shows of its window. Times are creation times in milliseconds, NaN if unknown. */
export interface PageNumbers {
  /** The span in its request: the window may have been cut since. */
  readonly asked: Span;
  /** The service's count of that span; undefined if it is unusable. */
  readonly total: number | undefined;
  readonly count: number;
  readonly first: number;
  /** The time of the record in the middle. */
  readonly middle: number;
  readonly last: number;
  /** Whether it is the last page of the window. */
  readonly isLast: boolean;
}

/**
 * The numbers of a page. @param next the next page's cursor; undefined if the link is wrong.
 * @internal
 */
export function numbersOf(page: Page, next: string | null | undefined, asked: Span): PageNumbers {
  const { count, total } = page;
  const timeAt = (index: number) => (count === 0 ? Number.NaN : page.created(index));
  const last = lastTime(page, next ?? null);
  return {
    asked,
    total,
    count,
    first: timeAt(0),
    middle: timeAt(count >> 1),
    last,
    isLast: next === null,
  };
}

/**
 * The creation time of the last record, from it or the cursor after it; NaN if unknown.
 * @internal
 */
export function lastTime(page: Page, next: string | null): number {
  if (page.count === 0) return Number.NaN;
  const time = page.created(page.count - 1);
  if (!Number.isNaN(time) || next === null) return time;
  const position = positionOf(next);
  return position?.doi === page.id(page.count - 1)?.toLowerCase()
    ? (position?.created ?? time)
    : time;
}

/**
 * Whether the records of a page are in a span that now ends earlier, as far as they show it.
 * @internal
 */
export function endsBefore(page: Page, next: string | null | undefined, { to }: Span): boolean {
  return page.count === 0 || to === null || lastTime(page, next ?? null) < to;
}

/**
 * Whether the first and the last record of a page are in a span, as far as they show it.
 * @internal
 */
export function isWithin(page: Page, { from, to }: Span): boolean {
  if (page.kind !== 'list' || page.count === 0) return true;
  const [first, last] = [page.created(0), page.created(page.count - 1)];
  return !(from !== null && first < from) && !(to !== null && last >= to);
}

/**
 * Whether the service understands queries by creation time: its counts before and after a time add
 * up to the whole, `total`. It may also refuse such queries. The end of the walk compares all.
 */
export async function understandsTimes(
  count: (span: Span) => Promise<number>,
  time: number,
  total: number,
): Promise<boolean> {
  try {
    const sides = [count({ from: null, to: time }), count({ from: time, to: null })];
    const sum = (await Promise.all(sides)).reduce((all, side) => all + side, 0);
    if (sum === total) return true;
    // Records may have been added or hidden since.
    const now = await count(ALL_TIME);
    return sum >= Math.min(total, now) && sum <= Math.max(total, now);
  } catch (error) {
    if (error instanceof CliError && error.kind === 'rejected') return false;
    throw error;
  }
}
