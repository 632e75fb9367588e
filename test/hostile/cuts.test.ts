import { describe, expect, it } from 'vitest';
import { ledgerIn, linesIn, newDirectory } from '../harvest/copy-on-disk.ts';
import { run } from '../helpers/run.ts';
import { hostileService, type Lie } from './service.ts';

const TOTAL = 300;
const ONE_CURSOR =
  /does not understand queries by creation time: walking everything with one cursor/;
const isCut = (params: URLSearchParams) => /created:/.test(params.get('query') ?? '');

async function harvest(lie: Lie, ...more: string[]) {
  // Records of five years, so that cuts find some.
  const created = Array.from({ length: TOTAL }, (_, index) => Date.UTC(2020, 0, 1 + index * 6));
  const { env, asked } = await hostileService(lie, { created });
  const dir = newDirectory();
  const flags = ['--page-size', '10', '--jobs', '4', '--rate', '100000/s', '--retries', '1'];
  const argv = ['dois', 'harvest', '--dir', dir, ...flags, ...more];
  const { code, stderr } = await run(argv, { env });
  const dois = linesIn(dir).map((line) => (JSON.parse(line) as { id: string }).id);
  return {
    code,
    stderr,
    dois: new Set(dois),
    lines: dois.length,
    windows: ledgerIn(dir).generations[0]?.windows,
    asked,
  };
}

/** All records again, as if there were no query. */
function withoutQuery(from = 0): Lie {
  return ({ body }, { exchange, params, page }) => {
    if (!isCut(params) || page < from) return undefined;
    const start = Number((params.get('page[cursor]') ?? '1').slice(1) || 0);
    const size = Number(params.get('page[size]'));
    const next = new URL(exchange.url, `http://${exchange.headers.host}`);
    next.searchParams.set('page[cursor]', `c${start + size}`);
    const ids = Array.from({ length: TOTAL }, (_, index) => index).slice(start, start + size);
    body.data = ids.map((index) => {
      const id = `10.5072/r${String(index + 1).padStart(4, '0')}`;
      const time = new Date(Date.UTC(2020, 0, 1 + index * 6)).toISOString().replace('.000Z', 'Z');
      const attributes = { doi: id, state: 'findable', created: time };
      return { id, type: 'dois', attributes, relationships: {} };
    });
    body.meta = { total: TOTAL };
    body.links = ids.length === size && size > 0 ? { next: next.href } : {};
    return undefined;
  };
}

// harvest/walk/creation-time.test.ts has other counts.
const REFUSED: readonly (readonly [what: string, lie: Lie])[] = [
  ['ignores the query', withoutQuery()],
  [
    'refuses queries by creation time',
    (_, { params }) =>
      isCut(params) ? (response) => response.writeHead(400).end('{}') : undefined,
  ],
  [
    'finds nothing for a creation time',
    ({ body }, { params }) => {
      if (!isCut(params)) return undefined;
      Object.assign(body, { data: [], meta: { total: 0 }, links: {} });
      return undefined;
    },
  ],
];

describe('a harvest of a service that', () => {
  it.each(REFUSED)('%s walks everything with one cursor', async (_, lie) => {
    const { code, stderr, dois, lines, windows } = await harvest(lie);
    expect(stderr).toMatch(ONE_CURSOR);
    expect([code, dois.size, lines]).toEqual([0, TOTAL, TOTAL]);
    expect(windows).toMatchObject([{ from: null, to: null }]);
  });

  it('ignores the query later on is not complete', async () => {
    const { code, stderr } = await harvest(withoutQuery(22));
    expect([code, stderr]).toEqual([3, /incomplete: .*window \d+/]);
  });

  it.each([
    ['no list', 'many'],
    ['more records than there are', [{ id: '2024', count: 1e15 }]],
  ])('tells years with %s is complete', async (_, created) => {
    const { code, dois, lines } = await harvest(({ body }, { params }) => {
      if (params.get('disable-facets') === 'false') body.meta['created'] = created;
      return undefined;
    });
    expect([code, dois.size, lines]).toEqual([0, TOTAL, TOTAL]);
  });

  it.each(['1', '4'])(
    'breaks off and then counts nothing is not complete (%s jobs)',
    async (jobs) => {
      let records = 0;
      const lie: Lie = ({ body }) => {
        records += body.data.length;
        if (records > TOTAL / 2) Object.assign(body, { data: [], meta: { total: 0 }, links: {} });
        return undefined;
      };
      const { code, stderr } = await harvest(lie, '--jobs', jobs);
      const message = /incomplete: .*window \d+ held \d+ records, and now the service gives none/;
      expect([code, stderr]).toEqual([3, expect.stringMatching(message)]);
    },
  );
});
