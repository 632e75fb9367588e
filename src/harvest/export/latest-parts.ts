import { hash } from 'node:crypto';
import { type KnownPart, readPart } from '../store/read-part.ts';

/** A part file of a copy, for an export. */
export interface ExportedPart extends KnownPart {
  /** Of its Parquet files, without their ending: `g0001-w00000`. */
  readonly name: string;
  readonly sha256: string;
  readonly records: number;
  /** Whether it holds records of an update. */
  readonly isUpdate: boolean;
  /** Its place among the parts of the copy or the shard by name, from 1. */
  readonly place: number;
  /**
   * Of all parts with a greater name: their contents decide which lines of this one are current.
   */
  readonly later: string;
}

// Three words of a hash and one for the part. With 96 bits, two of 100 million DOIs have the same
// hash in one of ten trillion copies.
const SLOT_WORDS = 4;
const WORD_BYTES = 4;
const LOAD = 2 / 3;

/**
 * The part that holds the latest version of each DOI of the updates of a copy: for each DOI, the
 * line in the file with the greatest name is the record. It takes 24 to 48 bytes for each DOI of an
 * update, in memory that threads can share.
 */
export class LatestParts {
  readonly #slots: Uint32Array;

  /** @param words of the same table in another thread. */
  constructor(words: SharedArrayBuffer) {
    this.#slots = new Uint32Array(words);
  }

  get words(): SharedArrayBuffer {
    return this.#slots.buffer as SharedArrayBuffer;
  }

  /** Reads the DOIs of updates. @param parts in the order of their names. @throws {DamagedPart}. */
  static async read(parts: readonly ExportedPart[], signal: AbortSignal): Promise<LatestParts> {
    const records = parts.reduce((sum, part) => sum + part.records, 0);
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, records) / LOAD));
    const latest = new LatestParts(new SharedArrayBuffer(slots * SLOT_WORDS * WORD_BYTES));
    for (const part of parts) await readPart(part, (doi) => latest.#set(doi, part.place), signal);
    return latest;
  }

  /** Whether a part holds the latest version of a DOI that is in it. */
  isLatest(doi: string, place: number): boolean {
    const latest = this.#slots[this.#find(doi) + SLOT_WORDS - 1] ?? 0;
    return latest === 0 || latest === place;
  }

  #set(doi: string, place: number): void {
    const at = this.#find(doi);
    const words = wordsOf(doi);
    this.#slots.set([...words, place], at);
  }

  /** Where the slot of a DOI begins, or the empty one where it would be. */
  #find(doi: string): number {
    const [first, second, third] = wordsOf(doi);
    const size = this.#slots.length;
    for (let at = (first * SLOT_WORDS) % size; ; at = (at + SLOT_WORDS) % size) {
      if (this.#slots[at + 3] === 0) return at;
      if (
        this.#slots[at] === first &&
        this.#slots[at + 1] === second &&
        this.#slots[at + 2] === third
      )
        return at;
    }
  }
}

function wordsOf(doi: string): readonly [number, number, number] {
  const bytes = hash('sha256', doi, 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
}
