import { type Answer, JSON_API, json, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { ByteWriter } from '../records/byte-writer.ts';
import type { Account } from '../state/accounts.ts';
import { type Entry, type Matches, take } from '../state/catalogue.ts';
import { facets } from '../state/facets.ts';
import type { FaultInjector } from '../state/fault-injector.ts';
import type { FaultRule } from '../state/faults.ts';
import { readFilter } from '../state/filter.ts';
import { QueryError } from '../state/query.ts';
import { TYPICAL_RECORD } from '../state/resource-document.ts';
import { sortedPage } from '../state/sort.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { nextLink, selfLink } from './links.ts';
import { type Page, readPage, totalPages } from './page.ts';
import { readView } from './view.ts';

/**
 * GET /dois with numbered pages or a cursor (service.md, P1, P5).
 *
 * @param account undefined for anonymous callers
 * @param fault one of the kinds for lists
 * @param poisons records that make a page above a size fail; the result is then `poisoned` instead of an
 *   answer
 */
export function listDois(
  world: World,
  request: Request,
  account: Account | undefined,
  fault: FaultRule | undefined,
  poisons: FaultInjector['poisons'],
): Answer | 'poisoned' {
  const params = new Params(request.query);
  const caller = fault?.kind === 'anonymous' ? undefined : account;
  let matches: Matches;
  try {
    matches = world.catalogue.select(readFilter(params, caller === undefined));
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    // A query that cannot be read answers with an object, not an array, of errors (service.md, E3).
    return json(400, { errors: { title: error.message } }, consumerHeaders(caller));
  }
  const asked = readPage(params);
  const behind = fault?.kind === 'wrong-page' && asked.number > 1;
  const page = behind ? { ...asked, number: asked.number - 1 } : asked;
  const entries = fault?.kind === 'empty-page' ? [] : entriesOf(matches, page, params, fault);
  if (poisons.some((poison) => page.size > poison.largestSize && entries.includes(poison.index)))
    return 'poisoned';

  const shown = fault?.kind === 'lose' ? entries.toSpliced(Math.floor(entries.length / 2), 1) : entries;
  const next = nextPage(request, params, matches, page, entries, fault);
  const links = { self: selfLink(request.origin, request.path, request.query), ...next };
  const out = new ByteWriter((shown.length + 1) * TYPICAL_RECORD);
  out.ascii('{"data":[');
  const view = readView(params);
  for (const [place, entry] of shown.entries()) {
    if (place > 0) out.ascii(',');
    world.catalogue.write(out, entry, view);
  }
  out.text(`],"meta":${JSON.stringify(metaOf(params, matches, page))},"links":${JSON.stringify(links)}}`);
  return { status: 200, body: out.finish(), contentType: JSON_API, headers: consumerHeaders(caller) };
}

function metaOf(params: Params, matches: Matches, page: Page): object {
  return {
    total: matches.total,
    totalPages: totalPages(page, matches.total),
    ...(page.cursor === undefined ? { page: page.number } : {}),
    ...(params.get('disable-facets') === 'true' || matches.total === 0 ? {} : facets(matches)),
  };
}

/**
 * There is no next page after a short one, with size 0, and after the last numbered page (service.md, P10). A
 * single full page of a cursor walk links to an empty one here.
 */
function nextPage(
  request: Request,
  params: Params,
  matches: Matches,
  page: Page,
  entries: readonly Entry[],
  fault: FaultRule | undefined,
): { next?: string } {
  const last = entries.at(-1);
  if (last === undefined || entries.length < page.size) return {};
  if (page.cursor === undefined && page.number === totalPages(page, matches.total)) return {};
  const origin = fault?.kind === 'foreign-next' ? String(fault.parameter) : request.origin;
  return { next: nextLink(origin, params, page, nextCursor(matches, page.cursor, last, fault)) };
}

function entriesOf(matches: Matches, page: Page, params: Params, fault: FaultRule | undefined): Entry[] {
  if (page.cursor === undefined) {
    return sortedPage(matches, params.get('sort'), (page.number - 1) * page.size, page.size);
  }
  const after = decodeCursor(page.cursor);
  const entries = take(matches.walk(after), 0, page.size);
  const last =
    fault?.kind === 'duplicate' && after !== undefined ? matches.catalogue.find(after.doi) : undefined;
  // The page keeps its size, and its last own record becomes the cursor: nothing is lost, one record repeats.
  return last === undefined ? entries : [last, ...entries].slice(0, page.size);
}

function nextCursor(
  matches: Matches,
  used: string | undefined,
  last: Entry,
  fault: FaultRule | undefined,
): string | undefined {
  if (used === undefined || fault?.kind === 'repeat-cursor') return used;
  const position = matches.catalogue.position(last);
  // A new but malformed cursor: the next page starts from the beginning (service.md, P8).
  if (fault?.kind === 'restart-cursor') return Buffer.from(`restart,${position.doi}`).toString('base64url');
  return encodeCursor(position);
}
