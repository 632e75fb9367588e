import { harvestPaths } from '../store/directory.ts';
import type { Generation, LedgerData } from '../store/ledger-data.ts';
import { type KnownPart, readPart } from '../store/read-part.ts';
import { createdOf, type Span } from '../walk/created.ts';

/**
 * The DOIs of updates, each with the creation time of its latest version in milliseconds; NaN where the record does
 * not tell (a sparse fieldset).
 */
export type UpdatedDois = Map<string, number>;

/** The part files of a generation that hold anything, in the order of their names. */
export function partsOf(dir: string, { gzip }: LedgerData, { number, windows }: Generation): KnownPart[] {
  const paths = harvestPaths(dir, null);
  return windows
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => a.index - b.index)
    .map(({ index, bytes }) => ({ path: paths.part(number, index, gzip), bytes, gzip }));
}

/**
 * Reads which DOIs there are in the generations after the first, in memory of about 150 bytes for each of them.
 * @throws {DamagedPart} when a part file is not as it should be.
 */
export async function readUpdatedDois(
  parts: readonly KnownPart[],
  signal: AbortSignal,
): Promise<UpdatedDois> {
  const later: UpdatedDois = new Map();
  for (const part of parts) {
    await readPart(part, (id, line) => void later.set(id, createdOf(line)), signal);
  }
  return later;
}

/** Finds the window of a creation time among windows that do not overlap. */
export class WindowFinder {
  /** By their beginning. */
  readonly #windows: readonly (Span & { readonly place: number })[];

  constructor(windows: readonly Span[]) {
    this.#windows = windows.map(({ from, to }, place) => ({ from, to, place })).sort(bySpan);
  }

  /** The place of the window in the list, or of the latest one for a time that is in none or not known. */
  at(created: number): number {
    let low = 0;
    let high = this.#windows.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const { to = null } = this.#windows[middle] ?? {};
      if (to !== null && to <= created) low = middle + 1;
      else high = middle;
    }
    const found = this.#windows[low];
    const known = !Number.isNaN(created);
    const within = known && found !== undefined && (found.from === null || found.from <= created);
    return (within ? found : this.#windows.at(-1))?.place ?? 0;
  }
}

/** Orders windows in time. */
export function bySpan(a: Span, b: Span): number {
  return (a.from ?? Number.NEGATIVE_INFINITY) - (b.from ?? Number.NEGATIVE_INFINITY) || 0;
}
