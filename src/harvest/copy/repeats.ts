import type { WindowState } from '../store/ledger-data.ts';
import { type KnownPart, readPart } from '../store/read-part.ts';

/** A pass holds at most this many hashes: 64 MB. */
export const MOST_HASHES = 8_000_000;
// Hashes spread evenly over the passes, to within much less than this.
const FILL = 0.9;
// Equal hashes whose DOIs are compared; more would only repeat the answer.
const MOST_SUSPECTS = 10_000;

/** The hashes of the DOIs that a run reads back: as long as all differ, its files need not be read again. */
export class DoiHashes {
  readonly #windows = new Map<WindowState, Float64Array>();
  #size = 0;

  /** Takes the DOIs of a window's part file, in place of those that it held before. */
  set(window: WindowState, dois: readonly string[]): void {
    this.#size += dois.length - (this.#windows.get(window)?.length ?? 0);
    if (this.#size <= MOST_HASHES) {
      this.#windows.set(window, Float64Array.from(dois, hashOf));
    }
  }

  /** Whether the run has read all records of these windows back, and they have different DOIs. */
  areDifferent(windows: readonly WindowState[]): boolean {
    if (this.#size > MOST_HASHES) return false;
    const known = windows.map((window) => this.#windows.get(window) ?? new Float64Array());
    if (windows.some(({ records }, index) => records !== known[index]?.length)) return false;
    const all = new Float64Array(known.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const hashes of known) {
      all.set(hashes, at);
      at += hashes.length;
    }
    return repeated(all).length === 0;
  }
}

/** A DOI that is in part files more than once, and the files that hold it or other such DOIs. */
interface Repeats {
  readonly doi: string;
  readonly parts: ReadonlySet<KnownPart>;
}

/**
 * Looks for DOIs that are in the part files more than once; undefined when there is none. The files are read
 * several times rather than remembered, so that memory holds {@link MOST_HASHES}, whatever the size of the copy.
 * @param records the number of records in the files.
 * @throws {DamagedPart} when a part file is not as it should be.
 */
export async function repeatedDoi(
  parts: readonly KnownPart[],
  records: number,
  signal: AbortSignal,
  mostHashes = MOST_HASHES,
): Promise<Repeats | undefined> {
  const passes = records <= mostHashes ? 1 : Math.ceil(records / (mostHashes * FILL));
  const hashes = new Float64Array(Math.min(records, mostHashes));
  const suspects = new Set<number>();
  for (let pass = 0; pass < passes && suspects.size === 0; pass += 1) {
    let length = 0;
    await eachDoi(parts, signal, (doi) => {
      const hash = hashOf(doi);
      // Only repeats can be more than fit in, and of these enough are kept.
      if (hash % passes === pass && length < hashes.length) hashes[length++] = hash;
    });
    for (const hash of repeated(hashes.subarray(0, length))) suspects.add(hash);
  }
  if (suspects.size === 0) return undefined;
  // Two DOIs may have the same hash.
  const seen = new Map<string, KnownPart>();
  const holders = new Set<KnownPart>();
  let found: string | undefined;
  await eachDoi(parts, signal, (doi, part) => {
    if (!suspects.has(hashOf(doi))) return;
    const before = seen.get(doi);
    if (before === undefined) return void seen.set(doi, part);
    found ??= doi;
    holders.add(before).add(part);
  });
  if (found === undefined) return undefined;
  // There may be more of them than the suspects.
  return { doi: found, parts: suspects.size < MOST_SUSPECTS ? holders : new Set(parts) };
}

async function eachDoi(
  parts: readonly KnownPart[],
  signal: AbortSignal,
  use: (doi: string, part: KnownPart) => void,
) {
  for (const part of parts) await readPart(part, (id) => use(id, part), signal);
}

/** The numbers that are there more than once, at most {@link MOST_SUSPECTS}. Sorts them. */
function repeated(numbers: Float64Array): number[] {
  numbers.sort();
  const found: number[] = [];
  for (let index = 1; index < numbers.length && found.length < MOST_SUSPECTS; index += 1) {
    if (numbers[index] === numbers[index - 1]) found.push(numbers[index] as number);
  }
  return found;
}

/** A hash of 53 bits, which a double holds exactly. */
function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & high) + (low >>> 0);
}
