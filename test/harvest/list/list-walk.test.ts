import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimiter, serviceRate } from '../../../src/api/http/rate-limiter.ts';
import { sleep } from '../../../src/concurrency/promises.ts';
import { CliError } from '../../../src/errors.ts';
import { walkList as walkedBy } from '../../../src/harvest/list/list-walk.ts';
import type { FetchPage } from '../../../src/harvest/page/fetch-page.ts';
import type { WalkedPage } from '../../../src/harvest/walk/repeat-guard.ts';
import { WalkTotals } from '../../../src/harvest/walk/walk-totals.ts';
import { cursorPage, FIRST, fakeService, pageOf } from '../../helpers/pages.ts';

function idsOf({ page, fresh }: WalkedPage): string[] {
  return Array.from({ length: page.count }, (_, index) => index)
    .filter(fresh)
    .map((index) => page.id(index) ?? '');
}

const RATE = serviceRate({ authenticated: true, mailto: false, testSystem: false });

/** A list that is walked with one cursor, whose count the service does not tell. */
function walkList(fetch: FetchPage, first: URL): AsyncGenerator<WalkedPage> {
  const noCount = () => Promise.reject(new CliError('unavailable', 'HTTP 503'));
  const params = [...first.searchParams].filter(([name]) => !name.startsWith('page['));
  return walkedBy({
    params,
    pageSize: Number(first.searchParams.get('page[size]')),
    fetch,
    fetchPacked: () => Promise.resolve(undefined),
    check: (page) => page,
    url: (params) => new URL(`?${new URLSearchParams(params.map(([...pair]) => pair))}`, first),
    count: noCount,
    countAll: noCount,
    rateLimiter: new RateLimiter(RATE, { now: Date.now, random: Math.random, sleep }),
    jobs: 1,
    mostBytes: 0,
    now: Date.now,
  });
}

/** The records of a walk before it ends, and the error that ends it. */
async function walk(pages: AsyncGenerator<WalkedPage>) {
  const ids: string[] = [];
  const totals = new WalkTotals();
  try {
    for await (const walked of pages) {
      ids.push(...idsOf(walked));
      totals.addPage(walked);
    }
    return { ids, totals, error: undefined };
  } catch (error) {
    return { ids, totals, error: error as CliError };
  }
}

/**
 * A first request for pages of this size: the service gives links on full pages only (service.md,
 * P10).
 */
function sized(size: number): URL {
  const first = new URL(FIRST);
  first.searchParams.set('page[size]', String(size));
  return first;
}

/** Pages by their cursors: `1:ab>x x:c` has the records a and b, and then c behind the cursor x. */
function chain(text: string, total = 9): Record<string, unknown> {
  const pages = text.split(' ').map((page) => {
    const [, cursor = '', ids = '', next] = /^(\w+):(\w*)(?:>(\w+))?$/.exec(page) ?? [];
    return [cursor, cursorPage([...ids], total, next)];
  });
  return Object.fromEntries(pages);
}

describe('a list with one cursor', () => {
  it('yields each record of any list once, in order, for any page sizes and overlaps', async () => {
    const lists = fc.record({
      ids: fc.uniqueArray(
        fc.string({ minLength: 1 }).filter((id) => id.trim() !== ''),
        { maxLength: 60, selector: (id) => id.toLowerCase() },
      ),
      cuts: fc.array(
        fc.record({
          size: fc.integer({ min: 1, max: 9 }),
          overlap: fc.integer({ min: 0, max: 3 }),
        }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(lists, async ({ ids, cuts }) => {
        const documents: Record<string, unknown> = {};
        let repeats = 0;
        let at = 0;
        let number = 0;
        do {
          const { size, overlap } = cuts[number % Math.max(cuts.length, 1)] ?? {
            size: 10,
            overlap: 0,
          };
          const from = Math.max(0, at - (number === 0 ? 0 : overlap));
          repeats += at - from;
          const end = Math.min(ids.length, at + size);
          const next = end < ids.length ? `c${number + 1}` : undefined;
          documents[number === 0 ? '1' : `c${number}`] = cursorPage(
            ids.slice(from, end),
            ids.length,
            next,
          );
          at = end;
          number += 1;
        } while (at < ids.length);
        const { fetch, asked } = fakeService(documents);
        const result = await walk(walkList(fetch, sized(1)));
        expect(result.error).toBeUndefined();
        expect(result.ids).toEqual(ids);
        expect(result.totals.repeats).toBe(repeats);
        expect(asked).toHaveLength(number);
      }),
    );
  });

  it('requests the next page before the current one has been used, and only that one', async () => {
    const { fetch, asked } = fakeService(chain('1:a>two two:b>three three:c>four four:d', 4));
    const pages = walkList(fetch, sized(1));
    for (const ahead of [2, 3, 4, 4]) {
      await pages.next();
      // Long enough for a chain of requests, if there were one.
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(asked).toHaveLength(ahead);
    }
  });

  it('stops the request ahead when the reader has had enough', async () => {
    let stopped = false;
    const pages = walkList((url, { signal } = {}) => {
      if (url.searchParams.get('page[cursor]') === '1')
        return Promise.resolve(pageOf(cursorPage(['a'], 2, 'two')));
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          stopped = true;
          reject(signal.reason);
        });
      });
    }, FIRST);
    await pages.next();
    await pages.return(undefined);
    expect(stopped).toBe(true);
  });

  it('takes nothing of a link but its cursor', async () => {
    const { fetch, asked } = fakeService({
      1: {
        ...cursorPage(['a'], 2),
        links: { next: '/dois?page[cursor]=x&page[size]=9&state=draft&client-id=other&query=b' },
      },
      x: cursorPage(['b'], 2),
    });
    expect((await walk(walkList(fetch, sized(1)))).error).toBeUndefined();
    expect(asked.at(-1)?.search).toBe(sized(1).search.replace('cursor%5D=1', 'cursor%5D=x'));
  });

  it('accepts a short page with a link when it comes again, and then others like it', async () => {
    const { fetch, asked } = fakeService(chain('1:ab>x x:cd>y y:ef', 6));
    const { ids, error } = await walk(walkList(fetch, sized(9)));
    expect([ids.join(''), error]).toEqual(['abcdef', undefined]);
    expect(asked.filter(({ search }) => search.includes('cursor%5D=1'))).toHaveLength(5);
    expect(asked.at(-1)?.search).toContain('cursor%5D=y');
    expect(asked.filter(({ search }) => search.includes('cursor%5D=y'))).toHaveLength(1);
  });

  it.each([
    ['an empty page', cursorPage([], 3)],
    ['an empty page with a lower total', cursorPage([], 0)],
    ['a short page', cursorPage(['b'], 3)],
    ['a short page that links on', cursorPage(['b'], 3, 'far')],
    ['an empty page that links on', cursorPage([], 3, 'far')],
  ])('asks again for %s', async (_, wrong) => {
    const right = fakeService({ 1: cursorPage(['a', 'A2'], 4, 'x'), x: cursorPage(['b', 'c'], 4) });
    let wrongs = 3;
    const fetch: FetchPage = async (url, options) => {
      const cursor = url.searchParams.get('page[cursor]');
      const isRight = cursor === '1' || (cursor === 'x' && wrongs-- <= 0);
      return isRight ? right.fetch(url, options) : pageOf(wrong);
    };
    const { ids, error } = await walk(walkList(fetch, sized(2)));
    expect([ids.join(''), error]).toEqual(['aA2bc', undefined]);
  });

  it.each([
    ['a cursor that comes back', chain('1:a>x x:b>y y:c>x'), 'abc', /second time/],
    ['a cursor that links to itself', chain('1:a>x x:b>x'), 'ab', /second time/],
    ['a page seen before', chain('1:ab>x x:c>y y:ab>z'), 'abc', /seen before/],
    ['an empty page that goes on', chain('1:a>x x:>y'), 'a', /empty page/],
    [
      'a link to another host',
      { 1: { ...cursorPage(['a']), links: { next: 'http://evil.example/dois?page[cursor]=2' } } },
      'a',
      /another host/,
    ],
    ['an answer that is no list', { 1: { data: null } }, '', /not a list/],
    ['a record without an id', { 1: { data: [{ type: 'dois' }] } }, '', /no id/],
    ['a record with an empty id', { 1: { data: [{ id: ' ' }] } }, '', /no id/],
  ])(
    'ends with an error at %s, after the records before it',
    async (_, documents, before, message) => {
      const { fetch } = fakeService(documents);
      const { ids, error } = await walk(walkList(fetch, FIRST));
      expect(ids.join('')).toBe(before);
      expect(error).toBeInstanceOf(CliError);
      expect(error?.kind).toBe('incomplete');
      expect(error?.message).toMatch(message);
    },
  );
});

describe('a page of a list that keeps failing', () => {
  const healthy = fakeService(chain('1:ab>two two:cd', 4));
  const failing = (mayFail: (size: number) => boolean) => {
    const sizes: number[] = [];
    const fetch: FetchPage = (url, options) => {
      const size = Number(url.searchParams.get('page[size]'));
      sizes.push(size);
      const fails = url.searchParams.get('page[cursor]') === 'two' && mayFail(size);
      return fails
        ? Promise.reject(new CliError('unavailable', 'HTTP 504'))
        : healthy.fetch(url, options);
    };
    return { fetch, sizes };
  };

  it('is asked for in smaller pages', async () => {
    const { fetch, sizes } = failing((size) => size > 1);
    const { ids, error } = await walk(walkList(fetch, sized(2)));
    expect([ids.join(''), error]).toEqual(['abcd', undefined]);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('ends the list with its error, and skips no record', async () => {
    const { fetch } = failing(() => true);
    const { ids, error } = await walk(walkList(fetch, FIRST));
    expect(ids.join('')).toBe('ab');
    expect(error).toMatchObject({ kind: 'unavailable', message: 'HTTP 504' });
  });
});

describe('the order of creation', () => {
  const at = (second: number) => new Date(Date.UTC(2020, 0, 1, 0, 0, second)).toISOString();
  /** Pages of five records, each with its second of creation. */
  function pagesOf(records: readonly (readonly [id: string, second: number])[]) {
    const documents: Record<string, unknown> = {};
    for (let from = 0; from < records.length; from += 5) {
      const next = from + 5 < records.length ? `c${from + 5}` : undefined;
      const { links, meta } = cursorPage([], records.length, next);
      const data = records
        .slice(from, from + 5)
        .map(([id, second]) => ({ id, attributes: { created: at(second) } }));
      documents[from === 0 ? '1' : `c${from}`] = { data, links, meta };
    }
    return documents;
  }
  const many = Array.from({ length: 60 }, (_, index) => [`r${index}`, index] as const);

  it('shows a record that is older than one before it', async () => {
    const swapped = many.map(([id, second]) =>
      id === 'r52' ? (['r3x', 3] as const) : ([id, second] as const),
    );
    const { ids, error } = await walk(walkList(fakeService(pagesOf(swapped)).fetch, FIRST));
    expect(ids).toHaveLength(50);
    expect(error?.message).toMatch(/older than the ones before it/);
  });
  it('does not mind ties, nor other members of that name', async () => {
    const documents = pagesOf(many.map(([id, second]) => [id, Math.floor(second / 7)] as const));
    const text = JSON.stringify(documents).replaceAll(
      '"attributes":{',
      '"attributes":{"x":{"created":"1999"},',
    );
    const decoys = JSON.parse(
      text.replaceAll('Z"}}', 'Z","y":{"created":"1990-01-01"}}}'),
    ) as Record<string, unknown>;
    expect((await walk(walkList(fakeService(decoys).fetch, FIRST))).ids).toHaveLength(60);
  });
  it('is not asked of a service that does not keep it', async () => {
    const shuffled = many.map(([id, second]) => [id, (second * 37) % 60] as const);
    const { ids, error } = await walk(walkList(fakeService(pagesOf(shuffled)).fetch, FIRST));
    expect([ids.length, error]).toEqual([60, undefined]);
  });
});

it('a last page of nothing but repeats is left to the count', async () => {
  const { fetch } = fakeService(chain('1:ab>x x:b', 2));
  const { ids, totals, error } = await walk(walkList(fetch, FIRST));
  expect([ids, totals.repeats, error]).toEqual([['a', 'b'], 1, undefined]);
});
