import { randomInt } from 'node:crypto';
import { type Answer, JSON_TYPE, json, problem, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { ByteWriter } from '../records/byte-writer.ts';
import type { Account } from '../state/accounts.ts';
import { type Entry, type Matches, take } from '../state/catalogue.ts';
import { facets } from '../state/facets.ts';
import type { FaultInjector } from '../state/fault-injector.ts';
import type { FaultRule } from '../state/faults.ts';
import { readFilter } from '../state/filter.ts';
import { QueryError } from '../state/query-times.ts';
import { TYPICAL_RECORD } from '../state/resource-document.ts';
import { randomPage, sortedPage } from '../state/sort.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { joined, wantedType } from './dois-formats.ts';
import { inFormat, UNKNOWN_FORMAT } from './dois-get.ts';
import { facetsDisabled, nextLink, selfLink } from './links.ts';
import { type Page, readPage, totalPages } from './page.ts';
import { readScroll, type Scroll, scrollId } from './scroll.ts';
import { readView } from './view.ts';

/** A requested list, and the fault that affects it. */
interface Asked {
  readonly request: Request;
  readonly params: Params;
  readonly matches: Matches;
  readonly page: Page;
  readonly scroll: Scroll | undefined;
  readonly fault: FaultRule | undefined;
}

/**
 * GET /dois with numbered pages, a cursor (service.md, P1, P5) or a scroll.
 *
 * @param account undefined for anonymous callers
 * @param fault one of the kinds for lists
 * @param poisons records that make a page above a size fail; the result is then `poisoned` instead
 *   of an answer
 * @param type the media type in the path
 */
export function listDois(
  world: World,
  request: Request,
  account: Account | undefined,
  fault: FaultRule | undefined,
  poisons: FaultInjector['poisons'],
  type = wantedType(request.headers.accept),
): Answer | 'poisoned' {
  const scroll = readScroll(request.query);
  const params = scroll?.params ?? new Params(request.query);
  const caller = fault?.kind === 'anonymous' ? undefined : account;
  const headers = consumerHeaders(caller);
  const read = readPage(params);
  if (isRandom(params) && read.cursor !== undefined) return { ...CURSOR_AND_RANDOM, headers };
  let matches: Matches;
  try {
    matches = world.catalogue.select(readFilter(params, caller === undefined));
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    // A query that cannot be read answers with an object, not an array, of errors (service.md, E3).
    return json(400, { errors: { title: error.message } }, headers);
  }
  const isWrong = fault?.kind === 'wrong-page' && read.number > 1;
  const page = isWrong ? { ...read, number: read.number - 1 } : read;
  const asked = { request, params, matches, page, scroll, fault };
  const entries = fault?.kind === 'empty-page' ? [] : entriesOf(asked);
  if (poisons.some((poison) => page.size > poison.largestSize && entries.includes(poison.index)))
    return 'poisoned';

  const shown =
    fault?.kind === 'lose' ? entries.toSpliced(Math.floor(entries.length / 2), 1) : entries;
  if (type !== 'json') {
    // Lists with enrichments are empty in other formats than JSON (service.md, F18).
    const isEnriched = params.get('enriched')?.toLowerCase() === 'true';
    return inOtherFormat(world, type, isEnriched ? [] : shown, params.get('style'), headers);
  }
  const links = {
    self: selfLink(request.origin, request.path, request.query),
    ...nextPage(asked, entries),
  };
  const out = new ByteWriter((shown.length + 1) * TYPICAL_RECORD);
  out.ascii('{"data":[');
  // The link to the next page of a scroll does not have these parameters (service.md, P9).
  const view = readView(world, new Params(request.query));
  for (const [place, entry] of shown.entries()) {
    if (place > 0) out.ascii(',');
    world.catalogue.write(out, entry, view);
  }
  out.text(`],"meta":${JSON.stringify(metaOf(asked, entries))},"links":${JSON.stringify(links)}}`);
  return { status: 200, body: out.finish(), contentType: JSON_TYPE, headers };
}

function inOtherFormat(
  world: World,
  type: string | undefined,
  entries: readonly Entry[],
  style: string | undefined,
  headers: Answer['headers'],
): Answer {
  const texts = entries.map((entry) => type && inFormat(world, entry, type, style));
  if (type === undefined || texts.includes(undefined)) return UNKNOWN_FORMAT;
  const body = joined(type, texts as string[]);
  return { status: 200, body, contentType: `${type}; charset=utf-8`, ...(headers && { headers }) };
}

const CURSOR_AND_RANDOM = problem(
  400,
  'Cursor-based pagination and random sampling are mutually exclusive, ' +
    'please choose one or the other.',
);

function isRandom(params: Params): boolean {
  return params.get('random')?.toLowerCase() === 'true';
}

function metaOf({ params, matches, page, scroll }: Asked, entries: readonly Entry[]): object {
  if (scroll !== undefined)
    return { total: matches.total, 'scroll-id': scrollId(scroll, entries.length) };
  const names = params.get('facets');
  return {
    total: matches.total,
    totalPages: totalPages(page, matches.total),
    ...(page.cursor === undefined ? { page: page.number } : {}),
    ...(facetsDisabled(params) || matches.total === 0 ? {} : facets(matches, names?.split(','))),
  };
}

/** The last page is a short one, one of size 0, or the last numbered one (service.md, P10). */
function nextPage(asked: Asked, entries: readonly Entry[]): { next?: string } {
  const { request, params, matches, page, scroll, fault } = asked;
  const last = entries.at(-1);
  if (last === undefined || entries.length < page.size) return {};
  const origin = fault?.kind === 'foreign-next' ? String(fault.parameter) : request.origin;
  if (scroll !== undefined) {
    const id = encodeURIComponent(scrollId(scroll, entries.length));
    const time = encodeURIComponent(new Params(request.query).get('page[scroll]') ?? '');
    return {
      next: `${origin}/dois?page%5Bscroll%5D=${time}&page%5Bsize%5D=${page.size}&scroll-id=${id}`,
    };
  }
  // A cursor page also has the number 1: a walk that fits on one full page ends there.
  if (page.number === totalPages(page, matches.total)) return {};
  return { next: nextLink(origin, params, page, nextCursor(matches, page.cursor, last, fault)) };
}

function entriesOf({ matches, page, params, scroll, fault }: Asked): Entry[] {
  const sort = params.get('sort');
  if (scroll !== undefined) return sortedPage(matches, sort, scroll.offset, page.size);
  if (isRandom(params)) return randomPage(matches, page.size, randomInt(2 ** 32));
  if (page.cursor === undefined)
    return sortedPage(matches, sort, (page.number - 1) * page.size, page.size);
  const after = decodeCursor(page.cursor);
  const entries = take(matches.walk(after), 0, page.size);
  const last =
    fault?.kind === 'duplicate' && after !== undefined
      ? matches.catalogue.find(after.doi)
      : undefined;
  // The page keeps its size, and its last record becomes the cursor: no record is lost, and one is
  // repeated.
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
  if (fault?.kind === 'restart-cursor')
    return Buffer.from(`restart,${position.doi}`).toString('base64url');
  return encodeCursor(position);
}
