import { hash } from 'node:crypto';
import { createdOf } from '../walk/creation-time.ts';
import { harvestPaths } from './directory.ts';
import type { Generation, LedgerData, LedgerWindow } from './ledger-data.ts';
import { DamagedPart } from './part-file.ts';
import { type KnownPart, type PartRecord, readPart } from './read-part.ts';

/** A part file with records. */
export interface CopyPart extends Required<KnownPart> {
  readonly generation: Generation;
  readonly window: LedgerWindow;
  readonly records: number;
  /** Whether it belongs to a later generation than the first one. */
  readonly isUpdate: boolean;
  /** Its place among the part files by name, from 1. */
  readonly place: number;
}

// Three words of a hash and the place of a part. With 96 bits, two of 100 million DOIs have the
// same hash in one of ten trillion copies.
const SLOT_WORDS = 4;
const PLACE = SLOT_WORDS - 1;
const WORD_BYTES = 4;
const LOAD = 2 / 3;

/** The part files of a copy that have records, in the order of their names. */
export function partsOf(dir: string, ledgers: readonly LedgerData[]): readonly CopyPart[] {
  const paths = harvestPaths(dir, null);
  const parts = ledgers.flatMap(({ generations, gzip }) =>
    generations.flatMap((generation, index) =>
      generation.windows
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => a.index - b.index)
        .map((window) => {
          const { bytes, records, sha256 } = window;
          const path = paths.part(generation.number, window.index, gzip);
          const isUpdate = index > 0;
          return { path, bytes, gzip, sha256, generation, window, records, isUpdate };
        }),
    ),
  );
  return parts.map((part, index) => ({ ...part, place: index + 1 }));
}

/**
 * Reads the current records of a copy, shard by shard: the DOIs of one shard's updates are in
 * memory.
 * @param select the parts of a shard to read.
 * @throws {DamagedPart}.
 */
export async function* currentRecords(
  dir: string,
  ledgers: readonly LedgerData[],
  signal: AbortSignal,
  select = (parts: readonly CopyPart[]) => parts,
): AsyncGenerator<PartRecord<CopyPart>, void, undefined> {
  for (const ledger of ledgers) {
    const parts = partsOf(dir, [ledger]);
    const selected = select(parts);
    if (selected.length === 0) continue;
    const current = await CurrentRecords.read(parts, signal);
    yield* current.records(selected, signal);
  }
}

/**
 * Finds the current records of a copy: for each DOI, the line in the file with the greatest name
 * (docs/harvest.md). The first generation has each DOI once, so only the DOIs of updates are in
 * memory: 24 to 48 bytes each, which threads can share, and with creation times half as much again.
 */
export class CurrentRecords {
  readonly #slots: Uint32Array;
  /** The creation time in each slot. */
  readonly #times: Float64Array | undefined;
  #count = 0;

  /** @param words of the same object in another thread. */
  constructor(words: SharedArrayBuffer, withTimes = false) {
    this.#slots = new Uint32Array(words);
    if (withTimes) this.#times = new Float64Array(this.#slots.length / SLOT_WORDS);
  }

  /**
   * Reads the DOIs of updates.
   * @param parts of a copy or of a shard: no DOI is in two shards.
   * @param withTimes keeps the creation times of the current records, for {@link times}.
   * @throws {DamagedPart}.
   */
  static async read(
    parts: readonly CopyPart[],
    signal: AbortSignal,
    withTimes = false,
  ): Promise<CurrentRecords> {
    const updates = parts.filter(({ isUpdate }) => isUpdate);
    const records = updates.reduce((sum, part) => sum + part.records, 0);
    const slots = records === 0 ? 0 : 2 ** Math.ceil(Math.log2(records / LOAD));
    const words = new SharedArrayBuffer(slots * SLOT_WORDS * WORD_BYTES);
    const current = new CurrentRecords(words, withTimes);
    for (const part of updates) {
      let left = part.records;
      for await (const { doi, line } of readPart(part, signal)) {
        // The table has no room for more.
        if (left === 0) throw new DamagedPart(`${part.path} has more records than were written`);
        left -= 1;
        current.#set(doi, part.place, line);
      }
    }
    return current;
  }

  /** The number of DOIs of updates. */
  get count(): number {
    return this.#count;
  }

  get words(): SharedArrayBuffer {
    return this.#slots.buffer as SharedArrayBuffer;
  }

  /**
   * Reads the current records of parts, in order.
   * @param onSuperseded called with the DOIs of the other records.
   * @throws {DamagedPart} as {@link readPart} does.
   */
  async *records(
    parts: readonly CopyPart[],
    signal: AbortSignal,
    onSuperseded: (doi: string) => void = () => undefined,
  ): AsyncGenerator<PartRecord<CopyPart>, void, undefined> {
    for (const part of parts) {
      for await (const record of readPart(part, signal)) {
        if (this.#isCurrent(record)) yield record;
        else onSuperseded(record.doi);
      }
    }
  }

  #isCurrent({ doi, part: { place } }: PartRecord<CopyPart>): boolean {
    if (this.#slots.length === 0) return true;
    const latest = this.#slots[this.#find(wordsOf(doi)) + PLACE] ?? 0;
    return latest === 0 || latest === place;
  }

  /** The creation times of the DOIs of updates in milliseconds; NaN where a record has none. */
  *times(): Generator<number> {
    for (const [slot, created] of this.#times?.entries() ?? []) {
      if (this.#slots[slot * SLOT_WORDS + PLACE] !== 0) yield created;
    }
  }

  /** The same for one DOI; undefined if no update has it. */
  timeOf(doi: string): number | undefined {
    if (this.#slots.length === 0) return undefined;
    const at = this.#find(wordsOf(doi));
    return this.#slots[at + PLACE] === 0 ? undefined : this.#times?.[at / SLOT_WORDS];
  }

  #set(doi: string, place: number, line: Buffer): void {
    const words = wordsOf(doi);
    const at = this.#find(words);
    if (this.#slots[at + PLACE] === 0) this.#count += 1;
    this.#slots.set([...words, place], at);
    if (this.#times !== undefined) this.#times[at / SLOT_WORDS] = createdOf(line);
  }

  /** Where the slot of a DOI begins, or the empty slot where it would be. */
  #find([first, second, third]: Words): number {
    const slots = this.#slots;
    for (let at = (first * SLOT_WORDS) % slots.length; ; at = (at + SLOT_WORDS) % slots.length) {
      if (slots[at + PLACE] === 0) return at;
      if (slots[at] === first && slots[at + 1] === second && slots[at + 2] === third) return at;
    }
  }
}

type Words = readonly [number, number, number];

function wordsOf(doi: string): Words {
  const bytes = hash('sha256', doi, 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
}
