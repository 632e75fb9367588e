import { CURSOR, nextPageUrl } from '../api/pagination.ts';
import { NetworkError } from '../api/transport.ts';
import { CliError } from '../errors.ts';
import type { Gap } from './disk/ledger-data.ts';
import type { Page } from './page.ts';
import { narrowed, type Params, pageParams } from './position.ts';
import { Recent } from './recent.ts';
import { skipRecord } from './skip.ts';
import { ONLY_REPEATS, RepeatGuard, stopped, type WalkedPage } from './walk.ts';
import type { Span } from './windows.ts';

/** The service, as the walk over a window asks it. */
export interface WindowSource {
  /** Fetches a page; `retries` where fewer attempts than usual make sense. */
  fetch(params: Params, retries?: number): Promise<Page>;
  url(params: Params): URL;
  /** How many records match; `params` without paging. */
  count(params: Params): Promise<number>;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Which records the walk is to bring. */
export interface WindowQuery {
  readonly params: Params;
  readonly span: Span;
  /** Further clauses of the query. */
  readonly clauses: readonly string[];
  readonly pageSize: number;
}

/** Where a walk stands: what a later run needs to go on. */
export interface Position {
  /** Where the next page begins; null before the first one. */
  readonly cursor: string | null;
  /** Creation time from which the walk started over behind a gap, in milliseconds. */
  readonly restart: number | null;
  /** Creation time of the latest record, in milliseconds, as far as records told. */
  readonly latest: number | null;
}

export type WindowStep =
  | { readonly page: WalkedPage; readonly position: Position }
  | { readonly gap: Gap; readonly position: Position };

// Page sizes for a cursor at which larger pages keep failing (observed: one page may hold very large records).
const SMALLER = [250, 50, 10, 1];
// Attempts after the first, while a smaller page may do.
const POISON_RETRIES = 2;
// Good pages in a row before a larger one is tried again.
const GROW_AFTER = 2;
// How often an answer that contradicts itself is asked for again before it is believed.
const SECOND_LOOKS = 3;

/**
 * Walks one window by its cursor, page by page, from where an earlier run stood. Pages that keep failing are asked for
 * smaller; a single record that cannot be had is a gap. An answer that cannot be right is asked for again.
 * @param known the DOIs that an earlier run has taken of this window.
 * @throws {CliError} kind `incomplete` when the answers stay wrong; whatever else makes the service unavailable.
 */
export async function* walkWindow(
  source: WindowSource,
  query: WindowQuery,
  start: Position,
  known: Iterable<string>,
): AsyncGenerator<WindowStep> {
  const guard = new RepeatGuard(true);
  let taken = 0;
  for (const id of known) {
    guard.remember(id);
    taken += 1;
  }
  const sizes = [query.pageSize, ...SMALLER.filter((size) => size < query.pageSize)];
  const cursors = new Recent(sizes.length * 5000);
  let { cursor, restart } = start;
  let level = 0;
  let good = 0;
  let looks = 0;
  for (;;) {
    const params = narrowed(
      query.params,
      { ...query.span, from: restart ?? query.span.from },
      ...query.clauses,
    );
    const size = sizes[level] ?? 1;
    const request = pageParams(params, cursor ?? '1', size);
    const smallest = level === sizes.length - 1;
    let page: Page;
    try {
      page = await source.fetch(request, smallest ? undefined : POISON_RETRIES);
    } catch (error) {
      if (!isPoison(error)) throw error;
      good = 0;
      if (!smallest) {
        level += 1;
        continue;
      }
      const latest = guard.latest ?? start.latest;
      const skipped = await skipRecord(source, query, { cursor, restart, latest }, error as CliError);
      yield skipped;
      ({ cursor, restart } = skipped.position);
      continue;
    }
    const { next, doubt } = judge(page, source.url(request), size, taken, restart === null, cursors);
    if (doubt !== undefined && looks < SECOND_LOOKS) {
      looks += 1;
      continue;
    }
    // Believed at last: a count that does not add up is found at the window's end. A wrong link leads nowhere.
    if (next instanceof CliError) throw next;
    looks = 0;
    const walked = guard.check(page);
    if (walked.count === 0 && page.count > 0 && next !== null) throw stopped(ONLY_REPEATS);
    taken += walked.count;
    if (next !== null) cursors.add(next);
    yield { page: walked, position: { cursor: next, restart, latest: guard.latest ?? start.latest } };
    if (next === null) return;
    cursor = next;
    good += 1;
    if (level > 0 && good >= GROW_AFTER) {
      level -= 1;
      good = 0;
    }
  }
}

/**
 * Where to go from a page, and what speaks against it.
 * @param whole whether the total of the answer is that of the window, of which so many records have been taken.
 */
function judge(page: Page, url: URL, size: number, taken: number, whole: boolean, cursors: Recent) {
  let next: string | null | CliError;
  let doubt: string | undefined;
  try {
    next = nextPageUrl(page.envelope['links'], url)?.searchParams.get(CURSOR) ?? null;
    if (next !== null && (cursors.has(next) || next === url.searchParams.get(CURSOR))) {
      next = stopped('the service sent a cursor for the second time');
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    next = error;
  }
  if (page.kind !== 'list') next = stopped('the answer is not a list of DOIs');
  const { total } = (page.envelope['meta'] ?? {}) as { total?: unknown };
  if (next instanceof CliError) doubt = next.message;
  else if (next !== null && page.count < size) doubt = 'a short page links to a further one';
  else if (next === null && whole && typeof total === 'number' && taken + page.count < total) {
    doubt = 'the last page comes before the last record';
  }
  if (next !== null && page.count === 0 && !(next instanceof CliError)) {
    next = stopped('an empty page links to a further one');
  }
  return { next, doubt };
}

/** Whether a smaller page may succeed: the service fails or is cut off at this page, and is not out of reach. */
function isPoison(error: unknown): boolean {
  if (!(error instanceof CliError) || error.kind !== 'unavailable') return false;
  return !(error.cause instanceof NetworkError && error.cause.unsent);
}
