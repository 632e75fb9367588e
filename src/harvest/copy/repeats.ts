import { hash } from 'node:crypto';
import type { WindowState } from '../store/ledger-data.ts';
import { type KnownPart, readPart } from '../store/read-part.ts';

/** The DOIs of so many records are compared: their hashes take 64 MB. */
export const MOST_HASHES = 8_000_000;

/** The hashes of the DOIs in windows' part files, by window. */
export type DoiHashes = Map<WindowState, Float64Array>;

/** Of 48 bits, which a double holds exactly. */
export const hashOf = (doi: string): number => hash('sha256', doi, 'buffer').readUIntLE(0, 6);

/** A DOI that is in part files more than once, and the windows that hold it or other such DOIs. */
interface Repeats {
  readonly doi: string;
  readonly windows: ReadonlySet<WindowState>;
}

/**
 * Looks for DOIs that are in the part files more than once; undefined when there is none.
 * @param hashes of files that the run has read back already; it reads the others.
 * @throws {DamagedPart} when a part file is not as it should be.
 */
export async function repeatedDoi(
  parts: ReadonlyMap<WindowState, KnownPart>,
  hashes: DoiHashes,
  signal: AbortSignal,
): Promise<Repeats | undefined> {
  const sorted = new Float64Array([...parts.keys()].reduce((sum, { records }) => sum + records, 0));
  let length = 0;
  for (const [window, part] of parts) {
    const known = hashes.get(window) ?? (await readHashes(part, signal));
    sorted.set(known, length);
    length += known.length;
  }
  sorted.sort();
  const suspects = new Set(sorted.filter((hash, index) => hash === sorted[index - 1]));
  if (suspects.size === 0) return undefined;
  // Two DOIs may have the same hash.
  const seen = new Map<string, WindowState>();
  const windows = new Set<WindowState>();
  let repeat: string | undefined;
  for (const [window, part] of parts) {
    const compare = (doi: string) => {
      if (!suspects.has(hashOf(doi))) return;
      const before = seen.get(doi);
      if (before === undefined) return void seen.set(doi, window);
      repeat ??= doi;
      windows.add(before).add(window);
    };
    await readPart(part, compare, signal);
  }
  return repeat === undefined ? undefined : { doi: repeat, windows };
}

async function readHashes(part: KnownPart, signal: AbortSignal): Promise<readonly number[]> {
  const hashes: number[] = [];
  await readPart(part, (doi) => void hashes.push(hashOf(doi)), signal);
  return hashes;
}
