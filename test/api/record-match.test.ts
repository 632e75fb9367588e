import { describe, expect, it } from 'vitest';
import { matchesRequest, same, unstoredAttribute } from '../../src/api/record-match.ts';

const A = { title: 'A' };
const OLD = { url: 'https://example.org/old' };
const NEW = { url: 'https://example.org/new' };
const ORCID = '0000-0002-1825-0097';
const jane = (nameIdentifier: string) => ({
  creators: [{ name: 'Jane', nameIdentifiers: [{ nameIdentifier }] }],
});

describe('what a record keeps', () => {
  it.each([
    ['a publisher as a name', { publisher: { name: 'A' } }, { publisher: 'A' }],
    ['a publisher as an object', { publisher: 'A' }, { publisher: { name: 'A', lang: 'en' } }],
    ['a year as text', { publicationYear: 2026 }, { publicationYear: '2026' }],
    ['nothing for what is empty', { sizes: [], language: null, types: { ris: '' } }, { types: {} }],
    ['more than was sent', { titles: [A] }, { titles: [{ ...A, lang: null }], url: 'x' }],
    ['identifiers with a resolver', jane(ORCID), jane(`https://orcid.org/${ORCID}`)],
    ['the state after an event', { event: 'hide' }, { state: 'registered' }],
    ['no instruction', { doi: '10.5072/X', prefix: '10.5072' }, {}],
    ['nothing that it alone writes', { viewCount: 7, updated: 'x' }, { viewCount: 8 }],
  ])('is %s', (_, sent, kept) => {
    expect(matchesRequest(kept, sent, { exact: false })).toBe(true);
  });
  it.each([
    [{ titles: [{ ...A, lang: null }] }, { titles: [A] }, true],
    [{ titles: [{ ...A, lang: 'en' }] }, { titles: [A] }, false],
    [{ publisher: { name: 'A' } }, { publisher: 'A' }, true],
    [{ publisher: { name: 'A', lang: 'en' } }, { publisher: 'A' }, false],
  ])('is exactly what an update has sent, and nothing of before: %j, %j', (kept, sent, isKept) => {
    expect(matchesRequest(kept, sent, { exact: true })).toBe(isKept);
  });
  it.each([
    ['a title in other case', { titles: [{ title: 'a' }] }, { titles: [A] }],
    ['another value', { url: 'a' }, { url: 'b' }],
    ['nothing', { url: 'a' }, {}],
    ['fewer items', { titles: [A, { title: 'B' }] }, { titles: [A] }],
    ['more items', { titles: [A] }, { titles: [A, { title: 'B' }] }],
    ['what should be empty', { sizes: [] }, { sizes: ['1 kB'] }],
    ['another state', { event: 'publish' }, { state: 'draft' }],
    ['an item without a member', { titles: [{ ...A, lang: 'en' }] }, { titles: [A] }],
  ])('is not %s', (_, sent, kept) => {
    expect(matchesRequest(kept, sent, { exact: false })).toBe(false);
  });
  it.each<[string, unknown, unknown, boolean]>([
    ['the same', 'https://example.org/1', 'https://example.org/1', true],
    ['a number as text', '2', 2, true],
    ['an ORCID iD without its resolver', `https://orcid.org/${ORCID}`, ORCID, false],
    ['an old resolver', `http://orcid.org/${ORCID}`, `https://orcid.org/${ORCID}`, false],
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
  const before = { ...OLD, titles: [{ title: 'Old' }], version: '1' };
  type Case = [what: string, record: object, sent: object, missing?: string];
  it.each<Case>([
    ['the sent value', NEW, NEW],
    // The service stores some values in forms of its own.
    ['another value than before', { url: 'https://example.org/x' }, NEW],
    ['the value of before', before, NEW, 'url'],
    [
      'that value, spelled differently',
      { titles: [{ title: ' Old ' }] },
      { titles: [A] },
      'titles',
    ],
    ['no value', {}, NEW, 'url'],
    ['no value, where one was removed', {}, { version: null }],
    ['a value that was to be removed', { version: '2' }, { version: null }],
    ['a value of before that was to be removed', before, { version: null }, 'version'],
    ['only one of two values', { ...before, ...NEW }, { ...NEW, version: '2' }, 'version'],
    ['nothing that a record shows', {}, { event: 'publish', source: 'x' }],
    ['nothing, after a transfer', {}, { ...NEW, mode: 'transfer' }],
  ])('of an update: %s', (_, record, sent, missing) => {
    expect(unstoredAttribute({ ...record }, { ...sent }, before)).toBe(missing);
  });
  it.each<Case>([
    ['the sent value', { version: '2' }, { version: '2' }],
    ['more than was sent', { titles: [{ ...A, lang: 'en' }] }, { titles: [A] }],
    ['another value', { version: '3' }, { version: '2' }, 'version'],
    ['other titles', { titles: [{ title: 'Other' }] }, { titles: [A] }, 'titles'],
    ['one title less', { titles: [A] }, { titles: [A, { title: 'B' }] }, 'titles'],
    ['no value', {}, { version: '2' }, 'version'],
  ])('of a creation: %s', (_, record, sent, missing) => {
    expect(unstoredAttribute({ ...record }, { ...sent }, undefined)).toBe(missing);
  });
});
