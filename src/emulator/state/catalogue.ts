import type { ByteWriter } from '../records/byte-writer.ts';
import type { Corpus } from '../records/corpus.ts';
import type { Kind } from '../records/pattern.ts';
import type { View } from '../records/source.ts';
import { type Filter, matches, passes } from './filter.ts';
import { searchedAt, timesAt } from './searched.ts';
import { Selection } from './selection.ts';
import { type StoredDoi, writeStored } from './stored-doi.ts';

/** A record: the index of a generated record, or a record that a client created. */
export type Entry = number | StoredDoi;

/** A position in list order: creation time in seconds, then DOI (service.md, P5, P6). */
export interface Position {
  readonly created: number;
  readonly doi: string;
}

// Cached: a harvest asks for thousands of pages with one filter, and a selection takes a few
// milliseconds.
const REMEMBERED_SELECTIONS = 32;

/** All DOI records of the emulator, generated and created ones in one common order. */
export class Catalogue {
  readonly corpus: Corpus;
  /** In list order. */
  readonly #stored: StoredDoi[] = [];
  readonly #byDoi = new Map<string, StoredDoi>();
  /**
   * Indices of generated records that clients have deleted or updated; an updated record is in
   * `#stored`.
   */
  readonly #gone = new Set<number>();
  readonly #selections = new Map<string, Selection>();
  readonly #now: () => number;
  /** The time until which a record is missing in lists (service.md, P15), by DOI. */
  readonly #indexedAt = new Map<string, number>();
  /** How long new records are missing in lists, in milliseconds. */
  indexDelay = 0;

  constructor(corpus: Corpus, now: () => number) {
    this.corpus = corpus;
    this.#now = now;
  }

  get size(): number {
    return this.corpus.size - this.#gone.size + this.#stored.length;
  }

  /** @param doi in lower case */
  find(doi: string): Entry | undefined {
    const stored = this.#byDoi.get(doi);
    if (stored !== undefined) return stored;
    const index = this.corpus.find(doi);
    return index === undefined || this.#gone.has(index) ? undefined : index;
  }

  add(record: StoredDoi): void {
    this.#byDoi.set(record.doi, record);
    this.#indexedAt.set(record.doi, this.indexDelay === 0 ? 0 : this.#now() + this.indexDelay);
    const place = this.#stored.findLastIndex(
      (other) => order(positionOf(other), positionOf(record)) < 0,
    );
    this.#stored.splice(place + 1, 0, record);
  }

  remove(entry: Entry): void {
    if (typeof entry === 'number') {
      this.#gone.add(entry);
      return;
    }
    this.#byDoi.delete(entry.doi);
    this.#stored.splice(this.#stored.indexOf(entry), 1);
  }

  times(entry: Entry): StoredDoi['times'] {
    return typeof entry === 'number' ? timesAt(this.corpus, entry) : entry.times;
  }

  kind(entry: Entry): Kind {
    return typeof entry === 'number' ? this.corpus.kind(entry) : entry.kind;
  }

  position(entry: Entry): Position {
    if (typeof entry !== 'number') return positionOf(entry);
    return { created: this.corpus.timeline.created(entry), doi: this.corpus.doi(entry) };
  }

  /** Writes the resource object. */
  write(out: ByteWriter, entry: Entry, view: View): void {
    if (typeof entry === 'number') this.corpus.write(out, entry, view);
    else writeStored(out, entry, view);
  }

  select(filter: Filter): Matches {
    let selection = this.#selections.get(filter.key);
    if (selection === undefined) {
      selection = new Selection(this.corpus, filter);
      if (this.#selections.size >= REMEMBERED_SELECTIONS) this.#selections.clear();
      this.#selections.set(filter.key, selection);
    }
    const now = this.#now();
    const stored = this.#stored.filter(
      (record) => (this.#indexedAt.get(record.doi) ?? 0) <= now && passes(filter, record),
    );
    const gone = [...this.#gone].filter((index) => {
      const record = {
        doi: this.corpus.doi(index),
        kind: this.kind(index),
        times: this.times(index),
      };
      return matches(filter, record) && filter.search?.(searchedAt(this.corpus, index)) !== false;
    });
    return new Matches(this, selection, stored, new Set(gone));
  }
}

/** The records that match one filter. */
export class Matches {
  readonly catalogue: Catalogue;
  readonly generated: Selection;
  readonly stored: readonly StoredDoi[];
  /** The records of `generated` that no longer exist. */
  readonly gone: ReadonlySet<number>;
  readonly total: number;

  constructor(
    catalogue: Catalogue,
    generated: Selection,
    stored: readonly StoredDoi[],
    gone: ReadonlySet<number>,
  ) {
    this.catalogue = catalogue;
    this.generated = generated;
    this.stored = stored;
    this.gone = gone;
    this.total = generated.total - gone.size + stored.length;
  }

  /** In list order, from the beginning or after a position. */
  *walk(after?: Position): Generator<Entry, void> {
    const { corpus } = this.catalogue;
    const start = after === undefined ? 0 : corpus.after(after.created, after.doi);
    const rest =
      after === undefined
        ? this.stored
        : this.stored.filter((record) => order(positionOf(record), after) > 0);
    yield* this.#merge(this.generated.from(start), rest);
  }

  /** The last `count` records in list order, latest first. */
  latest(count: number): Entry[] {
    const many = count + this.gone.size;
    const { start, skip } = this.generated.seek(Math.max(0, this.generated.total - many));
    const generated = take(this.generated.from(start), skip, many);
    return [...this.#merge(generated, this.stored.slice(-count))].slice(-count).reverse();
  }

  *#merge(generated: Iterable<number>, stored: readonly StoredDoi[]): Generator<Entry, void> {
    let next = 0;
    for (const index of generated) {
      if (this.gone.has(index)) continue;
      for (let record = stored[next]; record !== undefined; record = stored[++next]) {
        if (order(positionOf(record), this.catalogue.position(index)) > 0) break;
        yield record;
      }
      yield index;
    }
    yield* stored.slice(next);
  }
}

/** Up to `count` items after the first `skip`. */
export function take<T>(items: Iterable<T>, skip: number, count: number): T[] {
  const taken: T[] = [];
  if (count === 0) return taken;
  let seen = 0;
  for (const item of items) {
    if (seen++ < skip) continue;
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

/** Negative when `a` comes first. DOIs compare by code unit, as the index does. */
function order(a: Position, b: Position): number {
  if (a.created !== b.created) return a.created - b.created;
  if (a.doi === b.doi) return 0;
  return a.doi < b.doi ? -1 : 1;
}

function positionOf(record: StoredDoi): Position {
  return { created: record.times.created, doi: record.doi };
}
