import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXPORTED, TABLES } from '../../src/metadata/tables/tables.ts';
import {
  dayOf,
  doiOf,
  orcidOf,
  type Row,
  rorOf,
  type TableCell,
  type TableColumn,
} from '../../src/metadata/tables/values.ts';

type TableName = keyof typeof TABLES;

/** The rows of a record in a table, each with all columns. */
function rowsOf(name: TableName, record: object): Record<string, TableCell | undefined>[] {
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
    titles: [{ title: 'A title' }, { title: 'Ein Titel', titleType: 'Other', lang: 'de' }],
    descriptions: [{ description: 'A text', descriptionType: 'Abstract', lang: 'en' }],
    contributors: [
      { name: 'Hélène', contributorType: 'DataCurator', nameIdentifiers: [], affiliation: [] },
    ],
    identifiers: [{ identifier: 'https://repository.example/7', identifierType: 'URL' }],
    container: {
      type: 'Series',
      title: 'A series',
      identifier: '10.5072/S',
      identifierType: 'DOI',
    },
    relatedItems: [
      {
        relationType: 'IsPublishedIn',
        relatedItemType: 'Journal',
        titles: [{ title: 'A journal' }],
        relatedItemIdentifier: {
          relatedItemIdentifier: '10.5072/J',
          relatedItemIdentifierType: 'DOI',
        },
        publicationYear: '2023',
        volume: '4',
      },
    ],
    geoLocations: [
      {
        geoLocationPlace: 'A lake',
        geoLocationPoint: { pointLatitude: 46.5, pointLongitude: '6.6' },
      },
      {
        geoLocationBox: {
          ...{ westBoundLongitude: 6, eastBoundLongitude: 7 },
          ...{ southBoundLatitude: '46', northBoundLatitude: 'north' },
        },
      },
    ],
    contentUrl: ['https://repository.example/abc.zip'],
    partCount: 1,
    partOfCount: 2,
    versionCount: 3,
    versionOfCount: 4,
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
        relatedIdentifier: 'https://doi.org/10.5072/Other',
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
  position: 1,
  name: 'Müller, Ada',
  name_type: 'Personal',
  given_name: 'Ada',
  family_name: 'Müller',
  orcid: '0000-0002-1694-233X',
  identifiers: ['gnd:118540238', 'https://orcid.org/0000-0002-1694-233x'],
  schemes: ['GND', 'ORCID'],
};
const nobody = { identifiers: [], schemes: [] };

/** The rows of the record: the cells that are not null, besides the DOI. */
const ROWS: Readonly<Record<TableName, readonly object[]>> = {
  dois: [
    {
      prefix: '10.5072',
      url: 'https://repository.example/abc',
      state: 'findable',
      client: 'demo.repo',
      provider: 'demo',
      year: 2024,
      issued: new Date('2024-02-03'),
      type: 'Dataset',
      resource_type: 'Survey',
      title: 'A title',
      creators: ['Müller, Ada', 'A group'],
      publisher: 'A publisher',
      publisher_id: 'https://ror.org/01bj3aw27',
      publisher_ror: '01bj3aw27',
      content_urls: ['https://repository.example/abc.zip'],
      part_count: 1,
      part_of_count: 2,
      version_count: 3,
      version_of_count: 4,
      language: 'en',
      license: 'cc-by-4.0',
      version: '1.0',
      sizes: ['2 MB', '17'],
      formats: [],
      created: new Date('2024-02-03T04:05:06Z'),
      registered: new Date('2024-02-03T04:05:07Z'),
      updated: new Date('2024-08-19T20:47:12Z'),
      creator_count: 2,
      citation_count: 7,
      reference_count: 6,
      view_count: 4,
      download_count: 5,
      source: 'api',
      schema_version: '4',
      metadata_version: 3,
    },
  ],
  creators: [
    {
      ...ada,
      affiliation: 'Caltech',
      ror: '05dxps055',
      affiliation_id: 'https://ror.org/05DXPS055',
      affiliation_scheme: 'ROR',
    },
    { ...ada, affiliation: 'CERN' },
    { ...nobody, position: 2, name: 'A group', name_type: 'Organizational' },
  ],
  titles: [
    { position: 1, title: 'A title' },
    { position: 2, title: 'Ein Titel', type: 'Other', language: 'de' },
  ],
  descriptions: [{ position: 1, description: 'A text', type: 'Abstract', language: 'en' }],
  contributors: [{ ...nobody, position: 1, type: 'DataCurator', name: 'Hélène' }],
  dates: [
    { position: 1, date: '2024', type: 'Issued' },
    { position: 2, date: '2024-02-03', type: 'Issued', day: new Date('2024-02-03') },
  ],
  identifiers: [{ position: 1, identifier: 'https://repository.example/7', type: 'URL' }],
  containers: [
    {
      position: 1,
      type: 'Series',
      title: 'A series',
      identifier: '10.5072/S',
      identifier_type: 'DOI',
      related_doi: '10.5072/s',
    },
  ],
  related_items: [
    {
      position: 1,
      relation: 'IsPublishedIn',
      type: 'Journal',
      title: 'A journal',
      identifier: '10.5072/J',
      identifier_type: 'DOI',
      related_doi: '10.5072/j',
      year: 2023,
      volume: '4',
      item: JSON.stringify(RECORD.attributes.relatedItems[0]),
    },
  ],
  geo_locations: [
    { position: 1, place: 'A lake', latitude: 46.5, longitude: 6.6 },
    { position: 2, west: 6, east: 7, south: 46, north: undefined },
  ],
  subjects: [
    {
      position: 1,
      subject: 'Ice',
      scheme: 'DDC',
      scheme_uri: 'https://www.oclc.org/ddc',
      value_uri: 'https://id.example/551.31',
      code: '551.31',
      language: 'en',
    },
  ],
  related: [
    {
      position: 1,
      relation: 'Cites',
      identifier: 'https://doi.org/10.5072/Other',
      identifier_type: 'DOI',
      related_doi: '10.5072/other',
      type: 'Text',
    },
  ],
  funding: [
    {
      position: 1,
      funder: 'A funder',
      funder_id: 'https://ror.org/021nxhr62',
      funder_id_type: 'ROR',
      ror: '021nxhr62',
      award: '42',
      award_title: 'An award',
      award_uri: 'https://awards.example/42',
    },
  ],
  licenses: [
    { position: 1, rights: 'Open Access', rights_uri: 'info:eu-repo/semantics/openAccess' },
    {
      position: 2,
      license: 'cc-by-4.0',
      rights_id: 'CC-BY-4.0',
      scheme: 'SPDX',
      rights: 'Creative Commons Attribution 4.0 International',
      rights_uri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
    },
  ],
};

describe('the tables', () => {
  it.each(Object.entries(ROWS) as [TableName, readonly object[]][])('%s', (name, rows) => {
    const columns = Object.keys(TABLES[name].columns);
    const empty = Object.fromEntries(columns.map((column) => [column, null]));
    expect(rowsOf(name, RECORD)).toEqual(rows.map((row) => ({ ...empty, doi, ...row })));
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
    for (const name of Object.keys(TABLES) as TableName[]) {
      if (name !== 'dois') expect(rowsOf(name, record)).toEqual([]);
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
      expect(cells.filter(([, cell]) => cell === undefined)).toEqual([]);
    }
  });
});

/** The texts and numbers in a value, as text. */
const leaves = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves);
  return value === null || value === undefined ? [] : [String(value)];
};

it('have all of the complete example of the schema', () => {
  const [line = ''] = readFileSync('test/fixtures/examples/kernel-4.ndjson', 'utf8')
    .split('\n')
    .filter((each) => each.includes('relatedItems') && each.includes('geoLocationPolygon'));
  const { doi: id, ...attributes } = (({ attributes: inner, ...own }) => inner ?? own)(
    JSON.parse(line),
  );
  const names = Object.keys(TABLES) as TableName[];
  const cells = names.flatMap((name) => rowsOf(name, { id, attributes })).flatMap(Object.values);
  const there = leaves(cells).join('\n');
  const lost = leaves(attributes).filter((leaf) => !there.includes(leaf));
  // The addresses of the schemes of people and affiliations.
  expect(lost.filter((leaf) => !/SchemeURI$|^https:\/\/(orcid|ror)\.org$/.test(leaf))).toEqual([]);
});

it('have a whole record as it was sent', () => {
  const line = '{"id":"10.5072/abc","n":1.0}';
  expect(EXPORTED.records.rows({ id: doi }, Buffer.from(line))).toEqual([{ doi, record: line }]);
});

describe('a value of another type', () => {
  const [int32, timestamp, text] = [
    TABLES.dois.columns['year'],
    TABLES.dois.columns['created'],
    TABLES.dois.columns['title'],
  ];
  const cell = (column: TableColumn | undefined, attributes: object) =>
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
    ['a day of the year 0', timestamp, { created: '0000-01-01' }, undefined],
    ['a number with more digits than are exact', text, { titles: [{ title: 2 ** 60 }] }, undefined],
    ['a list as text', text, { titles: [{ title: ['a', 1] }] }, '["a",1]'],
    ['half of a character', text, { titles: [{ title: 'a\ud800' }] }, undefined],
  ])('is taken or told: %s', (_, column, attributes, expected) => {
    expect(cell(column, attributes)).toEqual(expected);
  });

  it('is no name of a publisher, no version and no creator', () => {
    const attributes = { publisher: { publisherIdentifier: 'x' }, schemaVersion: [4] };
    expect(rowsOf('dois', { id: doi, attributes: { ...attributes, creators: {} } })).toMatchObject([
      { publisher: null, schema_version: '[4]', creator_count: 0 },
    ]);
    expect(rowsOf('dois', { id: doi, attributes: { creators: { name: 'A' } } })).toMatchObject([
      { creators: ['A'], creator_count: 1 },
    ]);
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
    ['10.5072/ABC', 'DOI', '10.5072/abc'],
    ['https://doi.org/10.5072/ABC', 'DOI', '10.5072/abc'],
    ['http://dx.doi.org/10.5072/ABC', 'URL', '10.5072/abc'],
    ['doi:10.5072/abc', 'doi', '10.5072/abc'],
    ['https://doi.org/10.5072%2FABC', 'DOI', '10.5072/abc'],
    ['https://doi.org/10.5072/%28A%29b%3C1', 'DOI', '10.5072/(a)b<1'],
    ['https://doi.org/10.5072/abc?locatt=x#y', 'URL', '10.5072/abc'],
    ['10.5072/a%2fb', 'DOI', '10.5072/a%2fb'],
    ['10.5072/abc', 'Handle', undefined],
    ['https://example.org/10.5072/abc', 'URL', undefined],
    ['no DOI', 'DOI', undefined],
    [7, 'DOI', undefined],
    [undefined, undefined, undefined],
  ])('of a related work: %s, %s', (identifier, type, expected) => {
    expect(doiOf(identifier, type)).toBe(expected);
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
