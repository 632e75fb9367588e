import { describe, expect, it } from 'vitest';
import { COMPLETE_RECORD } from '../../helpers/records.ts';
import { DEMO, ids, OTHER, type Resource, type Service, serviceWith } from '../service.ts';

const COMPLETE = {
  ...COMPLETE_RECORD,
  creators: [{ name: 'A', affiliation: [{ name: 'KTH' }] }],
  titles: [{ title: 'Old' }],
};
const MINE = 'client-id=demo.repo&page[size]=1000&sort=created';

const put = (service: Service, doi: string, attributes: unknown, who = DEMO) =>
  service.send('PUT', `/dois/${doi}`, { data: { type: 'dois', attributes } }, who);
const attributesOf = async (service: Service, doi: string) => {
  const { text } = await service.get(`/dois/${doi}`, DEMO);
  return (JSON.parse(text) as { data: Resource }).data.attributes;
};
async function aged(options?: Parameters<typeof serviceWith>[0]): Promise<Service> {
  const service = await serviceWith(options);
  await put(service, '10.5072/x', { ...COMPLETE, event: 'publish' });
  await service.control('clock', { advanceMs: 60_000 });
  return service;
}

describe('PUT /dois/{doi}', () => {
  it('updates what is sent, keeps the rest, and moves the time of update', async () => {
    const service = await aged();
    const before = await attributesOf(service, '10.5072/x');
    expect((await put(service, '10.5072/X', { titles: [{ title: 'New' }] })).status).toBe(200);
    const after = await attributesOf(service, '10.5072/x');
    const { xml, updated, metadataVersion, schemaVersion, ...rest } = after;
    expect(after).toEqual({
      ...before,
      titles: [{ title: 'New' }],
      xml,
      updated,
      metadataVersion,
      schemaVersion,
    });
    expect(Buffer.from(String(xml), 'base64').toString()).toContain('<title>New</title>');
    expect([metadataVersion, schemaVersion]).toEqual([1, 'http://datacite.org/schema/kernel-4']);
    expect(rest['viewCount']).toBe(0);
    expect(Date.parse(String(after['updated']))).toBeGreaterThanOrEqual(
      Date.parse(String(before['updated'])) + 60_000,
    );
    const since = `query=updated:[${String(after['updated'])} TO *]`;
    expect(ids(await service.list(since, DEMO))).toEqual(['10.5072/x']);
  });

  it('updates a generated record in its place: order, counts and facets hold', async () => {
    const service = await serviceWith({ records: 3000 });
    const before = await service.list(MINE, DEMO);
    const all = ids(before);
    const changed = [all[0], all[5], all.at(-1)] as string[];
    for (const doi of changed) {
      const reply = await put(service, encodeURIComponent(doi), { titles: [{ title: 'New' }] });
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

describe('DELETE /dois/{doi}', () => {
  it('deletes drafts, created or generated, and nothing else', async () => {
    const service = await aged({ records: 3000 });
    await put(service, '10.5072/draft', {});
    const [generated = ''] = ids(await service.list(`${MINE}&state=draft`, DEMO));
    const { total } = (await service.list(MINE, DEMO)).meta;
    for (const doi of ['10.5072/draft', generated]) {
      const path = `/dois/${encodeURIComponent(doi)}`;
      expect((await service.send('DELETE', path, undefined, OTHER)).status).toBe(403);
      expect((await service.send('DELETE', path, undefined, '')).status).toBe(401);
      expect((await service.send('DELETE', path, undefined, DEMO)).status).toBe(204);
      expect((await service.send('DELETE', path, undefined, DEMO)).status).toBe(404);
      expect((await service.get(path, DEMO)).status).toBe(404);
    }
    const left = await service.list(MINE, DEMO);
    expect([left.meta.total, ids(left).length]).toEqual([total - 2, total - 2]);
    expect((await service.send('DELETE', '/dois/10.5072/x', undefined, DEMO)).status).toBe(405);
    await service.control('reset', {});
    expect(ids(await service.list(MINE, DEMO))).toContain(generated);
  });
});
