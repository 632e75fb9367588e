import { createHash } from 'node:crypto';
import type { SmallerPages } from '../../api/http/http.ts';
import { CURSOR, NUMBERED_REACH, nextPage, PAGE_NUMBER, PAGE_SIZE } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import { number } from '../../text/words.ts';
import type { FetchPage } from '../page/fetch-page.ts';
import type { Page } from '../page/page.ts';
import { CursorWalk, type PageRequest } from './cursor-walk.ts';
import { type NameOf, RepeatGuard, type WalkedPage } from './repeat-guard.ts';

interface LinkWalk {
  readonly fetch: FetchPage;
  readonly pageSize: number;
  readonly smallerPages: SmallerPages;
  /** Counts the records of the list. */
  readonly count: () => Promise<number>;
}

// These begin a cursor walk at any cursor that they cannot read (service.md, P8, O11).
const HAS_CURSOR = /\/(dois|events|activities)$/;

/**
 * Walks a list of any resource. A link says which page is next, and nothing else of it is used: it
 * loses filters (service.md, P9, O11), and may even lead to another list (service.md, O7).
 * @throws {CliError} kind `incomplete` when a link leads back, or pages do not reach the end.
 */
export async function* walkLinks(url: URL, walk: LinkWalk): AsyncGenerator<WalkedPage> {
  const endpoint = url.pathname.replace(/\/+$/, '').replace(/\.json$/, '');
  // Cursors have an order of their own (service.md, P5).
  const byCursor = HAS_CURSOR.test(endpoint) && !url.searchParams.has('sort');
  const first = byCursor ? [CURSOR, '1'] : [PAGE_NUMBER, '1'];
  const urlAt = (size: number, position: string) => {
    const page = new URL(url);
    // The walk begins at a cursor of 1.
    const [name = '', value = ''] = position === '1' ? first : position.split(/=(.*)/s);
    page.searchParams.append(PAGE_SIZE, String(size));
    page.searchParams.append(name, value);
    return page;
  };
  const port = {
    smallerPages: walk.smallerPages,
    count: walk.count,
    async fetch({ cursor, size, retries }: PageRequest) {
      const url = urlAt(size, cursor);
      const page = await walk.fetch(url, { retries });
      if (page.kind === 'list') return { page, url };
      throw new CliError('rejected', 'the answer is not a list of records in the member data', {
        hint: 'leave out --paginate',
      });
    },
    next: nextPosition,
  };
  const nameOf: NameOf = (page, index) =>
    /\/activities$/.test(endpoint) ? hashOf(page, index) : (page.id(index) ?? hashOf(page, index));
  const guard = new RepeatGuard(false, undefined, [], null, nameOf);
  const start = { cursor: null, restart: null, after: null, received: 0 };
  for await (const step of new CursorWalk(port, guard, walk.pageSize, start).steps()) {
    if ('page' in step) yield step.page;
  }
}

function nextPosition(page: Page, url: URL): string | null {
  const next = nextPage(page.envelope['links'], url, [CURSOR, PAGE_NUMBER]);
  if (next?.[0] === PAGE_NUMBER && (page.total ?? 0) > NUMBERED_REACH) {
    const all = number(page.total ?? 0);
    throw new CliError('incomplete', `page numbers reach the first 10,000 of ${all} records`, {
      hint: 'add a filter, and leave out sort',
    });
  }
  return next?.join('=') ?? null;
}

/** Tells records apart by all of their bytes: changes made by one request share an id. */
function hashOf(page: Page, index: number): string {
  return createHash('sha256').update(page.record(index)).digest('base64');
}
