import { isObject, objectsOf } from '../../text/json-values.ts';

export interface YearCount {
  readonly year: number;
  readonly count: number;
}

// The facet has ten; each makes every estimate slower.
const MOST_ENTRIES = 100;

/** The usable counts by year in `meta` of an answer to `facets=created` (service.md, P19). */
export function yearCounts(meta: unknown): readonly YearCount[] {
  const entries = isObject(meta) ? objectsOf(meta['created']) : [];
  return entries.slice(0, MOST_ENTRIES).flatMap(({ id, count }) => {
    const year = typeof id === 'string' && /^\d{4}$/.test(id) ? Number(id) : 0;
    const isUsable = year >= 1 && year < 9999 && typeof count === 'number' && count >= 0;
    return isUsable ? [{ year, count }] : [];
  });
}
