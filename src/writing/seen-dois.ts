import { hash } from 'node:crypto';

const SLOTS = 1024;

/**
 * The lines of the DOIs of a file, in 24 to 48 bytes each: a file may have millions. DOIs are known by 64 bits of their
 * SHA-256, in any case of their letters.
 */
export class SeenDois {
  #hashes = new BigUint64Array(SLOTS);
  /** 0 is an empty slot. */
  #lines = new Float64Array(SLOTS);
  #count = 0;

  /** Notes the line of a DOI. @returns the line on which it was before; undefined for the first time. */
  add(doi: string, line: number): number | undefined {
    const wanted = hash('sha256', doi.toLowerCase(), 'buffer').readBigUInt64BE();
    const slot = this.#slotOf(wanted);
    const before = this.#lines[slot];
    if (before) return before;
    this.#hashes[slot] = wanted;
    this.#lines[slot] = line;
    this.#count += 1;
    if (this.#count * 2 > this.#lines.length) this.#grow();
    return undefined;
  }

  /** The slot that holds a hash, or the empty one that is to hold it. */
  #slotOf(wanted: bigint): number {
    const size = this.#lines.length;
    let slot = Number(wanted % BigInt(size));
    while (this.#lines[slot] && this.#hashes[slot] !== wanted) slot = (slot + 1) % size;
    return slot;
  }

  #grow(): void {
    const [hashes, lines] = [this.#hashes, this.#lines];
    this.#hashes = new BigUint64Array(lines.length * 2);
    this.#lines = new Float64Array(lines.length * 2);
    for (const [from, line] of lines.entries()) {
      if (line === 0) continue;
      const known = hashes[from] ?? 0n;
      const slot = this.#slotOf(known);
      this.#hashes[slot] = known;
      this.#lines[slot] = line;
    }
  }
}
