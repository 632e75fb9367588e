import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../src/metadata/tables/tables.ts';
import {
  type Cell,
  type Column,
  dayOf,
  orcidOf,
  type Row,
  rorOf,
} from '../../src/metadata/tables/values.ts';

type TableName = keyof typeof TABLES;

/** The rows of a record in a table, each with all columns. */
function rowsOf(name: TableName, record: object): Record<string, Cell | undefined>[] {
  const { rows, columns } = TABLES[name];
  return rows(record as Row).map((row) =>
    Object.fromEntries(Object.entries(columns).map(([column, own]) => [column, own.cell(row)])),
  );
}

const RECORD = {
  id: '10.5072/abc',
  type: 'dois',
  attributes: {
    doi: '10.5072/abc',
    creators: [
      {
        name: 'Müller, Ada',
        nameType: 'Personal',
        givenName: 'Ada',
        familyName: 'Müller',
        nameIdentifiers: [
          { nameIdentifier: 'gnd:118540238', nameIdentifierScheme: 'GND' },
          {
            nameIdentifier: 'https://orcid.org/0000-0002-1694-233x',
            nameIdentifierScheme: 'ORCID',
          },
        ],
        affiliation: [
          {
            name: 'Caltech',
            affiliationIdentifier: 'https://ror.org/05DXPS055',
            affiliationIdentifierScheme: 'ROR',
          },
          'CERN',
        ],
      },
      { name: 'A group', nameType: 'Organizational', nameIdentifiers: [], affiliation: [] },
    ],
    titles: [{ title: 'A title' }, { title: 'Ein Titel' }],
    publisher: {
      name: 'A publisher',
      publisherIdentifier: 'https://ror.org/01bj3aw27',
      publisherIdentifierScheme: 'ROR',
    },
    publicationYear: 2024,
    dates: [
      { date: '2024', dateType: 'Issued' },
      { date: '2024-02-03', dateType: 'Issued' },
    ],
    language: 'en',
    types: { resourceTypeGeneral: 'Dataset', resourceType: 'Survey' },
    subjects: [
      {
        subject: 'Ice',
        subjectScheme: 'DDC',
        schemeUri: 'https://www.oclc.org/ddc',
        valueUri: 'https://id.example/551.31',
        classificationCode: '551.31',
        lang: 'en',
      },
    ],
    relatedIdentifiers: [
      {
        relationType: 'Cites',
        relatedIdentifier: '10.5072/other',
        relatedIdentifierType: 'DOI',
        resourceTypeGeneral: 'Text',
      },
    ],
    fundingReferences: [
      {
        funderName: 'A funder',
        funderIdentifier: 'https://ror.org/021nxhr62',
        funderIdentifierType: 'ROR',
        awardNumber: '42',
        awardTitle: 'An award',
        awardUri: 'https://awards.example/42',
      },
    ],
    rightsList: [
      { rights: 'Open Access', rightsUri: 'info:eu-repo/semantics/openAccess' },
      {
        rights: 'Creative Commons Attribution 4.0 International',
        rightsUri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
        rightsIdentifier: 'CC-BY-4.0',
        rightsIdentifierScheme: 'SPDX',
      },
    ],
    sizes: ['2 MB', 17],
    formats: [],
    version: '1.0',
    url: 'https://repository.example/abc',
    state: 'findable',
    source: 'api',
    schemaVersion: 'http://datacite.org/schema/kernel-4',
    metadataVersion: 3,
    viewCount: 4,
    downloadCount: 5,
    referenceCount: 6,
    citationCount: 7,
    created: '2024-02-03T04:05:06Z',
    registered: '2024-02-03T04:05:07.000Z',
    updated: '2024-08-19T22:47:12+02:00',
  },
  relationships: {
    client: { data: { id: 'demo.repo', type: 'clients' } },
    provider: { data: { id: 'demo', type: 'providers' } },
  },
};

const doi = '10.5072/abc';
const ada = {
  ...{ doi, position: 1, name: 'Müller, Ada', name_type: 'Personal', given_name: 'Ada' },
  ...{ family_name: 'Müller', orcid: '0000-0002-1694-233X' },
};

describe('the tables', () => {
  it.each<[TableName, readonly Record<string, unknown>[]]>([
    [
      'dois',
      [
        {
          ...{ doi, prefix: '10.5072', url: 'https://repository.example/abc', state: 'findable' },
          ...{ client: 'demo.repo', provider: 'demo', year: 2024, issued: new Date('2024-02-03') },
          ...{
            type: 'Dataset',
            resource_type: 'Survey',
            title: 'A title',
            publisher: 'A publisher',
          },
          ...{ publisher_ror: '01bj3aw27', language: 'en', license: 'cc-by-4.0', version: '1.0' },
          ...{ sizes: ['2 MB', '17'], formats: [], created: new Date('2024-02-03T04:05:06Z') },
          ...{
            registered: new Date('2024-02-03T04:05:07Z'),
            updated: new Date('2024-08-19T20:47:12Z'),
          },
          ...{
            creator_count: 2,
            citation_count: 7,
            reference_count: 6,
            view_count: 4,
            download_count: 5,
          },
          source: 'api',
          ...{ schema_version: '4', metadata_version: 3 },
        },
      ],
    ],
    [
      'creators',
      [
        { ...ada, affiliation: 'Caltech', ror: '05dxps055' },
        { ...ada, affiliation: 'CERN', ror: null },
        {
          ...{ doi, position: 2, name: 'A group', name_type: 'Organizational', given_name: null },
          ...{ family_name: null, orcid: null, affiliation: null, ror: null },
        },
      ],
    ],
    [
      'subjects',
      [
        {
          ...{
            doi,
            position: 1,
            subject: 'Ice',
            scheme: 'DDC',
            scheme_uri: 'https://www.oclc.org/ddc',
          },
          ...{ value_uri: 'https://id.example/551.31', code: '551.31', language: 'en' },
        },
      ],
    ],
    [
      'related',
      [
        {
          ...{
            doi,
            position: 1,
            relation: 'Cites',
            identifier: '10.5072/other',
            identifier_type: 'DOI',
          },
          type: 'Text',
        },
      ],
    ],
    [
      'funding',
      [
        {
          ...{ doi, position: 1, funder: 'A funder', funder_id: 'https://ror.org/021nxhr62' },
          ...{ funder_id_type: 'ROR', ror: '021nxhr62', award: '42', award_title: 'An award' },
          award_uri: 'https://awards.example/42',
        },
      ],
    ],
    [
      'licenses',
      [
        {
          ...{ doi, position: 1, license: null, rights: 'Open Access' },
          rights_uri: 'info:eu-repo/semantics/openAccess',
        },
        {
          ...{ doi, position: 2, license: 'cc-by-4.0' },
          rights: 'Creative Commons Attribution 4.0 International',
          rights_uri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
        },
      ],
    ],
  ])('%s', (name, rows) => {
    expect(rowsOf(name, RECORD)).toEqual(rows);
  });

  it.each([
    ['no attributes', { id: doi }],
    [
      'null for all',
      { id: doi, attributes: { creators: null, titles: null, dates: null, types: null } },
    ],
    ['a draft', { id: doi, attributes: { state: 'draft', registered: null, publisher: '' } }],
  ])('have one DOI and nothing else of a record with %s', (_, record) => {
    const [row, ...others] = rowsOf('dois', record);
    expect(others).toEqual([]);
    expect(Object.values(row ?? {})).not.toContain(undefined);
    expect(row).toMatchObject({
      doi,
      registered: null,
      publisher: null,
      creator_count: null,
      license: null,
    });
    for (const name of ['creators', 'subjects', 'related', 'funding', 'licenses'] as const) {
      expect(rowsOf(name, record)).toEqual([]);
    }
  });

  it('have all values of recorded records', () => {
    const { data } = JSON.parse(readFileSync('test/fixtures/dois-2024.json', 'utf8')) as {
      data: object[];
    };
    for (const name of Object.keys(TABLES) as TableName[]) {
      const cells = data
        .flatMap((record) => rowsOf(name, record))
        .flatMap((row) => Object.entries(row));
      expect(cells.length).toBeGreaterThan(0);
      expect(cells.filter(([, cell]) => cell === undefined)).toEqual([]);
    }
  });
});

describe('a value of another type', () => {
  const [int32, timestamp, text] = [
    TABLES.dois.columns['year'],
    TABLES.dois.columns['created'],
    TABLES.dois.columns['title'],
  ];
  const cell = (column: Column | undefined, attributes: object) =>
    column?.cell({ id: doi, attributes });

  it.each([
    ['a number as text', int32, { publicationYear: '2020' }, 2020],
    ['a number that is none', int32, { publicationYear: '2020?' }, undefined],
    ['a number with a fraction', int32, { publicationYear: 2020.5 }, undefined],
    ['a number too large', int32, { publicationYear: 2 ** 31 }, undefined],
    [
      'a time without an offset',
      timestamp,
      { created: '2020-01-02T03:04' },
      new Date('2020-01-02T03:04Z'),
    ],
    ['a day that no calendar has', timestamp, { created: '2023-02-30T00:00:00Z' }, undefined],
    ['a time that is none', timestamp, { created: 'yesterday' }, undefined],
    ['a list as text', text, { titles: [{ title: ['a', 1] }] }, '["a",1]'],
    ['half of a character', text, { titles: [{ title: 'a\ud800' }] }, undefined],
  ])('is taken or told: %s', (_, column, attributes, expected) => {
    expect(cell(column, attributes)).toEqual(expected);
  });
});

describe('identifiers', () => {
  it.each([
    [
      { nameIdentifier: '0000-0002-1825-0097', nameIdentifierScheme: 'ORCID' },
      '0000-0002-1825-0097',
    ],
    [{ nameIdentifier: 'http://orcid.org/0000-0002-1825-0097' }, '0000-0002-1825-0097'],
    [{ nameIdentifier: '0000-0002-1825-0097', nameIdentifierScheme: 'ISNI' }, undefined],
    [{ nameIdentifier: 'https://orcid.org/', nameIdentifierScheme: 'ORCID' }, undefined],
  ])('of a person: %o', (identifier, orcid) => {
    expect(orcidOf({ nameIdentifiers: [identifier] })).toBe(orcid);
  });

  it.each([
    ['https://ror.org/05dxps055', undefined, '05dxps055'],
    ['ror.org/05dxps055', 'ROR', '05dxps055'],
    ['05dxps055', 'ror', '05dxps055'],
    ['05dxps055', undefined, undefined],
    ['grid.20861.3d', 'GRID', undefined],
    [undefined, undefined, undefined],
  ])('of an organization: %s, %s', (identifier, scheme, ror) => {
    expect(rorOf(identifier, scheme)).toBe(ror);
  });

  it.each([
    ['2024-05-01', '2024-05-01'],
    ['2024-05-01T10:00:00Z', '2024-05-01'],
    ['2024-05-01/2024-06-01', undefined],
    ['2024', undefined],
  ])('of a day: %s', (date, day) => {
    expect(dayOf([{ date, dateType: 'Issued' }], 'Issued')).toBe(day);
    expect(dayOf([{ date, dateType: 'Valid' }], 'Issued')).toBeUndefined();
  });
});
