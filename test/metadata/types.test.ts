import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/metadata/formats.ts';
import { validators } from '../../src/metadata/schema/attributes.js';
import schema from '../../src/metadata/schema/datacite-4.7.json' with { type: 'json' };
import type { Attributes } from '../../src/metadata/schema/types.ts';

// The compiler checks these values when the project's types are checked, and the validator below:
// what one of them takes, the other takes, too.

const VALID: readonly Attributes[] = [
  {},
  { doi: '10.5072/abc', prefix: null, url: undefined, event: 'publish' },
  { publicationYear: 2024, publisher: 'A' },
  { publicationYear: '2024', publisher: { name: 'A', lang: 'en' } },
  { creators: [{ name: 'A' }, { name: 'B', nameType: null, affiliation: ['C', { name: 'D' }] }] },
  { creators: [{ name: 'A', affiliation: 'B' }], contributors: null },
  { contributors: [{ name: 'A', contributorType: 'Editor', nameIdentifiers: [] }] },
  { titles: [{ title: 'A', titleType: 'Subtitle', lang: 'de' }] },
  { types: { resourceTypeGeneral: 'Dataset', ris: 'DATA' } },
  { subjects: [{ subject: 'A' }], sizes: ['1 MB', null], contentUrl: ['https://example.org/'] },
  { dates: [{ date: '2024-05', dateType: 'Issued', dateInformation: 'A' }] },
  {
    relatedIdentifiers: [
      { relatedIdentifier: 'x', relatedIdentifierType: 'w3id', relationType: 'Cites' },
    ],
  },
  { relatedItems: [{ relatedItemType: 'Text', relationType: 'IsPartOf', numberType: 'Report' }] },
  { geoLocations: [{ geoLocationPoint: { pointLatitude: 1, pointLongitude: '2.5' } }] },
  { fundingReferences: [{ funderName: 'A', funderIdentifierType: 'Crossref Funder ID' }] },
  {
    container: { type: 'Series', title: 'A' },
    landingPage: { status: 200 },
    viewCount: 3,
    isActive: true,
  },
];

const INVALID: readonly Attributes[] = [
  // @ts-expect-error
  { doi: 5 },
  // @ts-expect-error
  { event: 'vanish' },
  // @ts-expect-error
  { title: 'A' },
  // @ts-expect-error
  { publicationYear: true },
  // @ts-expect-error
  { publisher: { lang: 'en' } },
  // @ts-expect-error
  { creators: { name: 'A' } },
  // @ts-expect-error
  { creators: [{ name: null }] },
  // @ts-expect-error
  { creators: [{ name: 'A', orcid: 'x' }] },
  // @ts-expect-error
  { creators: [{ name: 'A', affiliation: [5] }] },
  // @ts-expect-error
  { contributors: [{ name: 'A' }] },
  // @ts-expect-error
  { contributors: [{ name: 'A', contributorType: null }] },
  // @ts-expect-error
  { titles: ['A'] },
  // @ts-expect-error
  { types: { resourceTypeGeneral: 'dataset' } },
  // @ts-expect-error
  { sizes: [1] },
  // @ts-expect-error
  { contentUrl: [null] },
  // @ts-expect-error
  { dates: [{ date: null, dateType: 'Issued' }] },
  {
    relatedIdentifiers: [
      // @ts-expect-error
      { relatedIdentifier: 'x', relatedIdentifierType: 'doi', relationType: 'Cites' },
    ],
  },
  // @ts-expect-error
  { relatedItems: [{ relatedItemType: null, relationType: 'IsPartOf' }] },
  // @ts-expect-error
  { geoLocations: [{ geoLocationPoint: { pointLatitude: 1 } }] },
  // @ts-expect-error
  { geoLocations: [{ geoLocationPolygon: [[]] }], viewCount: 'x' },
  // @ts-expect-error
  { container: 'A' },
  // @ts-expect-error
  { container: { issn: 'A' } },
  // @ts-expect-error
  { landingPage: 'https://example.org/' },
];

const isText = () => true;
const { v47: validate } = validators(
  Object.fromEntries(Object.keys(FORMATS).map((name) => [name, isText])),
);

describe('the types of attributes', () => {
  it.each(VALID.map((value) => [JSON.stringify(value), value]))(
    'and the schema take %s',
    (_, value) => {
      expect(validate(value) ? [] : validate.errors).toEqual([]);
    },
  );

  it.each(INVALID.map((value) => [JSON.stringify(value), value]))(
    'and the schema refuse %s',
    (_, value) => {
      expect(validate(value)).toBe(false);
    },
  );

  it('have all attributes of the schema, and no others', () => {
    const { properties } = schema.$defs.attributes;
    // The compiler compares the names.
    const each = properties satisfies Readonly<Record<keyof Attributes, unknown>>;
    const known: readonly (keyof Attributes)[] = Object.keys(each) as (keyof typeof properties)[];
    expect(known.length).toBeGreaterThan(50);
  });
});
