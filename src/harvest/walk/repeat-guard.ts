import { CliError } from '../../errors.ts';
import type { Page, Place } from '../page/page.ts';
import { createdOf, guessCreated } from './creation-time.ts';
import { RecentIds } from './recent-ids.ts';

/** A page whose records have been compared with those of the pages before it. */
export interface WalkedPage {
  readonly page: Page;
  /** Whether the record at an index is new, not a repeat. */
  readonly fresh: (index: number) => boolean;
  /** The number of new records. */
  readonly count: number;
  /** The service's count of the whole list, where the page names that of a part. */
  readonly listTotal?: number | undefined;
}

// DOIs have at most 255 characters in the service's database; ids are remembered.
const MAX_ID_LENGTH = 2000;
const BLANK = 0x20;
// A service that does not keep the order breaks it within this many records.
const ORDER_SAMPLE = 20;

/** Recognises repeated records and pages (service.md, P14), in bounded memory. */
export class RepeatGuard {
  readonly #ids: RecentIds;
  /** The ids of the first page: a cursor that starts again leads there, however late. */
  readonly #firstPage = new RecentIds(Number.POSITIVE_INFINITY);
  #pages = 0;
  #dated = 0;
  #latest = Number.NEGATIVE_INFINITY;
  #ordered: boolean;

  /**
   * @param ordered whether records come by creation time, as in a cursor walk (service.md, P5).
   * @param remembered the least number of records to remember. Repeats come from pages that overlap and from
   *   cursors that go back a little: twenty full pages cover both.
   * @param known the DOIs of an earlier run, and `latest` the creation time of its last one in milliseconds.
   */
  constructor(ordered: boolean, remembered = 20_000, known: readonly string[] = [], latest?: number | null) {
    this.#ordered = ordered;
    this.#ids = new RecentIds(remembered);
    for (const id of known) {
      const place = placeOf(id);
      if (!this.#ids.has(place)) this.#ids.add(place);
      this.#ids.keep();
    }
    if (typeof latest === 'number') {
      this.#latest = latest;
      this.#dated = ORDER_SAMPLE;
    }
  }

  /** The creation time of the latest record in milliseconds; null if unknown or without order. */
  get latest(): number | null {
    return this.#ordered && Number.isFinite(this.#latest) ? this.#latest : null;
  }

  /** Whether a page holds records, and all of them are known. */
  knows(page: Page): boolean {
    for (let index = 0; index < page.count; index += 1) {
      const id = idOf(page, index);
      if (id === undefined || !this.#knows(id)) return false;
    }
    return page.count > 0;
  }

  has(id: string): boolean {
    return this.#knows(placeOf(id));
  }

  #knows(id: Place): boolean {
    return this.#ids.has(id) || this.#firstPage.has(id);
  }

  /**
   * Compares a page with the ones before it. A page that is refused leaves no trace.
   * @throws {CliError} kind `incomplete` when the page is no list of records with ids, or when a new record
   *   is older than one before it: it comes too late, or is a repeat that has been forgotten.
   */
  check(page: Page): WalkedPage {
    if (page.kind !== 'list') throw incomplete(NO_LIST);
    try {
      const { repeats, latest } = this.#compare(page);
      this.#latest = latest;
      this.#ids.keep();
      this.#firstPage.keep();
      if (page.count > 0) this.#pages += 1;
      return { page, fresh: (index) => !repeats.has(index), count: page.count - repeats.size };
    } catch (error) {
      this.#ids.undo();
      this.#firstPage.undo();
      throw error;
    }
  }

  /** Adds the ids of a page, and returns the indexes of its repeats and the latest creation time with it. */
  #compare(page: Page): { repeats: ReadonlySet<number>; latest: number } {
    const repeats = new Set<number>();
    let latest = this.#latest;
    for (let index = 0; index < page.count; index += 1) {
      const id = idOf(page, index);
      // JSON:API requires an id, and without one a repeat cannot be recognised.
      if (id === undefined) throw incomplete('a record has no id');
      const length = id.to - id.from;
      if (length > MAX_ID_LENGTH) throw incomplete(`a record has an id of ${length} characters`);
      if (this.#knows(id)) {
        repeats.add(index);
        continue;
      }
      if (this.#ordered) latest = this.#checkOrder(page, index, latest);
      this.#ids.add(id);
      if (this.#pages === 0) this.#firstPage.add(id);
    }
    return { repeats, latest };
  }

  /** Returns the latest creation time with that of a record. */
  #checkOrder(page: Page, index: number, latest: number): number {
    const { bytes, from, to } = page.place(index);
    const guess = guessCreated(bytes, from, to);
    if (Number.isNaN(guess)) return latest;
    this.#dated += 1;
    if (guess >= latest) return guess;
    // The guess may have read another object's member.
    const created = createdOf(page.record(index));
    if (!(created < latest)) return latest;
    if (this.#dated > ORDER_SAMPLE) {
      throw incomplete('a record is older than the ones before it: the walk has gone back');
    }
    this.#ordered = false;
    return latest;
  }
}

/** Where the id of a record is, to be compared without regard to case (service.md, O4); undefined if it has none. */
function idOf(page: Page, index: number): Place | undefined {
  const plain = page.plainId(index);
  // What begins with a letter or a digit is not blank.
  if (plain !== undefined && plain.from < plain.to && (plain.bytes[plain.from] as number) > BLANK)
    return plain;
  const id = page.id(index);
  return id === undefined || id.trim() === '' ? undefined : placeOf(id);
}

function placeOf(id: string): Place {
  const bytes = Buffer.from(id.toLowerCase());
  return { bytes, from: 0, to: bytes.length };
}

export const NO_LIST = 'the answer is not a list of DOIs';
export const ONLY_REPEATS = 'a page contains only records seen before';

export function incomplete(message: string): CliError {
  return new CliError('incomplete', message);
}

/**
 * Remembers the most recent strings exactly, in bounded memory: at least `size` of them, at most twice as
 * many. Exact, because a record taken for a repeat by mistake would be a record lost.
 */
export class RecentSet {
  readonly #size: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(size: number) {
    this.#size = size;
  }

  has(text: string): boolean {
    return this.#young.has(text) || this.#old.has(text);
  }

  add(text: string): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(text);
  }
}
