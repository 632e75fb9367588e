import type { HarvestPaths } from '../store/directory.ts';
import type { Generation, LedgerData, WindowState } from '../store/ledger-data.ts';
import { type KnownPart, readPart } from '../store/read-part.ts';
import { contains, createdOf, type Span } from '../walk/creation-time.ts';

/**
 * The DOIs of updates with the creation time of the latest version in milliseconds; NaN without
 * one.
 */
export type UpdatedDois = Map<string, number>;

/** The part files of a generation that hold records, in the order of their names. */
export function partsOf(
  paths: HarvestPaths,
  { gzip }: LedgerData,
  { number, windows }: Pick<Generation, 'number' | 'windows'>,
): (KnownPart & Pick<WindowState, 'records'>)[] {
  return windows
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => a.index - b.index)
    .map(({ index, bytes, records, sha256 }) => ({
      path: paths.part(number, index, gzip),
      ...{ bytes, records, gzip, sha256 },
    }));
}

/** The DOIs of all generations but the first: about 150 bytes each. @throws {DamagedPart}. */
export async function readUpdatedDois(
  paths: HarvestPaths,
  ledgers: readonly LedgerData[],
  signal: AbortSignal,
): Promise<UpdatedDois> {
  const updated: UpdatedDois = new Map();
  const partsIn = (data: LedgerData) =>
    data.generations.slice(1).flatMap((each) => partsOf(paths, data, each));
  for (const part of ledgers.flatMap(partsIn)) {
    await readPart(part, (id, line) => void updated.set(id, createdOf(line)), signal);
  }
  return updated;
}

/**
 * Makes a function that finds the index of a creation time's window; of the latest one for a time
 * in none, and NaN.
 */
export function windowFinder(windows: readonly Span[]): (created: number) => number {
  const sorted = windows.map(({ from, to }, index) => ({ from, to, index })).sort(bySpan);
  return (created) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const to = sorted[middle]?.to ?? Number.POSITIVE_INFINITY;
      if (to <= created) low = middle + 1;
      else high = middle;
    }
    const found = sorted[low];
    return (found !== undefined && contains(found, created) ? found : sorted.at(-1))?.index ?? 0;
  };
}

/** Orders windows by time. */
export function bySpan(a: Span, b: Span): number {
  return (a.from ?? Number.NEGATIVE_INFINITY) - (b.from ?? Number.NEGATIVE_INFINITY) || 0;
}
