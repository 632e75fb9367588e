import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import {
  ALL,
  always,
  cut,
  empty,
  end,
  everywhere,
  firstHas,
  leadsTo,
  links,
  onPage,
  printed,
  put,
  total,
  unusable,
  WAYS,
} from './lies.ts';
import { type HostileRecord, hostileService, type Lie, type Reply } from './service.ts';

/** Lies that stay: the records that are printed are not all, or it cannot be known. */
const LIES: [string, Lie][] = [
  ['page 1 is empty with total 0', onPage(1, (reply) => empty(reply, 0))],
  ['page 2 is empty, total stays', onPage(2, (reply) => empty(reply))],
  ['page 2 is empty with total 0', onPage(2, (reply) => empty(reply, 0))],
  ['page 2 is empty with total 50', onPage(2, (reply) => empty(reply, 50))],
  ['page 2 is empty without a total', onPage(2, (reply) => empty(reply, null))],
  [
    'page 2 is empty, and so is the count',
    (reply, { page, params }) => {
      if (page !== 1 && params.get('page[cursor]') !== '1') empty(reply, 0);
      return undefined;
    },
  ],
  ['ends after 150 with total 150', onPage(3, (reply) => end(reply, 150))],
  ['ends after 150 with total 0', onPage(3, (reply) => end(reply, 0))],
  ['ends after 150 with total 12', onPage(3, (reply) => end(reply, 12))],
  ['ends after 150 with its total', onPage(3, (reply) => end(reply, 250))],
  [
    'ends after 53 with total 12',
    onPage(2, (reply) => {
      reply.body.data.length = 3;
      end(reply, 12);
    }),
  ],
  [
    'totals follow what has been sent',
    (reply, { params }) => {
      const at = Number((params.get('page[cursor]') ?? 'c0').slice(1)) || 0;
      if (params.get('page[size]') === '0') return undefined;
      reply.body.meta['total'] = at + reply.body.data.length;
      if (at === 100) reply.body.links = {};
      return undefined;
    },
  ],
  [
    'a page is skipped, and the end says 200',
    (reply, { params }) => {
      if (params.get('page[size]') === '0') return undefined;
      if (params.get('page[cursor]') === 'c50') leadsTo('c150')(reply);
      if (params.get('page[cursor]') === 'c250') total(200)(reply);
      return undefined;
    },
  ],
  ['a page is skipped', onPage(2, leadsTo('c150'))],
  ['page 3 has 3 records and links on', onPage(3, (reply) => cut(reply, 3))],
  ['page 3 is empty and links on', onPage(3, (reply) => put(reply.body, { data: [] }))],
  ['page 3 comes without a list', onPage(3, (reply) => put(reply.body, { data: null }))],
  ['the last page is empty', onPage(5, (reply) => empty(reply))],
  ['the last page is empty with total 200', onPage(5, (reply) => empty(reply, 200))],
  ['the cursor goes back', onPage(4, leadsTo('c50'))],
  ['the cursor starts over under another name', onPage(4, leadsTo('c00'))],
  [
    'a record comes twice in place of another',
    onPage(3, (reply) => {
      reply.body.data[1] = structuredClone(reply.body.data[0] as HostileRecord);
    }),
  ],
  [
    'a record comes again in capitals in place of another',
    onPage(3, (reply) => {
      const [a, b] = reply.body.data as [HostileRecord, HostileRecord];
      b.id = a.id.toUpperCase();
    }),
  ],
  ['a record of page 1 comes again in capitals', onPage(3, firstHas({ id: '10.5072/R0001' }))],
  ['a record has an empty id', onPage(3, firstHas({ id: '' }))],
  ['a record has a blank id', onPage(3, firstHas({ id: '  ' }))],
  ['a record has no id', onPage(3, firstHas({ id: undefined }))],
  ['a record is missing', onPage(3, (reply) => void reply.body.data.pop())],
  [
    'the count is higher than the list',
    everywhere((reply) =>
      total(reply.body.data.length === 0 ? 260 : 250 + reply.body.data.length)(reply),
    ),
  ],
  // api/pagination.test.ts has every value that is no total.
  ...unusable.slice(0, 2).map((value): [string, Lie] => [
    `totals of ${JSON.stringify(value)} everywhere, and the end is early`,
    (reply, { params }) => {
      total(value)(reply);
      if (params.get('page[cursor]') === 'c100') reply.body.links = {};
      return undefined;
    },
  ]),
  ...unusable.slice(0, 2).map((value): [string, Lie] => [
    `totals of ${JSON.stringify(value)} on pages, and the end is early`,
    always((reply) => {
      total(value)(reply);
      if (reply.body.data[0]?.id === '10.5072/r0101') reply.body.links = {};
    }),
  ]),
  ['no meta at all', everywhere((reply) => void Reflect.deleteProperty(reply.body, 'meta'))],
];

/** Lies that the program sees through: it prints every record once, and ends with exit code 0. */
const HARMLESS: [string, Lie][] = [
  ['nothing', () => undefined],
  [
    'foreign parameters in the link',
    always(
      links((next) => {
        for (const [name, value] of Object.entries({
          'client-id': 'other',
          state: 'draft',
          query: 'x',
          'page[size]': '1',
        })) {
          next.searchParams.set(name, value);
        }
      }),
    ),
  ],
  ['totals on no page', always(total(undefined))],
  ['a text as total on one page', onPage(3, total('x'))],
  ['a total of 0 on the last page', onPage(6, total(0))],
  ['a higher total in between', onPage(3, total(250))],
  ['one empty page', once((reply) => empty(reply, 0))],
  ['one short page', once((reply) => cut(reply, 3))],
];

/** Lies once, on the second page that is asked for. */
function once(change: (reply: Reply) => void): Lie {
  return (reply, { page }) => {
    if (page === 2) change(reply);
    return undefined;
  };
}

/** The plain way to print a list, and one of the others. */
const waysOf = (place: number) => [WAYS[0], WAYS[1 + (place % (WAYS.length - 1))]] as typeof WAYS;
const placed = (lies: readonly [string, Lie][]) =>
  lies.map(([what, lie], place) => [what, lie, waysOf(place)] as const);

describe('a list of a service that lies', () => {
  it.each(placed(LIES))('is never complete where %s', async (_, lie, ways) => {
    for (const [, args] of ways) {
      const { env } = await hostileService(lie);
      const { code, stdout, stderr } = await run([...ALL, ...args], { env });
      if (code === 0) {
        // A limit may be reached with records enough.
        expect([args[0], printed(stdout, args)]).toEqual(['--limit', 240]);
        continue;
      }
      expect([args, code]).toEqual([args, 3]);
      expect(printed(stdout, args)).toBeLessThanOrEqual(250);
      expect(stderr).toMatch(/error/);
    }
    const { env } = await hostileService(lie);
    const path = join(temporaryDirectory(), 'x.ndjson');
    const { code, stderr } = await run([...ALL, '--out', path], { env });
    expect([code, existsSync(path)]).toEqual([3, false]);
    expect(stderr).toMatch(/nothing was written to/);
  });

  it.each(placed(HARMLESS))('is complete where it lies about %s', async (_, lie, ways) => {
    for (const [, args] of ways) {
      const { env, asked } = await hostileService(lie);
      const { code, stdout, stderr } = await run([...ALL, ...args], { env });
      expect([code, printed(stdout, args)], stderr).toEqual([0, args[0] === '--limit' ? 240 : 250]);
      // Of a link only the cursor is used.
      for (const { url } of asked) {
        const names = [...new URL(url, 'http://x').searchParams.keys()].sort();
        expect([
          'affiliation,disable-facets,facets,page[cursor],page[size],publisher',
          'affiliation,disable-facets,page[cursor],page[size],publisher',
          'affiliation,disable-facets,page[size],publisher',
        ]).toContain(names.join());
      }
    }
  });

  it('asks for the count once more only where the totals are in doubt', async () => {
    const counts = async (lie: Lie) => {
      const { env, asked } = await hostileService(lie);
      await run(ALL, { env });
      return asked.filter(({ url }) => url.includes('size%5D=0')).length;
    };
    expect(await counts(() => undefined)).toBe(0);
    expect(await counts(onPage(3, total(249)))).toBe(1);
    expect(await counts(onPage(3, (reply) => end(reply, 150)))).toBe(1);
  });
});
