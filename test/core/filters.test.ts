import { describe, expect, it } from 'vitest';
import {
  filterWarnings,
  parseClientIds,
  parseFields,
  parseFilter,
  parseProviderIds,
  parseResourceTypes,
  parseSort,
  widening,
} from '../../src/core/filters.ts';
import { RESOURCE_TYPES } from '../../src/metadata/resource-types.ts';
import schema from '../../src/metadata/schema/datacite-4.7.json' with { type: 'json' };

describe('parseFilter', () => {
  it('splits at the first equals sign', () => {
    expect(parseFilter('subject=a=b')).toEqual(['subject', 'a=b']);
  });
  it.each(['subject', '=x', 'subject=', ''])('refuses %j', (text) => {
    expect(() => parseFilter(text)).toThrow(/name=value/);
  });
  it.each([
    ['page[number]=2', /--page$/],
    ['provider-id=x', /--provider-id$/],
    // The service takes both spellings of a name.
    ['client_id=x', /--client-id$/],
    ['scroll_id=x', /--all$/],
  ])('points to the option in place of %s', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });
  it.each(
    `has-citations=1 has_views=0 link-check-redirect-count-gte=3 has-affiliation=true publisher=true
    publisher=false affiliation=true affiliation=false published=2019`.split(/\s+/),
  )('takes %s', (text) => {
    expect(parseFilter(text).join('=')).toBe(text.replace('_', '-'));
  });
  it.each([
    ['has-citations=true', /takes a minimum, such as 1/],
    ['has-views=-1', /takes a minimum/],
    ['has-downloads=1e3', /takes a minimum/],
    ['has_parts=many', /^has-parts takes a minimum/],
    ['has-affiliation=false', /takes only true/],
    ['has-person=0', /takes only true/],
    ['publisher=TRUE', /^publisher takes true for objects or false for names, not 'TRUE'/],
    ['affiliation=0', /^affiliation takes true for objects/],
    ['include-other-registration-agencies=false', /takes only true/],
    ['published=last', /year/],
  ])('refuses %s, which the service reads otherwise', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });
  it('refuses a whole API key, which would be in an address', () => {
    const key = `DC.${'Zz9'.repeat(10)}ab`;
    for (const text of [`user-id=${key}`, `id= ${key}`, `subject=a=${key}`, `${key}=1`, key]) {
      expect(() => parseFilter(text)).toThrow(/this is a whole API key/);
    }
  });
});

describe('filterWarnings', () => {
  it.each(
    `id ids affiliation affiliation-id affiliation-country certificate client-type composite consortium-id disable-facets enriched
     facets field-of-science funded-by funder-id has-citations has-references has-parts has-part-of has-versions
     has-version-of has-views has-downloads has-person has-affiliation has-organization has-funder include
     include-funder-child-organizations include-other-registration-agencies license link-check-status
     link-check-has-schema-org link-check-body-has-pid link-check-found-schema-org-id link-check-found-dc-identifier
     link-check-found-citation-doi link-check-redirect-count-gte mailto opendoar-id published publisher random
     re3data-id resource-type sample sample-group schema-version source subject user-id`
      .trim()
      .split(/\s+/),
  )('knows %s', (name) => {
    expect(filterWarnings([[name, 'true']]).join()).not.toContain('not known');
  });
  it.each([
    [
      'has-citation',
      /filter 'has-citation': it may ignore it and list everything; did you mean 'has-citations'\?$/,
    ],
    ['providerid', /did you mean 'provider-id'\?$/],
    ['sample-size', /list everything$/],
    ['something-else-entirely', /list everything$/],
  ])('warns of %s', (name, message) => {
    expect(filterWarnings([[name, 'x']])).toEqual([expect.stringMatching(message)]);
  });
  it('says that ids excludes other filters', () => {
    expect(filterWarnings([['ids', '10.5072/a']])).toEqual([
      expect.stringContaining('ignores all others'),
    ]);
  });
});

describe('widening', () => {
  it('names the filters that widen each other', () => {
    const names = (...given: string[]) => widening(given.map((name) => [name, 'x']));
    expect(names('client-id', 'prefix')).toEqual([]);
    expect(names('client-id', 'prefix', 'has-funder')).toEqual(['client-id', 'has-funder']);
  });
});

describe('parseSort', () => {
  it.each(['relevance', 'name', '-updated', 'citation-count', '-title'])('takes %s', (order) => {
    expect(parseSort(order)).toBe(order);
  });
  it.each([
    ['titel', /did you mean 'title'\?$/],
    ['-relevance', /did you mean 'relevance'\?$/],
    ['Created', /did you mean 'created'\?$/],
    ['publisher', /relevance, name, created/],
    ['', /not an order/],
  ])('refuses %j', (order, message) => {
    expect(() => parseSort(order)).toThrow(message);
  });
});

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
    ['caltech', /which has a dot: cern\.zenodo; for those of a provider use --provider-id$/],
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
