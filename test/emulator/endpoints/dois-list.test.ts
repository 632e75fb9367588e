import { describe, expect, it } from 'vitest';
import { COMPLETE_RECORD } from '../../helpers/records.ts';
import { DEMO, ids, type Resource, serviceWith } from '../service.ts';

const PUBLISHED = {
  ...COMPLETE_RECORD,
  event: 'publish',
  prefix: '10.5072',
  creators: [{ name: 'A', affiliation: ['KTH'] }],
};

const MINE = 'client-id=demo.repo&page[size]=1000&sort=created';

describe('lists of DOIs', () => {
  type Attributes = Record<string, unknown>;
  it.each([
    ['name', 'doi'],
    ['created', 'created'],
    ['updated', 'updated'],
    ['published', 'published'],
    ['view-count', 'viewCount'],
    ['citation-count', 'citationCount'],
    ['title', (record: Attributes) => (record['titles'] as { title: string }[])[0]?.title],
  ])('sorts by %s both ways', async (name, keyOf) => {
    const service = await serviceWith({ records: 400 });
    const posted = { ...PUBLISHED, titles: [{ title: '中' }] };
    await service.send('POST', '/dois', { data: { attributes: posted } }, DEMO);
    const keys = async (sort: string) =>
      (await service.list(`page[size]=1000&sort=${sort}`, DEMO)).data.map(({ attributes }) =>
        typeof keyOf === 'string' ? attributes[keyOf] : keyOf(attributes),
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

  it('updates a generated record in its place: order, counts and facets hold', async () => {
    const service = await serviceWith({ records: 3000 });
    const body = { data: { type: 'dois', attributes: { titles: [{ title: 'New' }] } } };
    const before = await service.list(MINE, DEMO);
    const all = ids(before);
    const changed = [all[0], all[5], all.at(-1)] as string[];
    for (const doi of changed) {
      const reply = await service.send('PUT', `/dois/${encodeURIComponent(doi)}`, body, DEMO);
      expect(reply.status).toBe(200);
    }
    const after = await service.list(MINE, DEMO);
    expect(ids(after)).toEqual(all);
    // An update sets the version of the schema.
    expect({ ...after.meta, schemaVersions: 0 }).toEqual({ ...before.meta, schemaVersions: 0 });
    expect(ids(await service.list(`${MINE.replace('created', '-created')}`, DEMO))).toEqual(
      [...all].reverse(),
    );
    const spread = (document: typeof after) =>
      document.data.filter(({ id }) => !changed.includes(id)).map((one) => JSON.stringify(one));
    expect(spread(after)).toEqual(spread(before));
    expect(after.data[0]?.attributes['titles']).toEqual([{ title: 'New' }]);
    const rest = (one: Resource | undefined) => {
      const changing = { titles: 0, updated: 0, metadataVersion: 0, schemaVersion: 0 };
      return { ...one?.attributes, ...changing };
    };
    expect(rest(after.data[0])).toEqual(rest(before.data[0]));
  });
});
