import { CURSOR, nextPageUrl } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { FetchPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { RecentSet } from './recent-set.ts';

/** A page whose records have been checked against what the walk has seen before. */
export interface WalkedPage {
  readonly page: Page;
  /** True for the records that are not repeats. */
  readonly fresh: (index: number) => boolean;
  /** How many are not. */
  readonly count: number;
  /** The number of matching records by the service's count, if it gave one. */
  readonly total: number | undefined;
}

// Repeats come from pages that overlap and from cursors that go back a little: some twenty full pages are plenty.
const REMEMBERED = 20_000;
// A service that keeps the order shows it in so many records; one that does not breaks it among them.
const ORDER_SHOWN = 20;

/** Recognises records and pages that come again, in bounded memory. */
export class RepeatGuard {
  readonly #ids: RecentSet;
  readonly #firstPage = new Set<string>();
  #pages = 0;
  #dated = 0;
  #latest = Number.NEGATIVE_INFINITY;
  #ordered: boolean;

  /**
   * @param ordered whether records come by creation time, as in a cursor walk (specification, section 8.2).
   * @param latest the creation time of the latest record that an earlier run has taken, in milliseconds.
   * @param remembered how many records are remembered at least.
   */
  constructor(ordered: boolean, latest?: number, remembered = REMEMBERED) {
    this.#ordered = ordered;
    this.#ids = new RecentSet(remembered);
    if (latest === undefined) return;
    this.#latest = latest;
    this.#dated = ORDER_SHOWN;
  }

  /** The creation time of the latest record, in milliseconds; undefined where no record told, or their order. */
  get latest(): number | undefined {
    return this.#ordered && Number.isFinite(this.#latest) ? this.#latest : undefined;
  }

  /** A record that an earlier run has taken. */
  remember(id: string): void {
    this.#ids.add(id);
  }

  /** Whether a page holds records, and only such that have been seen. */
  knows(page: Page): boolean {
    const ids = Array.from({ length: page.count }, (_, index) => page.id(index));
    return ids.length > 0 && ids.every((id) => id !== undefined && this.has(id));
  }

  /** Whether a record has been seen, as far as that is remembered. */
  has(id: string): boolean {
    return this.#ids.has(id) || this.#firstPage.has(id);
  }

  /**
   * Checks a page that has arrived. Of one that is refused nothing is remembered.
   * @throws {CliError} kind `incomplete` when it is no list, or when a record that is not among those remembered is
   *   older than one before it: it has been seen too long ago to be recognised, or comes too late.
   */
  check(page: Page): WalkedPage {
    if (page.kind !== 'list') throw stopped('the answer is not a list of DOIs');
    const repeats = new Set<number>();
    const ids = new Set<string>();
    let latest = this.#latest;
    for (let index = 0; index < page.count; index += 1) {
      const id = page.id(index);
      // Without an id there is nothing to compare, and JSON:API allows no such record.
      if (id === undefined) throw stopped('a record has no id');
      if (ids.has(id) || this.has(id)) {
        repeats.add(index);
        continue;
      }
      if (this.#ordered) latest = this.#checkOrder(page.record(index), latest);
      ids.add(id);
    }
    this.#latest = latest;
    for (const id of ids) {
      this.#ids.add(id);
      if (this.#pages === 0) this.#firstPage.add(id);
    }
    this.#pages += 1;
    const { total } = (page.envelope['meta'] ?? {}) as { total?: unknown };
    return {
      page,
      fresh: (index) => !repeats.has(index),
      count: page.count - repeats.size,
      total: typeof total === 'number' && Number.isSafeInteger(total) ? total : undefined,
    };
  }

  /** The latest creation time with that of a record. */
  #checkOrder(record: Buffer, latest: number): number {
    const guess = createdIn(record);
    if (Number.isNaN(guess)) return latest;
    this.#dated += 1;
    if (guess >= latest) return guess;
    // What looks older is looked at properly: the text may be that of another member.
    const created = createdOf(record);
    if (!(created < latest)) return latest;
    if (this.#dated > ORDER_SHOWN)
      throw stopped('a record is older than the ones before it: the walk has gone back');
    this.#ordered = false;
    return latest;
  }
}

// Bytes, because text would be made into bytes anew for each record; and the search, which goes backwards, is quick
// where the last byte is rare.
const CREATED = Buffer.from('"created');
const VALUE = Buffer.from('":"');

/** The creation time that a record seems to have, without parsing it; milliseconds, NaN for none. */
function createdIn(record: Buffer): number {
  for (
    let at = record.lastIndexOf(CREATED);
    at >= 0;
    at = at > 0 ? record.lastIndexOf(CREATED, at - 1) : -1
  ) {
    const colon = at + CREATED.length;
    const from = colon + VALUE.length;
    if (VALUE.compare(record, colon, Math.min(from, record.length)) !== 0) continue;
    return Date.parse(record.toString('latin1', from, record.indexOf(0x22, from)));
  }
  return Number.NaN;
}

/** Milliseconds, or NaN where the record does not tell (a sparse fieldset). */
function createdOf(record: Buffer): number {
  const { attributes } = JSON.parse(record.toString()) as { attributes?: { created?: unknown } };
  return typeof attributes?.created === 'string' ? Date.parse(attributes.created) : Number.NaN;
}

/**
 * Every page of a cursor walk, the next one being fetched while the one at hand is used; never more than one
 * ahead, so that memory is bounded and a slow reader slows the requests down.
 * @param first the request for the first page, with `page[cursor]=1`.
 * @throws {CliError} kind `incomplete` when the service's links or pages go in circles, after the last good page
 *   has been given out.
 */
export async function* walkCursor(fetch: FetchPage, first: URL): AsyncGenerator<WalkedPage> {
  const guard = new RepeatGuard(true);
  const cursors = new RecentSet(REMEMBERED);
  cursors.add(first.searchParams.get(CURSOR) ?? '');
  let current: Ahead | undefined = new Ahead(fetch, first);
  current.lead();
  try {
    while (current !== undefined) {
      const page: Page = await current.page();
      const walked = guard.check(page);
      const next: Step = step(page, current.url, cursors);
      // At the very end it is a repeat like others; with more to come it is a walk that has gone back.
      if (page.count > 0 && walked.count === 0 && (next.url ?? next.error) !== undefined)
        throw stopped(ONLY_REPEATS);
      const following: Ahead | undefined = next.url && current.follow(next.url);
      yield walked;
      if (next.error !== undefined) throw next.error;
      current = following;
      current?.lead();
    }
  } finally {
    current?.abandon();
  }
}

interface Step {
  readonly url?: URL;
  readonly error?: unknown;
}

/** Where to go from a page; a wrong link is reported only when the page's own records have been used. */
function step(page: Page, requested: URL, cursors: RecentSet): Step {
  try {
    const url = nextPageUrl(page.envelope['links'], requested);
    if (url === undefined) return {};
    if (page.count === 0) return { error: stopped('an empty page links to a further one') };
    const cursor = url.searchParams.get(CURSOR) ?? '';
    if (cursors.has(cursor)) return { error: stopped('the service sent a cursor for the second time') };
    cursors.add(cursor);
    return { url };
  } catch (error) {
    return { error };
  }
}

/** A page on its way, and once it leads, the one after it as soon as the link to it has been read. */
class Ahead {
  readonly url: URL;
  readonly #fetch: FetchPage;
  readonly #abort = new AbortController();
  readonly #result: Promise<{ page: Page } | { error: unknown }>;
  #links: unknown;
  #leading = false;
  #next: Ahead | undefined;

  constructor(fetch: FetchPage, url: URL) {
    this.url = url;
    this.#fetch = fetch;
    const options = {
      signal: this.#abort.signal,
      onLinks: (links: unknown) => {
        this.#links = links;
        this.#early();
      },
    };
    // Held as a result, because a page that nobody waits for yet may fail.
    this.#result = fetch(url, options).then(
      (page) => ({ page }),
      (error: unknown) => ({ error }),
    );
  }

  async page(): Promise<Page> {
    const result = await this.#result;
    if ('error' in result) throw result.error;
    return result.page;
  }

  /** This page is the one being waited for: the one after it may be requested. */
  lead(): void {
    this.#leading = true;
    this.#early();
  }

  /** The page at `url`, which may be on its way already. */
  follow(url: URL): Ahead {
    if (this.#next?.url.href !== url.href) {
      this.#next?.abandon();
      this.#next = new Ahead(this.#fetch, url);
    }
    return this.#next;
  }

  /** Stops this page and the one after it. */
  abandon(): void {
    this.#abort.abort(new CliError('incomplete', 'the page is no longer wanted'));
    this.#next?.abandon();
  }

  #early(): void {
    if (!this.#leading || this.#links === undefined || this.#next !== undefined) return;
    try {
      const url = nextPageUrl(this.#links, this.url);
      if (url !== undefined) this.follow(url);
    } catch {
      // The walk reads the same link again when the page is complete, and reports it then.
    }
  }
}

/**
 * Pages by their numbers, from `first` to `last` or to the end of the list. Numbers are counted here, and the
 * service's links ignored: they drop parameters, and link the last page to itself (observed).
 * @throws {CliError} kind `incomplete` when the service answers with another page than the one asked for.
 */
export async function* walkNumbered(
  fetch: FetchPage,
  urlOf: (page: number) => URL,
  { first, last, pageSize }: { first: number; last: number; pageSize: number },
): AsyncGenerator<WalkedPage> {
  const guard = new RepeatGuard(false);
  for (let number = first; number <= last; number += 1) {
    const page = await fetch(urlOf(number));
    const walked = guard.check(page);
    if (page.count > 0 && walked.count === 0) throw stopped(ONLY_REPEATS);
    const { page: answered } = (page.envelope['meta'] ?? {}) as { page?: unknown };
    if (typeof answered === 'number' && answered !== number && page.count > 0) {
      throw stopped(`the service answered with page ${answered} instead of page ${number}`);
    }
    yield walked;
    // A short page is the last one, unless the service counts more records than it gave.
    const more = walked.total === undefined ? page.count >= pageSize : number * pageSize < walked.total;
    if (!more || page.count === 0) return;
  }
}

export const ONLY_REPEATS = 'a page brought only records seen before';

export function stopped(message: string): CliError {
  return new CliError('incomplete', message);
}
