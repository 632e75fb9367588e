import { NetworkError } from '../../api/http/transport.ts';
import { CURSOR, nextPageUrl } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { Page } from '../page/page.ts';
import { ONLY_REPEATS, RepeatGuard, stopped, type WalkedPage } from './cursor-walk.ts';
import { pageParams, withinSpan } from './query-params.ts';
import { RecentSet } from './recent-set.ts';
import { skipRecord } from './skip-record.ts';
import type { Position, WindowQuery, WindowSource, WindowStep } from './window.ts';

// Page sizes for a cursor at which larger pages keep failing (observed: one page may hold very large records).
const SMALLER = [250, 50, 10, 1];
// Attempts after the first, while a smaller page may do.
const POISON_RETRIES = 2;
// Good pages in a row before a larger one is tried again.
const GROW_AFTER = 2;
// How often an answer that contradicts itself is asked for again before it is believed.
const SECOND_LOOKS = 4;
// How often in a row a walk that has lost its way starts over from the latest record.
const NEW_STARTS = 4;
// A window has far fewer pages; one cursor for everything may have more.
const CURSORS = 20_000;
// Pages of nothing new that may come after such a start: records of one instant, as of a bulk import.
const PAGES_OF_TIES = 20;
/** How many DOIs are remembered: in each of many windows at once, and what escapes is found when they are read back. */
export const REMEMBERED = 4000;

/** The walk does not go on from where it is, and nothing tells where else it could: the window has to start over. */
export class LostWay extends CliError {
  constructor(cause: CliError) {
    super('incomplete', cause.message, { cause });
    this.name = 'LostWay';
  }
}

/**
 * Walks one window by its cursor, page by page, from where an earlier run stood. Pages that keep failing are asked for
 * smaller; a single record that cannot be had is a gap. An answer that cannot be right is asked for again. Where a
 * cursor leads back (observed: one that the service cannot read starts from the beginning), the walk starts over from
 * the creation time of its latest record.
 * @param known the DOIs that an earlier run has taken of this window, the latest ones at least.
 * @param taken how many that were.
 * @throws {CliError} kind `incomplete` when the answers stay wrong, as {@link LostWay} when going on from the last
 *   position does not help; whatever else makes the service unavailable.
 */
export async function* walkWindow(
  source: WindowSource,
  query: WindowQuery,
  start: Position,
  known: Iterable<string>,
  taken: number,
): AsyncGenerator<WindowStep> {
  const guard = new RepeatGuard(true, start.latest ?? undefined, REMEMBERED);
  let last: string | null = null;
  for (const id of known) {
    guard.remember(id);
    last = id;
  }
  const sizes = [query.pageSize, ...SMALLER.filter((size) => size < query.pageSize)];
  let cursors = new RecentSet(CURSORS);
  let { cursor, restart } = start;
  // What came since a start behind the window's beginning is not on record: it is made again, at the latest record.
  if (restart !== null) {
    cursor = null;
    restart = Math.max(restart, start.latest ?? restart);
  }
  // Records that pages have brought since the walk's first one.
  let brought = restart === null ? taken : 0;
  let level = 0;
  let good = 0;
  let looks = 0;
  let starts = 0;
  let ties = 0;
  for (;;) {
    const params = withinSpan(
      query.params,
      { ...query.span, from: restart ?? query.span.from },
      ...query.clauses,
    );
    const size = sizes[level] ?? 1;
    const request = pageParams(params, cursor ?? '1', size);
    cursors.add(cursor ?? '1');
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
      const latest = guard.latest ?? null;
      const isKnown = (doi: string) => guard.has(doi);
      const stuck = { cursor, restart, latest, after: last, brought, isKnown };
      const skipped = await skipRecord(source, query, stuck, error as CliError);
      if (skipped === undefined) return;
      yield skipped;
      if (skipped.position.cursor === null) brought = 0;
      else brought += 1;
      ({ cursor, restart } = skipped.position);
      continue;
    }
    const { next, doubt, wrong } = judge(page, source.url(request), size, brought, cursors);
    // What is all known comes of a cursor that leads back: it would come again.
    if (doubt !== undefined && looks < SECOND_LOOKS && (next === null || !guard.knows(page))) {
      looks += 1;
      continue;
    }
    // Believed at last: a count that does not add up is found at the window's end. A wrong link leads nowhere.
    looks = 0;
    if (wrong !== undefined) throw wrong;
    let walked: WalkedPage;
    try {
      if (next !== null && cursors.has(next)) throw stopped('the service sent a cursor for the second time');
      walked = guard.check(page);
      ties = walked.count === 0 && next !== null ? ties + 1 : 0;
      if (ties > (restart !== null && guard.latest === restart ? PAGES_OF_TIES : 0))
        throw stopped(ONLY_REPEATS);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { latest } = guard;
      if (latest === undefined || starts >= NEW_STARTS) throw new LostWay(error);
      starts += 1;
      ties = 0;
      brought = 0;
      cursors = new RecentSet(CURSORS);
      cursor = null;
      restart = Math.max(latest, restart ?? latest);
      continue;
    }
    if (walked.count > 0) starts = 0;
    // Behind a start over, the service counts the records of its instant again.
    brought += restart === null ? walked.count : page.count;
    last = page.id(page.count - 1) ?? last;
    if (next !== null) cursors.add(next);
    yield { page: walked, position: { cursor: next, restart, latest: guard.latest ?? null } };
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
 * @param brought how many records the pages before have brought, of the total that the answer tells.
 * @returns `wrong`: why there is no going on if the answer stays like that.
 */
function judge(page: Page, url: URL, size: number, brought: number, cursors: RecentSet) {
  if (page.kind !== 'list') return doubtful(stopped('the answer is not a list of DOIs'));
  let next: string | null;
  try {
    next = nextPageUrl(page.envelope['links'], url)?.searchParams.get(CURSOR) ?? null;
  } catch (error) {
    if (error instanceof CliError) return doubtful(error);
    throw error;
  }
  if (next !== null && page.count === 0) return doubtful(stopped('an empty page links to a further one'));
  const { total } = (page.envelope['meta'] ?? {}) as { total?: unknown };
  let doubt: string | undefined;
  if (next !== null && cursors.has(next)) doubt = 'the service sent a cursor for the second time';
  else if (next !== null && page.count < size) doubt = 'a short page links to a further one';
  else if (next === null && typeof total === 'number' && brought + page.count < total) {
    doubt = 'the last page comes before the last record';
  }
  return { next, doubt, wrong: undefined };
}

function doubtful(wrong: CliError) {
  return { next: null, doubt: wrong.message, wrong };
}

/** Whether a smaller page may succeed: the service fails or is cut off at this page, and is not out of reach. */
function isPoison(error: unknown): boolean {
  if (!(error instanceof CliError) || error.kind !== 'unavailable') return false;
  return !(error.cause instanceof NetworkError && error.cause.unsent);
}
