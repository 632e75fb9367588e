import { describe, expect, it } from 'vitest';
import { filterWarnings, parseFilter, parseSort } from '../../src/core/other-filters.ts';

describe('parseFilter', () => {
  it('splits at the first equals sign', () => {
    expect(parseFilter('user-id=a=b')).toEqual(['user-id', 'a=b']);
  });
  it.each([
    ['user-id', /'user-id' has no value: write it as one word, such as subject=lake/],
    ['', /has no value/],
    ['=x', /name=value/],
    ['user-id=', /name=value/],
  ])('refuses %j', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
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
    publisher=false affiliation=true affiliation=false published=2019 enriched=false`.split(/\s+/),
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
    ['enriched=1', /^enriched takes true or false, not '1'/],
  ])('refuses %s, which the service reads otherwise', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });
  it('refuses a whole API key, which would be in an address', () => {
    const key = `DC.${'Zz9'.repeat(10)}ab`;
    for (const text of [`user-id=${key}`, `id= ${key}`, `user-id=a=${key}`, `${key}=1`, key]) {
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
    ['exclude-funder-child-organizations', /list everything$/],
  ])('warns of %s', (name, message) => {
    expect(filterWarnings([[name, 'x']])).toEqual([message]);
  });
  it('says that ids excludes other filters', () => {
    expect(filterWarnings([['ids', '10.5072/a']])).toEqual([/ignores all others/]);
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
