import { CliError } from '../../errors.ts';
import type { Page } from '../page/page.ts';

/** A page whose records have been compared with the pages before it. */
export interface WalkedPage {
  readonly page: Page;
  /** Whether the record at an index is no repeat. */
  readonly fresh: (index: number) => boolean;
  /** The number of new records. */
  readonly count: number;
  /** The service's count of the whole list, if the page has the count of a part. */
  readonly listTotal?: number | undefined;
}

/** Accepts the first `most` new records. The result is called once for each record, in order. */
export function firstOf({ fresh }: WalkedPage, most: number): (index: number) => boolean {
  let left = most;
  return (index) => left > 0 && fresh(index) && left-- > 0;
}

/** The first `most` new records of a page. */
export function* selected(walked: WalkedPage, most: number): Generator<Buffer> {
  const wanted = firstOf(walked, most);
  for (let index = 0; index < walked.page.count; index += 1) {
    if (wanted(index)) yield walked.page.record(index);
  }
}

// DOIs have at most 255 characters in the service's database; ids are remembered.
const MAX_ID_LENGTH = 2000;
// A service without this order breaks it within this many records.
const ORDER_SAMPLE = 20;

export type NameOf = (page: Page, index: number) => string | undefined;

/** Recognises repeated records and pages (service.md, P14), in bounded memory. */
export class RepeatGuard {
  readonly #ids: RecentSet;
  #dated = 0;
  #latest = Number.NEGATIVE_INFINITY;
  #ordered: boolean;
  readonly #nameOf: NameOf;

  /**
   * @param ordered whether records come by creation time, as in a cursor walk (service.md, P5).
   * @param remembered the least number of records to remember: pages overlap, and cursors lead back
   *   a little.
   * @param known the DOIs of an earlier run.
   * @param latest the creation time of its last record in milliseconds.
   * @param nameOf what tells the records of a list apart.
   */
  constructor(
    ordered: boolean,
    remembered = 20_000,
    known: readonly string[] = [],
    latest?: number | null,
    nameOf: NameOf = (page, index) => page.id(index),
  ) {
    this.#ordered = ordered;
    this.#nameOf = nameOf;
    this.#ids = new RecentSet(remembered);
    for (const id of known) this.#ids.add(id.toLowerCase());
    if (typeof latest === 'number') {
      this.#latest = latest;
      this.#dated = ORDER_SAMPLE;
    }
  }

  /** The creation time of the latest record in milliseconds; null if unknown or without order. */
  get latest(): number | null {
    return this.#ordered && Number.isFinite(this.#latest) ? this.#latest : null;
  }

  /** Whether a page has records, and all of them are known. */
  knows(page: Page): boolean {
    for (let index = 0; index < page.count; index += 1) {
      if (!this.has(page.id(index) ?? '')) return false;
    }
    return page.count > 0;
  }

  /** Whether a record is known; DOIs are compared without regard to case (service.md, O4). */
  has(id: string): boolean {
    return this.#ids.has(id.toLowerCase());
  }

  /**
   * Compares a page with the pages before it. A refused page changes nothing.
   * @throws {CliError} kind `incomplete` if it is no list of records with ids, or a new record is
   *   older than an earlier one.
   */
  check(page: Page): WalkedPage {
    if (page.kind !== 'list') throw incomplete(NO_LIST);
    const added: string[] = [];
    const repeats = new Set<number>();
    let latest = this.#latest;
    try {
      for (let index = 0; index < page.count; index += 1) {
        const id = checkedId(this.#nameOf(page, index));
        if (!this.#ids.add(id)) {
          repeats.add(index);
          continue;
        }
        added.push(id);
        if (this.#ordered) latest = this.#checkOrder(page.created(index), latest);
      }
    } catch (error) {
      for (const id of added) this.#ids.delete(id);
      throw error;
    }
    this.#latest = latest;
    return { page, fresh: (index) => !repeats.has(index), count: page.count - repeats.size };
  }

  #checkOrder(created: number, latest: number): number {
    if (Number.isNaN(created)) return latest;
    this.#dated += 1;
    if (created >= latest) return created;
    if (this.#dated > ORDER_SAMPLE) {
      throw incomplete('a record is older than the ones before it: the walk has gone back');
    }
    this.#ordered = false;
    return latest;
  }
}

/** @throws {CliError} kind `incomplete` without an id, which JSON:API requires and repeats need. */
function checkedId(id: string | undefined): string {
  if (id === undefined || id.trim() === '') throw incomplete('a record has no id');
  if (id.length > MAX_ID_LENGTH) throw incomplete(`a record has an id of ${id.length} characters`);
  return id.toLowerCase();
}

export const NO_LIST = 'the answer is not a list of DOIs';
export const ONLY_REPEATS = 'a page contains only records seen before';

export function incomplete(message: string): CliError {
  return new CliError('incomplete', message);
}

/** Remembers at least the `size` latest strings, exactly: a wrong repeat would be a lost record. */
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

  /** @returns whether the string is new. */
  add(text: string): boolean {
    if (this.has(text)) return false;
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(text);
    return true;
  }

  delete(text: string): void {
    this.#young.delete(text);
    this.#old.delete(text);
  }
}
