import { describe, expect, it } from 'vitest';
import { basic, DEMO, OTHER, type Resource, serviceWith } from '../service.ts';

const COMPLETE = {
  doi: '10.5072/x',
  creators: [
    { name: 'Lovelace, Ada King', givenName: 'Ada King', familyName: 'Lovelace' },
    { name: 'Babbage, Charles' },
  ],
  titles: [{ title: 'Engines <i>& notes' }],
  publisher: 'P',
  publicationYear: 2020,
  types: { resourceTypeGeneral: 'Dataset', ris: 'DATA', bibtex: 'misc' },
  url: 'https://example.org/x',
};
const body = (attributes: unknown, type = 'dois') => ({ data: { type, attributes } });
const errorsOf = (text: string) => (JSON.parse(text) as { errors: unknown }).errors;

describe('POST /dois/validate', () => {
  it('answers 200 whether or not the record is valid, and creates nothing', async () => {
    const service = await serviceWith();
    const good = await service.send('POST', '/dois/validate', body(COMPLETE), DEMO);
    expect(good.status).toBe(200);
    expect(JSON.parse(good.text)).toMatchObject({ data: { id: '10.5072/x', type: 'dois' } });
    const schemaVersion = 'http://datacite.org/schema/kernel-4';
    const sent = { doi: '10.5072/X', titles: 'T', schemaVersion };
    const bad = await service.send('POST', '/dois/validate', body(sent), DEMO);
    expect(bad.status).toBe(200);
    const errors = errorsOf(bad.text) as { source: string; title: string }[];
    expect(errors.map(({ source }) => source)).toEqual(
      'creators publisher publication_year xml titles'.split(' '),
    );
    expect(errors[0]?.title).toBe(
      'DOI 10.5072/x: Missing child element(s). ' +
        'Expected is ( {http://datacite.org/schema/kernel-4}creator ). at line 4, column 0',
    );
    expect((await service.get('/dois/10.5072/x', DEMO)).status).toBe(404);
  });

  it('asks for an address only with an event, and for credentials', async () => {
    const service = await serviceWith();
    const { url: _, ...without } = COMPLETE;
    const check = (attributes: unknown, who = DEMO) =>
      service.send('POST', '/dois/validate', body(attributes), who);
    expect(JSON.parse((await check(without)).text)).toHaveProperty('data');
    expect((await check({ ...without, event: 'publish' })).text).toContain('"source":"url"');
    expect((await check({ ...COMPLETE, doi: '10.5072/' })).text).toContain('Is invalid');
    // Like a new record, it needs a repository (service.md, A9).
    expect((await check(COMPLETE, '')).status).toBe(404);
    expect((await check(COMPLETE, basic('DEMO.REPO', 'wrong'))).status).toBe(404);
    expect((await service.get('/dois/validate', DEMO)).status).toBe(404);
  });
});

describe('writes', () => {
  it('looks into JSON only, and never at the type of the resource', async () => {
    const service = await serviceWith();
    for (const [method, path] of [
      ['POST', '/dois'],
      ['PUT', '/dois/10.5072/x'],
    ] as const) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        const reply = await service.send(method, path, body(COMPLETE), DEMO, {
          'content-type': type,
        });
        expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('JSONAPI')]);
      }
      const works = await service.send(method, path, body(COMPLETE, 'works'), DEMO);
      expect([200, 201]).toContain(works.status);
      expect((await service.send(method, path, '{"data":{}}', DEMO)).status).toBe(400);
    }
    const plain = { 'content-type': 'application/json; charset=utf-8' };
    expect((await service.send('POST', '/dois', body(COMPLETE), DEMO, plain)).status).not.toBe(400);
  });

  it('leaves to the service what is its own to say', async () => {
    const service = await serviceWith();
    const sent = {
      ...COMPLETE,
      state: 'findable',
      viewCount: 9,
      created: '1999-01-01T00:00:00Z',
      suffix: 'y',
    };
    const made = await service.send('POST', '/dois', body(sent), DEMO);
    const changed = await service.send('PUT', '/dois/10.5072/x', body(sent), DEMO);
    for (const reply of [made, changed]) {
      const { attributes } = (JSON.parse(reply.text) as { data: Resource }).data;
      expect(attributes).toMatchObject({ state: 'draft', viewCount: 0 });
      expect(attributes['created']).not.toBe(sent.created);
      expect(attributes['suffix']).toBe('x');
    }
  });

  it('keeps a write whose answer is lost, and still reports a refusal', async () => {
    const service = await serviceWith({ faults: ['lost-answer'] });
    const create = () => service.send('POST', '/dois', body(COMPLETE), DEMO);
    await expect(create()).rejects.toThrow('fetch failed');
    expect((await service.get('/dois/10.5072/x', DEMO)).status).toBe(200);
    expect((await create()).status).toBe(422);
    const change = body({ titles: [{ title: 'New' }] });
    await expect(service.send('PUT', '/dois/10.5072/x', change, DEMO)).rejects.toThrow(
      'fetch failed',
    );
    expect((await service.get('/dois/10.5072/x', DEMO)).text).toContain('"New"');
    expect((await service.send('DELETE', '/dois/10.5072/x', undefined, OTHER)).status).toBe(403);
    await expect(service.send('DELETE', '/dois/10.5072/x', undefined, DEMO)).rejects.toThrow(
      'fetch failed',
    );
    expect((await service.get('/dois/10.5072/x', DEMO)).status).toBe(404);
  });
});

// conformance/formats.ts tests the formats themselves and invalid ones.
it('another format of a record is negotiated, and escapes its special characters', async () => {
  const service = await serviceWith();
  await service.send('POST', '/dois', body({ ...COMPLETE, event: 'publish' }), DEMO);
  const as = (accept: string) => service.get('/dois/10.5072/x', undefined, { accept });
  expect((await as('application/x-bibtex, */*;q=0.8')).text).toContain('@misc');
  const json = await as('text/html, application/x-bibtex;q=0.1');
  expect(json.headers.get('content-type')).toContain('json');
  expect((await as('text/x-bibliography')).text).toContain(
    'Lovelace, A. K., &amp; Babbage, C. (2020). <i>',
  );
  const xml = (await as('application/vnd.datacite.datacite+xml')).text;
  expect(xml).toContain('<title>Engines &lt;i&gt;&amp; notes</title>');
  expect((await service.get('/dois/application/x-unknown/10.5072/x')).status).toBe(406);
});
