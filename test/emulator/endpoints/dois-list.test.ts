import { describe, expect, it } from 'vitest';
import { COMPLETE_RECORD } from '../../helpers/records.ts';
import { DEMO, ids, serviceWith } from '../service.ts';

const PUBLISHED = {
  ...COMPLETE_RECORD,
  event: 'publish',
  prefix: '10.5072',
  creators: [{ name: 'A', affiliation: ['KTH'] }],
};

describe('GET /dois, numbered pages', () => {
  it('limits page numbers, and links the last page to itself for odd sizes', async () => {
    const service = await serviceWith({ records: 12_000 });
    const fields = 'fields[dois]=doi&disable-facets=true';
    const even = await service.list(`page[size]=1000&page[number]=99&${fields}`);
    expect(even.meta).toMatchObject({ page: 10, totalPages: 10 });
    expect(even.links.next).toBeUndefined();
    const odd = await service.list(`page[size]=300&page[number]=34&${fields}`);
    expect(odd.meta).toMatchObject({ page: 33, totalPages: 34 });
    expect(odd.links.next).toContain('page%5Bnumber%5D=34');
  });

  it('covers the reach, not the total, with totalPages', async () => {
    const service = await serviceWith({ records: 18_666_188 });
    const { meta } = await service.list('page[size]=5&disable-facets=true', DEMO);
    expect(meta).toEqual({ total: 18_666_188, totalPages: 2000, page: 1 });
  });
});

describe('GET /dois, parameters', () => {
  it('adds facets on request, and they add up', async () => {
    const service = await serviceWith({ records: 2500 });
    const { meta } = await service.list('page[size]=0&disable-facets=false', DEMO);
    for (const name of ['states', 'resourceTypes']) {
      const buckets = meta[name] as { id: string; count: number }[];
      const sum = buckets.reduce((total, { count }) => total + count, 0);
      expect(sum, name).toBe(2500);
    }
  });

  it.each([
    ['name', (record: Record<string, unknown>) => record['doi']],
    ['created', (record: Record<string, unknown>) => record['created']],
    ['updated', (record: Record<string, unknown>) => record['updated']],
    ['published', (record: Record<string, unknown>) => record['published']],
    ['view-count', (record: Record<string, unknown>) => record['viewCount']],
    ['citation-count', (record: Record<string, unknown>) => record['citationCount']],
    [
      'title',
      (record: Record<string, unknown>) => (record['titles'] as { title: string }[])[0]?.title,
    ],
  ])('sorts by %s both ways', async (name, keyOf) => {
    const service = await serviceWith({ records: 400 });
    await service.send(
      'POST',
      '/dois',
      { data: { attributes: { ...PUBLISHED, titles: [{ title: '中' }] } } },
      DEMO,
    );
    const keys = async (sort: string) =>
      (await service.list(`page[size]=1000&sort=${sort}`, DEMO)).data.map(({ attributes }) =>
        keyOf(attributes),
      );
    const ascending = (await keys(name)) as (string | number)[];
    expect(ascending).toHaveLength(401);
    for (const [index, key] of ascending.slice(1).entries())
      expect((ascending[index] as typeof key) <= key, `${index}`).toBe(true);
    expect(await keys(`-${name}`)).toEqual([...ascending].reverse());
  });

  it('pages backwards from the latest', async () => {
    const service = await serviceWith({ records: 2345 });
    const page = async (query: string) =>
      ids(await service.list(`page[size]=900&fields[dois]=doi&${query}`, DEMO));
    const pages = [1, 2, 3].map((number) => page(`sort=created&page[number]=${number}`));
    const forward = (await Promise.all(pages)).flat();
    expect(forward).toHaveLength(2345);
    expect(await page('sort=-created&page[number]=2')).toEqual(
      [...forward].reverse().slice(900, 1800),
    );
    expect(await page('sort=-created&page[number]=3')).toEqual([...forward].reverse().slice(1800));
  });

  it('refuses to sort more than it can hold', async () => {
    const service = await serviceWith({ records: 1_000_000 });
    const reply = await service.get('/dois?sort=title');
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('200000');
    expect((await service.get('/dois?sort=-created')).status).toBe(200);
  });
});
