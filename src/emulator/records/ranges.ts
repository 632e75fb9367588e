/**
 * The times a filter can restrict. `published` counts in years, the others in seconds since 1970.
 */
export const TIME_FIELDS = ['created', 'updated', 'registered', 'published'] as const;
export type TimeField = (typeof TIME_FIELDS)[number];

/** Whole numbers from `from` up to but not including `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The range of a field that holds the years from `year` to `last`. */
export function yearRange(field: TimeField, year: number, last = year): Range {
  if (field === 'published') return { from: year, to: last + 1 };
  return { from: Date.UTC(year, 0) / 1000, to: Date.UTC(last + 1, 0) / 1000 };
}

export function intersect(a: Range, b: Range): Range {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
}

/**
 * A time that a record does not have (a draft was never registered) is outside every range, also
 * `[* TO *]`.
 */
export function contains(range: Range, value: number | undefined): boolean {
  return value !== undefined && value >= range.from && value < range.to;
}
