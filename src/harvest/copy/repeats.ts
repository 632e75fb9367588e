import { doiKey, type KnownPart, readPart } from '../store/read-part.ts';

// A pass holds at most this many hashes: 64 MB.
const MOST_HASHES = 8_000_000;
// Hashes spread evenly over the passes, to within much less than this.
const FILL = 0.9;
// Equal hashes whose DOIs are compared; more would only repeat the answer.
const MOST_SUSPECTS = 10_000;

/**
 * A DOI that is in the part files more than once; undefined when there is none. This is for records without
 * creation time: others cannot be in two windows (`inspectWindow`). The files are read several times rather
 * than remembered, so that memory holds {@link MOST_HASHES}, whatever the size of the copy.
 * @param records the number of records in the files.
 * @throws {DamagedPart} when a part file is not as it should be.
 */
export async function repeatedDoi(
  parts: readonly KnownPart[],
  records: number,
  signal: AbortSignal,
  mostHashes = MOST_HASHES,
): Promise<string | undefined> {
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
  // Two DOIs may have the same hash.
  const seen = new Set<string>();
  let found: string | undefined;
  const compare = (doi: string) => {
    if (found !== undefined || !suspects.has(hashOf(doi))) return;
    if (seen.has(doi)) found = doi;
    seen.add(doi);
  };
  if (suspects.size > 0) await eachDoi(parts, signal, compare);
  return found;
}

async function eachDoi(parts: readonly KnownPart[], signal: AbortSignal, use: (doi: string) => void) {
  for (const part of parts) await readPart(part, (id) => use(doiKey(id)), signal);
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
