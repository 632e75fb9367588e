import { isObject } from '../../text/json-values.ts';

export interface YearCount {
  readonly year: number;
  readonly count: number;
}

// The facet has ten; each makes every estimate slower.
const MOST_ENTRIES = 100;

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
