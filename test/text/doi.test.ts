import { describe, expect, it } from 'vitest';
import { exactDoi, misspelledDoi, parseDoi, parsePrefixes } from '../../src/text/doi.ts';

describe('parseDoi', () => {
  it.each([
    ' 10.5072/h9 ',
    'doi:10.5072/h9',
    'DOI: 10.5072/h9',
    'doi.org/10.5072/h9',
    'www.doi.org/10.5072/H9',
    'https://dx.doi.org/10.5072/h9?utm_source=mail#top',
    'HTTPS://DOI.ORG/10.5072%2Fh9',
    'http://hdl.handle.net/10.5072/h9',
    'https://handle.test.datacite.org/10.5072/h9',
    '\ufeff10.5072/h9\u00a0',
  ])('reads %s', (text) => {
    expect(parseDoi(text).toLowerCase()).toBe('10.5072/h9');
  });
  it.each([
    ['https://doi.org/10.5072/a%2Fb%23c', '10.5072/a/b#c'],
    ['http://dx.doi.org/10.5072/100%', '10.5072/100%'],
    [' 10.5072/a(b)<c>;d ', '10.5072/a(b)<c>;d'],
    ['10.1000/10.5072/b,10.5', '10.1000/10.5072/b,10.5'],
    ['https://doi.org/10.5072/a%E2%80%93b', '10.5072/a–b'],
    ['https://doi.org/10.5072/h9%2E', '10.5072/h9.'],
    ['10.5072/a_(1)', '10.5072/a_(1)'],
    ['10.5072/ä°', '10.5072/ä°'],
  ])('reads %s', (text, doi) => {
    expect(parseDoi(text)).toBe(doi);
  });
  it.each([
    ['10.5072/hx\u20130', /contains U\+2013 \(–\): write a DOI as in 10\.5072\/abc/],
    ['10.5072\u2044hx', /U\+2044/],
    ['１０.５０７２／ｈ９', /U\+FF11/],
    ['10.5072/h9\u200b', /U\+200B/],
    ['10.50\u206072/h9', /U\+2060/],
    ['“10.5072/h9”', /U\+201C/],
    ['10.5072/h9。', /U\+3002/],
    ['10.5072/sta\ufb00', /U\+FB00/],
    ['10.5072/h9.', /ends with '\.': write 10\.5072\/h9$/],
    ['https://doi.org/10.5072/h9),', /ends with '\),': write 10\.5072\/h9$/],
    ['10.5072/h9|', /ends with '\|': write 10\.5072\/h9$/],
    ['10.5072/a,10.5072/b', /holds several DOIs/],
    ['10.5072/a and 10.5072/b', /holds several DOIs/],
    ['DOIs: 10.5072/a, https://doi.org/10.5072%2Fb', /holds several DOIs/],
    ['10.5072/h9 (https://doi.org/10.5072/H9)', /not a DOI/],
    ['[10.5072/a](https://doi.org/10.5072/b)', /not a DOI/],
    ['<a href="https://doi.org/10.5072/b">10.5072/a</a>', /not a DOI/],
    ['<https://doi.org/10.5072/h9>', /not a DOI/],
    ['"10.5072/h9"', /not a DOI/],
    ['Do not delete: 10.5072/h9', /not a DOI/],
    ['Identifier: 10.5072/h9', /not a DOI/],
    ['info:doi/10.5072/h9', /not a DOI/],
    ['https://doi.datacite.org/dois/10.5072%2Fh9', /not a DOI/],
    ['https://doi.org/10.5072/h9%20', /not a DOI/],
    ['10.5072%2Fh9', /not a DOI/],
    ['10.5072\\/h9', /not a DOI/],
    ['10.5072/a b', /not a DOI such as 10\.5072\/abc or https:\/\/doi\.org\/10\.5072\/abc$/],
    ['10.5072/', /is a DOI prefix/],
    ['', /not a DOI/],
    ['11.5072/a', /not a DOI/],
    [`10.5072/${'a'.repeat(2041)}`, /not a DOI/],
  ])('refuses %s', (text, message) => {
    expect(() => parseDoi(text)).toThrow(message);
  });
});

it('keeps the DOI of a record of the service, and names hidden characters in others', () => {
  expect(exactDoi(' 10.5072/a–b ')).toBe('10.5072/a–b');
  expect(misspelledDoi('10.5072/a\u2060b')).toMatch(/^contains U\+2060/);
  expect(misspelledDoi('https://doi.org/10.5072/a–b')).toMatch(/^contains U\+2013 \(–\)/);
  expect(misspelledDoi('10.5072/ä')).toBeUndefined();
});

it('reads prefixes', () => {
  expect(parsePrefixes('10.5072,10.5438')).toBe('10.5072,10.5438');
  expect(() => parsePrefixes('5072')).toThrow(/10\.5072/);
});
