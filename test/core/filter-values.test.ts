import { describe, expect, it } from 'vitest';
import {
  parseClientIds,
  parseFields,
  parseProviderIds,
  parseResourceTypes,
  parseStates,
  parseYears,
} from '../../src/core/filter-values.ts';
import { RESOURCE_TYPES } from '../../src/metadata/resource-types.ts';
import schema from '../../src/metadata/schema/datacite-4.7.json' with { type: 'json' };

describe('parseResourceTypes', () => {
  it('knows the types of the schema', () => {
    const types = schema.$defs.resourceTypeGeneral.enum.filter((type) => typeof type === 'string');
    expect([...types].sort()).toEqual([...RESOURCE_TYPES].sort());
    expect(() => types.map(parseResourceTypes)).not.toThrow();
  });
  it.each(['dataset', 'Dataset', 'journal-article,JournalArticle', 'data_paper, text'])(
    'takes %s',
    (text) => {
      expect(parseResourceTypes(text)).toBe(text);
    },
  );
  it.each([
    ['datasets', /did you mean 'dataset'\?$/],
    ['dataset,', /'' is not a resource type/],
    ['article', /is not a resource type such as dataset/],
  ])('refuses %s, which no record has', (text, message) => {
    expect(() => parseResourceTypes(text)).toThrow(message);
  });
});

describe('parseFields', () => {
  it('takes names of attributes', () => {
    expect(parseFields('doi, titles')).toEqual(['doi', 'titles']);
  });
  it.each([
    ['doi,,titles', /'' is not the name of an attribute/],
    ['a&b', /name of an attribute/],
    ['doi,titel', /'titel' is not the name.*; did you mean 'titles'\?$/],
    ['publicationyear', /did you mean 'publicationYear'\?$/],
    ['publication_year', /did you mean 'publicationYear'\?$/],
  ])('refuses %s', (text, message) => {
    expect(() => parseFields(text)).toThrow(message);
  });
});

describe('ids', () => {
  it('of repository accounts and providers are taken, also several', () => {
    for (const text of ['cern.zenodo', 'TIB.BIOMEX-2', 'a.b, c.d'])
      expect(parseClientIds(text)).toBe(text);
    for (const text of ['caltech', 'CERN,tib']) expect(parseProviderIds(text)).toBe(text);
  });
  it.each([
    [
      'CERN/ZENODO',
      /'CERN\/ZENODO' is not the id of a repository account, which has a dot: CERN\.ZENODO$/,
    ],
    ['caltech', /which has a dot: cern\.zenodo; for a provider use --provider-id$/],
    ['a.b,c/d', /'c\/d' .* c\.d$/],
    ['.b', /has a dot/],
    ['', /empty/],
  ])('of repository accounts are refused: %j', (text, message) => {
    expect(() => parseClientIds(text)).toThrow(message);
  });
  it.each([
    ['cern.zenodo', /; for a repository account use --client-id$/],
    ['cern/zenodo', /is not the id of a provider such as cern$/],
    ['a b', /is not the id of a provider/],
    [' ', /empty/],
  ])('of providers are refused: %j', (text, message) => {
    expect(() => parseProviderIds(text)).toThrow(message);
  });
});

describe('parseYears, parseStates', () => {
  it('are checked before anything is sent', () => {
    expect(parseYears('2017,2019')).toBe('2017,2019');
    expect(() => parseYears('2017-2019')).toThrow(/the query created:/);
    expect(parseStates('Findable, draft')).toBe('findable,draft');
    expect(() => parseStates('public')).toThrow(/findable, registered, draft/);
  });
});
