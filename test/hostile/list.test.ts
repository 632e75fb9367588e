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
  fromPage,
  leadsTo,
  links,
  onPage,
  printed,
  total,
  WAYS,
} from './lies.ts';
import { type HostileRecord, hostileService, type Lie, type Reply } from './service.ts';

/**
 * Lies that stay: the records that are printed are not all, or it cannot be known.
 * harvest/list/list-walk.test.ts has wrong pages and cursors, harvest/walk/walk-totals.test.ts totals.
 */
const LIES: [string, Lie][] = [
  ['page 1 is empty with total 0', onPage(1, (reply) => empty(reply, 0))],
  [
    'page 2 is empty, and so is the count',
    (reply, { page, params }) => {
      if (page !== 1 && params.get('page[cursor]') !== '1') empty(reply, 0);
      return undefined;
    },
  ],
  ['ends after 150 with total 150', onPage(3, (reply) => end(reply, 150))],
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
  ['the cursor starts over under another name', onPage(4, leadsTo('c00'))],
  [
    'a record comes again in capitals in place of another',
    onPage(3, (reply) => {
      const [a, b] = reply.body.data as [HostileRecord, HostileRecord];
      b.id = a.id.toUpperCase();
    }),
  ],
  [
    'the count is higher than the list',
    everywhere((reply) =>
      total(reply.body.data.length === 0 ? 260 : 250 + reply.body.data.length)(reply),
    ),
  ],
  // api/pagination.test.ts has every value that is no total.
  [
    'totals are texts everywhere, and the end is early',
    (reply, { params }) => {
      total('250')(reply);
      if (params.get('page[cursor]') === 'c100') reply.body.links = {};
      return undefined;
    },
  ],
  ['no meta at all', everywhere((reply) => void Reflect.deleteProperty(reply.body, 'meta'))],
];

/** Lies that the program sees through: it prints every record once, and ends with exit code 0. */
const HARMLESS: [string, Lie][] = [
  ['nothing', () => undefined],
  [
    'foreign parameters in the link',
    always(
      links((next) => {
        for (const other of ['client-id=other', 'state=draft', 'query=x', 'page[size]=1'])
          next.searchParams.set(...(other.split('=') as [string, string]));
      }),
    ),
  ],
  ['totals on no page', always(total(undefined))],
  ['a higher total in between', onPage(3, total(250))],
  ['one short page', once((reply) => cut(reply, 3))],
];

/** Lies once, on the second page that is asked for, or on another one. */
function once(change: (reply: Reply) => void, at = 2): Lie {
  return (reply, { page }) => {
    if (page === at) change(reply);
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
});

describe('a record that a filter excludes', () => {
  // harvest/walk/filter-check.test.ts has every filter.
  const FINDABLE = ['--state', 'findable'];
  const drafts = (reply: Reply) => {
    for (const { attributes } of reply.body.data) attributes['state'] = 'draft';
  };

  it.each(WAYS)('is an error before it is printed: %s', async (_, args) => {
    const { env } = await hostileService(fromPage(2, drafts));
    const { code, stdout, stderr } = await run([...ALL, ...FINDABLE, ...args], { env });
    expect([code, printed(stdout, args)]).toEqual([3, 50]);
    expect(stderr).toMatch(/the state draft/);
  });

  it('is an error of one page, and of a copy', async () => {
    const { env } = await hostileService(fromPage(1, drafts));
    const dir = join(temporaryDirectory(), 'copy');
    for (const argv of [['list'], ['harvest', '--dir', dir]]) {
      expect(await run(['dois', ...argv, ...FINDABLE], { env })).toMatchObject({
        code: 3,
        stdout: '',
        stderr: /the state draft/,
      });
    }
  });
});

describe('numbered pages of a service that lies', () => {
  it.each<[string, string[], Lie]>([
    ['3 of 25', ['--format', 'table'], onPage(1, (reply) => cut(reply, 3))],
    ['0 of 25 with total 0', ['--format', 'json'], onPage(1, (reply) => empty(reply, 0))],
    [
      'page 2 is empty with total 0',
      ['--limit', '60', '--page-size', '30'],
      (reply, { params }) => {
        if (params.get('page[number]') === '2') empty(reply, 0);
        return undefined;
      },
    ],
  ])('end with exit code 3: %s', async (_, args, lie) => {
    const { env } = await hostileService(lie);
    const { code, stderr } = await run(['dois', 'list', '--quiet', ...args], { env });
    expect(code, stderr).toBe(3);
  });

  it.each<[string, string[], number, number, Lie]>([
    ['the last page is short', ['--page', '10', '--page-size', '26'], 16, 250, () => undefined],
    ['a page lies beyond the end', ['--page', '20', '--page-size', '26'], 0, 250, () => undefined],
    ['nothing matches', [], 0, 0, () => undefined],
    ['the limit is larger than the list', ['--limit', '900'], 250, 250, () => undefined],
    ['only the count has a total', [], 7, 7, onPage(1, total(undefined))],
    ['one answer is short', [], 25, 250, once((reply) => empty(reply), 1)],
  ])('end with exit code 0 where %s', async (_, args, count, records, lie) => {
    const { env } = await hostileService(lie, { total: records });
    const { code, stdout, stderr } = await run(['dois', 'list', ...args], { env });
    expect([code, printed(stdout, [])], stderr).toEqual([0, count]);
  });

  it('are an error where their count is none', async () => {
    const { env } = await hostileService(everywhere(total('250')));
    expect(await run(['dois', 'list', '--count'], { env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: /^error: the service gave no usable count of DOIs \(meta\.total\)\nhint: /,
    });
  });
});
