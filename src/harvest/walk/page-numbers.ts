import { positionOf } from '../../api/pagination.ts';
import type { Page } from '../page/page.ts';
import { createdOf, type Span } from './creation-time.ts';

/** What a page tells of its window. Times are creation times in milliseconds, NaN if unknown. */
export interface PageNumbers {
  /** The span that was asked for: the window may have been cut since. */
  readonly asked: Span;
  /** The service's count of the records of that span; undefined if it is unusable. */
  readonly total: number | undefined;
  readonly count: number;
  readonly first: number;
  /** Of the record in the middle. */
  readonly middle: number;
  readonly last: number;
  /** Whether no page of the window follows. */
  readonly isLast: boolean;
}

/**
 * What a page tells of its window. @param next the cursor of the next page; undefined if the link
 * is wrong.
 */
export function numbersOf(page: Page, next: string | null | undefined, asked: Span): PageNumbers {
  const { count, total } = page;
  const timeAt = (index: number) => (count === 0 ? Number.NaN : createdOf(page.record(index)));
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

/** The creation time of the last record, by itself or by the cursor after it; NaN if unknown. */
export function lastTime(page: Page, next: string | null): number {
  if (page.count === 0) return Number.NaN;
  const time = createdOf(page.record(page.count - 1));
  if (!Number.isNaN(time) || next === null) return time;
  const position = positionOf(next);
  return position?.doi === page.id(page.count - 1)?.toLowerCase()
    ? (position?.created ?? time)
    : time;
}

/**
 * Whether a page, asked for with one span, holds only records of a span that ends earlier now, as
 * far as it tells.
 */
export function endsBefore(page: Page, next: string | null | undefined, { to }: Span): boolean {
  return page.count === 0 || to === null || lastTime(page, next ?? null) < to;
}

/**
 * Whether the records of a page, in their order, were created within a span, as far as they tell.
 */
export function isWithin(page: Page, { from, to }: Span): boolean {
  if (page.kind !== 'list' || page.count === 0) return true;
  const [first, last] = [page.record(0), page.record(page.count - 1)];
  return !(from !== null && createdOf(first) < from) && !(to !== null && createdOf(last) >= to);
}
