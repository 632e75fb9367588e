const FIRST_STRINGS = 1024;
const FIRST_BYTES = 32 * FIRST_STRINGS;
// The least number of slots for each string, so that the next empty slot is near.
const SLOTS = 2;
const MOST_UTF8_BYTES = 3;

/**
 * Distinct strings, numbered from 0 in the order in which they were added. It needs a third of the
 * memory of a Set, and can contain more than the 16.7 million strings of a Set. Strings are equal
 * if their UTF-8 bytes are.
 */
export class StringTable {
  #size = 0;
  /** All strings, one after the other. */
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Where each string ends. */
  #ends = new Uint32Array(FIRST_STRINGS);
  /** By hash: the number of a string plus 1; 0 in an empty slot. */
  #slots = new Uint32Array(SLOTS * FIRST_STRINGS);

  get size(): number {
    return this.#size;
  }

  /** Adds a string unless it is there. @returns its number. */
  add(text: string): number {
    if (this.#size === this.#ends.length) this.#grow();
    const [slot, end] = this.#find(text);
    if (this.#slots[slot] === 0) {
      this.#ends[this.#size] = end;
      this.#size += 1;
      this.#slots[slot] = this.#size;
    }
    return (this.#slots[slot] as number) - 1;
  }

  /** The number of a string; -1 if it is not there. */
  indexOf(text: string): number {
    return (this.#slots[this.#find(text)[0]] as number) - 1;
  }

  at(index: number): string {
    return this.#bytes.toString('utf8', this.#begin(index), this.#ends[index]);
  }

  #begin(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number);
  }

  /** Writes a string after all others. @returns its slot, or an empty slot for it, and its end. */
  #find(text: string): readonly [slot: number, end: number] {
    const begin = this.#begin(this.#size);
    const most = begin + MOST_UTF8_BYTES * text.length;
    if (most > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes.subarray(0, begin)], 2 * most);
    const end = begin + this.#bytes.write(text, begin);
    let slot = this.#slotOf(begin, end);
    for (;;) {
      const index = (this.#slots[slot] as number) - 1;
      if (index < 0 || this.#equals(index, begin, end)) return [slot, end];
      slot = (slot + 1) % this.#slots.length;
    }
  }

  #equals(index: number, begin: number, end: number): boolean {
    const bytes = this.#bytes;
    const from = this.#begin(index);
    const length = end - begin;
    if ((this.#ends[index] as number) - from !== length) return false;
    for (let at = 0; at < length; at += 1) if (bytes[from + at] !== bytes[begin + at]) return false;
    return true;
  }

  /** The slot in which a search starts, by the hash FNV-1a. */
  #slotOf(begin: number, end: number): number {
    const bytes = this.#bytes;
    let hash = 0x811c9dc5;
    for (let at = begin; at < end; at += 1)
      hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    return (hash >>> 0) % this.#slots.length;
  }

  #grow(): void {
    const ends = new Uint32Array(2 * this.#ends.length);
    ends.set(this.#ends);
    this.#ends = ends;
    this.#slots = new Uint32Array(SLOTS * ends.length);
    for (let index = 0; index < this.#size; index += 1) {
      let slot = this.#slotOf(this.#begin(index), ends[index] as number);
      while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length;
      this.#slots[slot] = index + 1;
    }
  }
}
