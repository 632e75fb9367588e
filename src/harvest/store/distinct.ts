import { hash } from 'node:crypto';
import { Spill } from './spill.ts';

const HASHES = 2 ** 32;
const FIRST_SLOTS = 2 ** 12;
// 16 MB, for 1.5 million different strings; what is more goes to disk.
const MOST_SLOTS = 2 ** 21;
const FULL = 0.75;

/**
 * Counts different strings of any number in bounded memory, by the first 64 bits of their SHA-256. Two strings that
 * are taken for one by chance would make the count too small, a false alarm and never a false all-clear: once in
 * 37 million counts of a million strings, once in 3,700 of a hundred million.
 *
 * Only hashes below a limit are kept. When there are too many, the limit is halved, and the others go to a file,
 * which is counted in the same way after that.
 */
export class Distinct {
  readonly #folder: string;
  readonly #most: number;
  #high = new Uint32Array(FIRST_SLOTS);
  #low = new Uint32Array(FIRST_SLOTS);
  #size = 0;
  /** Hashes from `from` up to, not including, `to` are kept, by their upper halves. */
  #from = 0;
  #to = HASHES;
  #spill: Spill | undefined;

  /**
   * @param folder where a file may be put.
   * @param mostSlots a power of two, for tests.
   */
  constructor(folder: string, mostSlots = MOST_SLOTS) {
    this.#folder = folder;
    this.#most = mostSlots;
  }

  /** Adds a string, by its bytes. */
  add(bytes: Uint8Array): void {
    const digest = hash('sha256', bytes, 'buffer');
    this.#insert(digest.readUInt32LE(0), digest.readUInt32LE(4));
  }

  /** How many different strings were added. Nothing can be added after that. */
  async count(): Promise<number> {
    let count = this.#size;
    while (this.#to < HASHES) {
      const rest = this.#spill;
      this.#spill = undefined;
      this.#from = this.#to;
      this.#to = HASHES;
      this.#clear(FIRST_SLOTS);
      try {
        await rest?.read((high, low) => this.#insert(high, low));
      } finally {
        rest?.close();
      }
      count += this.#size;
    }
    return count;
  }

  /** Gives the file back; to be called in any case. */
  close(): void {
    this.#spill?.close();
    this.#spill = undefined;
  }

  #insert(high: number, low: number): void {
    if (high >= this.#to) {
      this.#spill ??= new Spill(this.#folder);
      this.#spill.write(high, low);
      return;
    }
    // An empty slot has a lower half of zero, so no hash has one.
    const key = low === 0 ? 1 : low;
    const mask = this.#low.length - 1;
    let slot = key & mask;
    while (this.#low[slot] !== 0) {
      if (this.#low[slot] === key && this.#high[slot] === high) return;
      slot = (slot + 1) & mask;
    }
    this.#low[slot] = key;
    this.#high[slot] = high;
    this.#size += 1;
    if (this.#size > this.#low.length * FULL) this.#makeRoom();
  }

  #makeRoom(): void {
    const [highs, lows] = [this.#high, this.#low];
    const more = lows.length < this.#most || this.#to - this.#from < 2;
    if (!more) this.#to = this.#from + Math.floor((this.#to - this.#from) / 2);
    this.#clear(more ? lows.length * 2 : lows.length);
    for (let slot = 0; slot < lows.length; slot++) {
      if (lows[slot] !== 0) this.#insert(highs[slot] as number, lows[slot] as number);
    }
  }

  #clear(slots: number): void {
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#size = 0;
  }
}
