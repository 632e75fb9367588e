import { describe, expect, it } from 'vitest';
import { matchesRequest, same, unstoredAttribute } from '../../src/api/record-match.ts';

describe('what a record keeps', () => {
  it.each([
    ['a publisher as a name', { publisher: { name: 'A' } }, { publisher: 'A' }],
    ['a publisher as an object', { publisher: 'A' }, { publisher: { name: 'A', lang: 'en' } }],
    ['a year as text', { publicationYear: 2026 }, { publicationYear: '2026' }],
    ['nothing for what is empty', { sizes: [], language: null, types: { ris: '' } }, { types: {} }],
    [
      'more than was sent',
      { titles: [{ title: 'A' }] },
      { titles: [{ title: 'A', lang: null }], url: 'x' },
    ],
    [
      'identifiers with a resolver',
      { creators: [{ name: 'A', nameIdentifiers: [{ nameIdentifier: '0000-0002-1825-0097' }] }] },
      {
        creators: [
          {
            name: 'A',
            nameIdentifiers: [{ nameIdentifier: 'https://orcid.org/0000-0002-1825-0097' }],
          },
        ],
      },
    ],
    ['the state after an event', { event: 'hide' }, { state: 'registered' }],
    ['no instruction', { doi: '10.5072/X', prefix: '10.5072' }, {}],
    ['nothing that it alone writes', { viewCount: 7, updated: 'x' }, { viewCount: 8 }],
  ])('is %s', (_, sent, kept) => {
    expect(matchesRequest(kept, sent, { exact: false })).toBe(true);
  });
  it('is exactly what an update has sent, and nothing of before', () => {
    expect(
      matchesRequest(
        { titles: [{ title: 'A', lang: null }] },
        { titles: [{ title: 'A' }] },
        { exact: true },
      ),
    ).toBe(true);
    expect(
      matchesRequest(
        { titles: [{ title: 'A', lang: 'en' }] },
        { titles: [{ title: 'A' }] },
        { exact: true },
      ),
    ).toBe(false);
    expect(matchesRequest({ publisher: { name: 'A' } }, { publisher: 'A' }, { exact: true })).toBe(
      true,
    );
    expect(
      matchesRequest({ publisher: { name: 'A', lang: 'en' } }, { publisher: 'A' }, { exact: true }),
    ).toBe(false);
  });
  it.each([
    ['a title in other case', { titles: [{ title: 'a' }] }, { titles: [{ title: 'A' }] }],
    ['another value', { url: 'a' }, { url: 'b' }],
    ['nothing', { url: 'a' }, {}],
    ['fewer items', { titles: [{ title: 'A' }, { title: 'B' }] }, { titles: [{ title: 'A' }] }],
    ['more items', { titles: [{ title: 'A' }] }, { titles: [{ title: 'A' }, { title: 'B' }] }],
    ['what should be empty', { sizes: [] }, { sizes: ['1 kB'] }],
    ['another state', { event: 'publish' }, { state: 'draft' }],
    [
      'an item without a member',
      { creators: [{ name: 'A', givenName: 'B' }] },
      { creators: [{ name: 'A' }] },
    ],
  ])('is not %s', (_, sent, kept) => {
    expect(matchesRequest(kept, sent, { exact: false })).toBe(false);
  });
  it.each<[string, unknown, unknown, boolean]>([
    ['the same', 'https://example.org/1', 'https://example.org/1', true],
    ['a number as text', '2', 2, true],
    [
      'an ORCID iD without its resolver',
      'https://orcid.org/0000-0002-1825-0097',
      '0000-0002-1825-0097',
      false,
    ],
    [
      'an old resolver',
      'http://orcid.org/0000-0002-1825-0097',
      'https://orcid.org/0000-0002-1825-0097',
      false,
    ],
    ['another resolver', 'http://dx.doi.org/10.1/a', 'https://doi.org/10.1/a', false],
    ['a resolver more', '10.1/a', 'https://doi.org/10.1/a', false],
    ['a DOI in other case', '10.1/a', '10.1/A', false],
    ['white space less', 'a ', 'a', false],
    // The service cleans texts of XML as HTML (service.md, W17).
    ['references of HTML', 'A &amp; B &lt; <i>C</i>', 'A & B < <i>C</i>', false],
    ['a value that looks like nothing', null, 'null', false],
    ['nothing where there is nothing', null, '', true],
  ])('with %s is as asked, or not', (_, stored, sent, isSame) => {
    expect(same(stored, sent)).toBe(isSame);
    // After a lost answer, what the service may have made of it counts.
    if (stored !== null)
      expect(matchesRequest({ url: stored }, { url: sent }, { exact: true })).toBe(true);
  });
});

describe('what proves that a write was stored', () => {
  const before = { url: 'https://example.org/old', titles: [{ title: 'Old' }], version: '1' };
  type Case = readonly [what: string, record: object, sent: object, missing: string | undefined];
  const missing = (old: object | undefined, [, record, sent]: Case) =>
    unstoredAttribute({ ...record }, { ...sent }, old && { ...old });
  it.each<Case>([
    [
      'the sent value',
      { url: 'https://example.org/new' },
      { url: 'https://example.org/new' },
      undefined,
    ],
    // The service stores some values in forms of its own.
    [
      'another value than before',
      { url: 'https://example.org/x' },
      { url: 'https://example.org/new' },
      undefined,
    ],
    ['the value of before', before, { url: 'https://example.org/new' }, 'url'],
    [
      'the value of before, spelled differently',
      { titles: [{ title: ' Old ' }] },
      { titles: [{ title: 'New' }] },
      'titles',
    ],
    ['no value', {}, { url: 'https://example.org/new' }, 'url'],
    ['no value, where one was removed', {}, { version: null }, undefined],
    ['a value that was to be removed', { version: '2' }, { version: null }, undefined],
    ['a value of before that was to be removed', before, { version: null }, 'version'],
    [
      'only one of two values',
      { ...before, url: 'https://example.org/new' },
      { url: 'https://example.org/new', version: '2' },
      'version',
    ],
    ['nothing that a record shows', {}, { event: 'publish', source: 'x' }, undefined],
    [
      'nothing, after a transfer',
      {},
      { mode: 'transfer', url: 'https://example.org/new' },
      undefined,
    ],
  ])('of an update: %s', (...item) => {
    expect(missing(before, item)).toBe(item[3]);
  });
  it.each<Case>([
    ['the sent value', { version: '2' }, { version: '2' }, undefined],
    [
      'more than was sent',
      { titles: [{ title: 'New', lang: 'en' }] },
      { titles: [{ title: 'New' }] },
      undefined,
    ],
    ['another value', { version: '3' }, { version: '2' }, 'version'],
    ['other titles', { titles: [{ title: 'Other' }] }, { titles: [{ title: 'New' }] }, 'titles'],
    [
      'one title less',
      { titles: [{ title: 'New' }] },
      { titles: [{ title: 'New' }, { title: 'B' }] },
      'titles',
    ],
    ['no value', {}, { version: '2' }, 'version'],
  ])('of a creation: %s', (...item) => {
    expect(missing(undefined, item)).toBe(item[3]);
  });
});
