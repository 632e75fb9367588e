// Why this is a hash table of its own and not a Set of strings: making, hashing and looking up a string for each
// record takes as long as the scan of the whole page (measured), and this a tenth of it.

import type { Place } from '../page/page.ts';

const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const SMALLER = 0x20;
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
// As many bytes as most DOIs have.
const BYTES_PER_ID = 32;
const FIRST_ENTRIES = 1024;

/**
 * Remembers the most recent ids exactly, in bounded memory: at least `size` of them, at most twice as many and one
 * page. Exact, because a record taken for a repeat by mistake would be a record lost. Letters of ASCII are compared
 * without regard to case, as in DOIs (service.md, O4).
 */
export class RecentIds {
  readonly #size: number;
  #young = new IdTable();
  #old = new IdTable();
  #kept = 0;

  constructor(size: number) {
    this.#size = size;
  }

  has(id: Place): boolean {
    const hash = hashOf(id);
    return this.#young.has(id, hash) || this.#old.has(id, hash);
  }

  add(id: Place): void {
    this.#young.add(id, hashOf(id));
  }

  /** Makes the ids that were added since the last call permanent. */
  keep(): void {
    if (this.#young.count >= this.#size) {
      this.#old = this.#young;
      this.#young = new IdTable();
    }
    this.#kept = this.#young.count;
  }

  /** Forgets the ids that were added since the last call of {@link keep}. */
  undo(): void {
    this.#young.truncate(this.#kept);
  }
}

/** Ids in the order of their addition, found by open addressing. */
class IdTable {
  count = 0;
  #text = new Uint8Array(FIRST_ENTRIES * BYTES_PER_ID);
  /** Where each id ends in the text; the one before it ends where it begins. */
  #ends = new Uint32Array(FIRST_ENTRIES);
  #hashes = new Uint32Array(FIRST_ENTRIES);
  /** The number of an id plus one, or 0; twice as many as ids, a power of two. */
  #slots = new Uint32Array(2 * FIRST_ENTRIES);

  has(id: Place, hash: number): boolean {
    return this.#slots[this.#find(id, hash)] !== 0;
  }

  /** Adds an id that it does not have. */
  add(id: Place, hash: number): void {
    const begin = this.#beginOf(this.count);
    const end = begin + id.to - id.from;
    if (this.count === this.#ends.length) this.#growEntries();
    if (end > this.#text.length) this.#text = longer(this.#text, 2 * end);
    for (let at = id.from, to = begin; at < id.to; at += 1, to += 1) {
      this.#text[to] = lowerCase(id.bytes[at] as number);
    }
    this.#ends[this.count] = end;
    this.#hashes[this.count] = hash;
    this.#slots[this.#free(hash)] = this.count + 1;
    this.count += 1;
  }

  /** Removes all ids but the first `count`. */
  truncate(count: number): void {
    while (this.count > count) {
      this.count -= 1;
      // The latest id is the last one on its way through the slots, so that no other one is behind it.
      let slot = this.#slotOf(this.#hashes[this.count] as number);
      while (this.#slots[slot] !== this.count + 1) slot = this.#next(slot);
      this.#slots[slot] = 0;
    }
  }

  /** The slot of an id, or the free one where its search ends. */
  #find(id: Place, hash: number): number {
    let slot = this.#slotOf(hash);
    for (;;) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0 || (this.#hashes[number] === hash && this.#equals(number, id))) return slot;
      slot = this.#next(slot);
    }
  }

  #equals(number: number, { bytes, from, to }: Place): boolean {
    const begin = this.#beginOf(number);
    if ((this.#ends[number] as number) - begin !== to - from) return false;
    for (let at = from; at < to; at += 1) {
      if (this.#text[begin + at - from] !== lowerCase(bytes[at] as number)) return false;
    }
    return true;
  }

  #growEntries(): void {
    this.#ends = longer(this.#ends, 2 * this.count);
    this.#hashes = longer(this.#hashes, 2 * this.count);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let number = 0; number < this.count; number += 1) {
      this.#slots[this.#free(this.#hashes[number] as number)] = number + 1;
    }
  }

  #free(hash: number): number {
    let slot = this.#slotOf(hash);
    while (this.#slots[slot] !== 0) slot = this.#next(slot);
    return slot;
  }

  #beginOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] as number);
  }

  #slotOf(hash: number): number {
    return hash & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}

function longer<T extends Uint8Array | Uint32Array>(array: T, length: number): T {
  const copy = new (array.constructor as new (length: number) => T)(length);
  copy.set(array);
  return copy;
}

/** FNV-1a, with the higher bits mixed into the lower ones, which choose the slot. */
function hashOf({ bytes, from, to }: Place): number {
  let hash = FNV_BASIS;
  for (let at = from; at < to; at += 1) {
    hash = Math.imul(hash ^ lowerCase(bytes[at] as number), FNV_PRIME);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

function lowerCase(byte: number): number {
  return byte >= CAPITAL_A && byte <= CAPITAL_Z ? byte | SMALLER : byte;
}
