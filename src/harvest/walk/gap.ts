/** Records that could not be fetched. */
export interface Gap {
  /** The DOI of the last record before the gap; null at the beginning of the window. */
  readonly after: string | null;
  /** The cursor at which the service failed. */
  readonly cursor: string;
  /** The creation time in milliseconds from which that cursor began, unless the window's. */
  readonly from?: number;
  readonly doi?: string;
  readonly records?: number;
  readonly reason: string;
}

/** The number of records that the gaps lack; a gap of unknown size counts as 0. */
export function recordsInGaps(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, gap) => sum + (gap.records ?? 0), 0);
}
