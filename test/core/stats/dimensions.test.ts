import { describe, expect, it } from 'vitest';
import { dimension, NAMES, parseDimensions, valuesIn } from '../../../src/core/stats/dimensions.ts';

const RECORD = {
  id: '10.5072/a/b',
  attributes: {
    created: '2024-05-01T00:00:00Z',
    registered: null,
    publicationYear: 2023,
    dates: [{ date: '2023-02-30', dateType: 'Issued' }],
    state: 'findable',
    types: { resourceTypeGeneral: 'JournalArticle' },
    schemaVersion: 'http://datacite.org/schema/kernel-4',
    rightsList: [{ rightsIdentifier: 'cc0-1.0' }, { rightsIdentifier: 'cc0-1.0' }, { rights: 'x' }],
    landingPage: { status: 404 },
    language: 'en',
    subjects: [{ subject: 'Lakes' }, { subject: 'Lakes' }, {}],
    creators: [
      {
        name: 'A',
        affiliation: [
          {
            affiliationIdentifier: 'https://ror.org/1',
            affiliationIdentifierScheme: 'ROR',
            name: 'B',
          },
          { affiliationIdentifier: 'x', affiliationIdentifierScheme: 'GRID' },
          'C',
        ],
      },
    ],
  },
  relationships: { client: { data: { id: 'demo.repo' } }, provider: { data: { id: 'demo' } } },
};

const values = (record: object) =>
  Object.fromEntries(NAMES.map((name) => [name, [...valuesIn({ ...record }, dimension(name))]]));

describe('the values of a record', () => {
  it('are those by which the service counts it (service.md, P21)', () => {
    expect(values(RECORD)).toEqual({
      created: ['2024'],
      registered: [],
      year: ['2023'],
      affiliation: ['ror.org/1'],
      subject: ['Lakes'],
      language: ['en'],
      state: ['findable'],
      type: ['journal-article'],
      client: ['demo.repo'],
      provider: ['demo'],
      prefix: ['10.5072'],
      'schema-version': ['4'],
      license: ['cc0-1.0'],
      'link-check': ['404'],
      completeness: ['ror', 'license'],
    });
    const column = (name: string) => [...valuesIn(RECORD, dimension(name))];
    expect([column('creators.affiliation'), column('subjects.subject'), column('issued')]).toEqual([
      ['B', 'C'],
      ['Lakes'],
      [],
    ]);
  });

  it.each([
    {},
    { id: 7, attributes: null, relationships: [] },
    { attributes: [], relationships: { client: 'x', provider: { data: [] } } },
    {
      attributes: {
        ...{
          created: 2024,
          publicationYear: {},
          state: ['a'],
          types: 'Dataset',
          schemaVersion: {},
        },
        ...{ rightsList: [null, 'x', { rightsIdentifier: 7 }], landingPage: [404] },
      },
    },
    {
      attributes: {
        types: { resourceTypeGeneral: {} },
        rightsList: {},
        landingPage: { status: {} },
      },
    },
  ])('are none where they are something else: %j', (record) => {
    expect(Object.values(values(record)).flat()).toEqual([]);
  });
});

describe('completeness', () => {
  const person = (more: object) => ({ attributes: { creators: [{ name: 'A', ...more }] } });
  const orcid = (nameIdentifier: string) =>
    person({ nameIdentifiers: [{ nameIdentifier, nameIdentifierScheme: 'ORCID' }] });
  const place = { affiliationIdentifier: 'https://ror.org/1', affiliationIdentifierScheme: 'ROR' };
  // Each is what the counts of the same name count.
  it.each<[object, string, boolean]>([
    [orcid('https://orcid.org/0000-0002-1825-0097'), 'orcid', true],
    [orcid('unknown'), 'orcid', false],
    [person({ affiliation: [place] }), 'ror', true],
    [{ attributes: { contributors: [{ affiliation: [place] }] } }, 'ror', true],
    [person({ affiliation: [{ ...place, affiliationIdentifierScheme: 'GRID' }] }), 'ror', false],
    [{ attributes: { rightsList: [{ rightsIdentifier: 'mine' }] } }, 'license', true],
    [{ attributes: { rightsList: [{ rights: 'Open', rightsUri: 'x:y' }] } }, 'license', false],
    [{ attributes: { descriptions: [{ descriptionType: 'Abstract' }] } }, 'abstract', false],
    [{ attributes: { relatedItems: [{}], relatedIdentifiers: null } }, 'related', true],
    [{ attributes: { relatedItems: [], relatedIdentifiers: [null] } }, 'related', false],
  ])('%j: %s %s', (record, name, isThere) => {
    const found = valuesIn({ ...record }, dimension('completeness'));
    expect([...found]).toEqual(isThere ? [name] : []);
  });
});

it('--by takes names once each', () => {
  expect(parseDimensions('state, type,state')).toEqual(['state', 'type']);
  expect(() => parseDimensions('state,')).toThrow("'' is nothing to count by; dois stats --help");
  expect(() => parseDimensions('sate')).toThrow("by; did you mean 'state'?");
  expect(() => parseDimensions('titles')).toThrow('by; name a column such as titles.title');
  expect(() => parseDimensions('ror')).toThrow('by; name a column such as creators.ror');
});
