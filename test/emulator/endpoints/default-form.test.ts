import { expect, it } from 'vitest';
import { DEMO, type Reply, type Service, serviceWith } from '../service.ts';

const ATTRIBUTES = {
  event: 'publish',
  url: 'https://example.org/',
  titles: [{ title: 'Lakes' }],
  publisher: { name: 'Lake Press', publisherIdentifier: 'https://ror.org/04wxnsj81' },
  publicationYear: 2026,
  types: { resourceTypeGeneral: 'Dataset' },
  creators: [{ name: 'Doe, Jane', affiliation: [{ name: 'Lake Institute' }] }],
};
const BODY = { data: { type: 'dois', attributes: { doi: '10.5072/form', ...ATTRIBUTES } } };

const NEW = { data: { type: 'dois', attributes: { prefix: '10.5072', ...ATTRIBUTES } } };

type Ask = (service: Service, query: string) => Promise<Reply>;

const REQUESTS: readonly (readonly [name: string, ask: Ask])[] = [
  ['a list', ({ get }, query) => get(`/dois?prefix=10.5072&${query}`, DEMO)],
  ['a random page', ({ get }, query) => get(`/dois?prefix=10.5072&random=true&${query}`, DEMO)],
  ['a cursor', ({ get }, query) => get(`/dois?prefix=10.5072&page[cursor]=1&${query}`, DEMO)],
  ['a scroll', ({ get }, query) => get(`/dois?prefix=10.5072&page[scroll]=1m&${query}`, DEMO)],
  ['a sparse list', ({ get }, q) => get(`/dois?fields[dois]=publisher,creators&${q}`, DEMO)],
  ['one record', ({ get }, query) => get(`/dois/10.5072/form?${query}`, DEMO)],
  ['an update', ({ send }, query) => send('PUT', `/dois/10.5072/form?${query}`, BODY, DEMO)],
  ['a creation', ({ send }, query) => send('POST', `/dois?${query}`, NEW, DEMO)],
  ['a validation', ({ send }, query) => send('POST', `/dois/validate?${query}`, BODY, DEMO)],
];

/** The forms of affiliations and publishers: `names objects`. */
function formsOf({ text }: Reply): string {
  const forms = ['"affiliation":\\[', '"publisher":'].map((before) => {
    const firsts = [...text.matchAll(new RegExp(`${before}(["{])`, 'g'))];
    return [...new Set(firsts.map(([, first]) => (first === '{' ? 'objects' : 'names')))].join('+');
  });
  return forms.join(' ');
}

it('has names by default until a date on its clock, and objects from then on', async () => {
  const service = await serviceWith({ records: 0, objectsFrom: Date.now() + 3_600_000 });
  await service.send('POST', '/dois', BODY, DEMO);
  for (const form of ['names', 'objects']) {
    const changed = await service.get('/dois/10.5072/form/activities');
    expect(formsOf(changed)).toMatch(new RegExp(` ${form}$`));
    for (const [name, ask] of REQUESTS) {
      const asked = async (query: string) => formsOf(await ask(service, query));
      expect([
        name,
        await asked(''),
        await asked('affiliation=true&publisher=true'),
        await asked('affiliation=false&publisher=false'),
        await asked('affiliation=false'),
        await asked('publisher=true'),
      ]).toEqual([
        name,
        `${form} ${form}`,
        'objects objects',
        'names names',
        `names ${form}`,
        `${form} objects`,
      ]);
    }
    await service.control('clock', { advanceMs: 7_200_000 });
  }
});

it('moves the date on request, and back with a reset', async () => {
  const service = await serviceWith({ records: 20 });
  const form = async () => formsOf(await service.get('/dois?page[size]=20')).split(' ')[1];
  for (const [date, expected] of [
    ['2000-01-01', 'objects'],
    ['2999-01-01', 'names'],
    ['2000-01-01T00:00:00Z', 'objects'],
    ['never', 'names'],
    ['2000-01-01', 'objects'],
  ]) {
    expect((await service.control('objects-from', { date })).status).toBe(200);
    expect(await form()).toBe(expected);
  }
  for (const date of ['soon', '', 5]) {
    expect((await service.control('objects-from', { date })).status).toBe(422);
  }
  await service.control('reset');
  expect(await form()).toBe('names');
});
