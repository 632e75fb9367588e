import { positionOf } from '../../api/pagination.ts';
import type { Page } from '../page/page.ts';
import { createdOf, guessCreated, type Span } from '../walk/creation-time.ts';
import { type Params, withinSpan } from '../walk/query-params.ts';

// With these the service lists records without regard to others, or chooses some anew for each request.
const UNCUTTABLE = /^(id|ids|enriched|random|sample|sample-group)$/;

/** Whether clauses on the creation time select among the records of a query. */
export function isCuttable(params: Params): boolean {
  if (params.some(([name]) => UNCUTTABLE.test(name.replaceAll('_', '-')))) return false;
  try {
    withinSpan(params, { from: 0, to: 1 });
    return true;
  } catch {
    // Clauses after a query that is not balanced would become a part of it.
    return false;
  }
}

/** Whether the records of a page, in their order, were created within a span, as far as they tell. */
export function isWithin(page: Page, { from, to }: Span): boolean {
  if (page.kind !== 'list' || page.count === 0) return true;
  const [first, last] = [page.record(0), page.record(page.count - 1)];
  // The guess may have read another object's member.
  const early = from !== null && guessCreated(first) < from && createdOf(first) < from;
  const late = to !== null && guessCreated(last) >= to && createdOf(last) >= to;
  return !early && !late;
}

/** The creation time of the last record, by itself or by the cursor after it; NaN if unknown. */
export function lastTime(page: Page, next: string | null): number {
  if (page.count === 0) return Number.NaN;
  const time = createdOf(page.record(page.count - 1));
  if (!Number.isNaN(time) || next === null) return time;
  const position = positionOf(next);
  return position?.doi === page.id(page.count - 1)?.toLowerCase() ? (position?.created ?? time) : time;
}
