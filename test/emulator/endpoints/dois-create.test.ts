import { describe, expect, it } from 'vitest';
import {
  DEMO,
  ids,
  OTHER,
  type Reply,
  type Resource,
  type Service,
  serviceWith,
} from '../service.ts';

const COMPLETE = {
  creators: [{ name: 'Müller, Ana', affiliation: [{ name: 'KTH' }] }],
  titles: [{ title: 'Ein "Titel" <&> 中 🧬' }],
  publisher: 'P',
  publicationYear: 2020,
  types: { resourceTypeGeneral: 'PhysicalObject' },
  url: 'https://example.org/',
};

const post = (service: Service, attributes: unknown, authorization = DEMO) =>
  service.send('POST', '/dois', { data: { type: 'dois', attributes } }, authorization);

const resource = (reply: Reply) => (JSON.parse(reply.text) as { data: Resource }).data;
const errors = (reply: Reply) =>
  (JSON.parse(reply.text) as { errors: Record<string, string>[] }).errors;

describe('POST /dois', () => {
  it('returns attributes with those of the service, and drops unknown ones', async () => {
    const service = await serviceWith();
    const sent = {
      ...COMPLETE,
      doi: '10.5072/ABC',
      event: 'publish',
      own: { deep: [1.5, null, 'x'] },
    };
    const reply = await post(service, sent);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('x-credential-username')).toBe('demo.repo');
    const { id, attributes, relationships } = resource(reply);
    expect(id).toBe('10.5072/abc');
    const { event: _, own: __, types, ...kept } = { ...sent, doi: '10.5072/abc' };
    const creators = [{ name: 'Müller, Ana', affiliation: ['KTH'], nameIdentifiers: [] }];
    expect(attributes).toMatchObject({
      ...kept,
      types,
      creators,
      state: 'findable',
      isActive: true,
      published: '2020',
    });
    expect(attributes).not.toHaveProperty('event');
    expect(attributes).not.toHaveProperty('own');
    expect(attributes['registered']).toBe(attributes['created']);
    expect(relationships.client?.data.id).toBe('demo.repo');
    expect(resource(await service.get('/dois/10.5072%2FAbC', DEMO)).attributes).toEqual(attributes);
    expect(
      resource(await service.get('/dois/10.5072/abc?publisher=true&affiliation=true')).attributes,
    ).toMatchObject({ publisher: { name: 'P' }, creators: [{ affiliation: [{ name: 'KTH' }] }] });
  });

  it('names every field that a Findable record lacks', async () => {
    const service = await serviceWith();
    const schemaVersion = 'http://datacite.org/schema/kernel-4';
    const lacking = { doi: '10.5072/x', event: 'publish', titles: [], schemaVersion };
    const reply = await post(service, lacking);
    expect(reply.status).toBe(422);
    // A record without types lacks an element of the XML; the service reports the XML as a whole.
    const sources = ['url', 'creators', 'titles', 'publisher', 'publication_year', 'xml'];
    expect(errors(reply).map(({ source }) => source)).toEqual(sources);
    // Without the schema version, the service reports no field.
    const { schemaVersion: _, ...unversioned } = { ...COMPLETE, ...lacking };
    expect(errors(await post(service, unversioned))).toEqual([
      { source: 'metadata', title: 'Is invalid', uid: '10.5072/x' },
    ]);
    expect((await service.get('/dois/10.5072/x', DEMO)).status).toBe(404);
  });

  it('refuses a DOI that is taken, by a created or a generated record', async () => {
    const service = await serviceWith({ records: 100 });
    await post(service, { doi: '10.5072/x' });
    const generated = ids(await service.list('page[size]=1&prefix=10.5072', DEMO))[0];
    for (const doi of ['10.5072/X', generated]) {
      const reply = await post(service, { doi });
      expect(reply.status).toBe(422);
      expect(errors(reply)).toEqual([
        { source: 'doi', title: 'This DOI has already been taken', uid: doi?.toLowerCase() },
      ]);
    }
  });

  it('gives each account the shared prefix and one of its own', async () => {
    const service = await serviceWith();
    const accounts = (await service.get('/_emulator/accounts')).text;
    const { prefixes } =
      (JSON.parse(accounts) as { accounts: { prefixes: string[] }[] }).accounts[0] ?? {};
    expect(prefixes).toHaveLength(2);
    for (const prefix of prefixes ?? []) expect((await post(service, { prefix })).status).toBe(201);
    expect((await post(service, { prefix: prefixes?.[1] }, OTHER)).status).toBe(403);
  });

  it('puts new records into counts, facets and filters', async () => {
    const service = await serviceWith({ records: 50 });
    await post(service, { ...COMPLETE, doi: '10.5072/new', event: 'publish' });
    await post(service, { doi: '10.5072/draft' });
    const list = (query: string, who?: string) => service.list(`page[size]=100&${query}`, who);
    expect((await list('')).data[0]?.id).toBe('10.5072/new');
    expect((await list('', DEMO)).meta.total).toBe(52);
    for (const query of [
      `created=${new Date().getUTCFullYear()}`,
      'query=doi:10.5072/new',
      'published=2020&client-id=demo.repo&query=registered:[2026-07-02 TO *]',
      'resource-type-id=physical-object&query=created:[2026-07-02 TO *]',
    ]) {
      expect(
        ids(await list(query, DEMO)).filter((id) => id === '10.5072/new'),
        query,
      ).toHaveLength(1);
    }
    expect(ids(await list('state=draft&client-id=demo.repo', DEMO))).toContain('10.5072/draft');
    expect(ids(await list('query=registered:[* TO *]', DEMO))).not.toContain('10.5072/draft');
  });
});

describe('GET /dois/{doi}', () => {
  it('finds generated records, with details, whatever their characters', async () => {
    const service = await serviceWith();
    const [id = ''] = ids(await service.list('client-id=gesis.die&page[size]=1'));
    expect(id).toMatch(/[(;:]/);
    const found = resource(await service.get(`/dois/${encodeURIComponent(id.toUpperCase())}`));
    expect(found.id).toBe(id);
    expect(found.attributes['prefix']).toBe('10.3278');
  });
});
