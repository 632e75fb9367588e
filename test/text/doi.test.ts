import { describe, expect, it } from 'vitest';
import { exactDoi, misspelledDoi, parseDoi } from '../../src/text/doi.ts';

describe('parseDoi', () => {
  it.each([
    '10.5072/h9',
    'doi:10.5072/h9',
    'DOI 10.5072/h9',
    'DOI:\u00a010.5072/h9',
    'doi = {10.5072/h9}',
    'Identifier: 10.5072/h9',
    'info:doi/10.5072/h9',
    'urn:doi:10.5072/h9',
    'www.doi.org/10.5072/h9',
    'https://dx.doi.org/10.5072/h9?utm_source=mail#top',
    'https://doi.org/doi:10.5072/h9',
    'https://hdl.handle.net/10.5072/h9',
    'https://handle.test.datacite.org/10.5072/h9',
    'https://api.datacite.org/dois/10.5072/h9?affiliation=true',
    'https://api.datacite.org/dois/text/x-bibliography/10.5072/h9',
    'https://commons.datacite.org/doi.org/10.5072/h9',
    'https://doi.test.datacite.org/dois/10.5072%2Fh9/edit',
    '<https://doi.org/10.5072/h9>',
    '[a title](https://doi.org/10.5072/h9)',
    '<a href="https://doi.org/10.5072/h9">10.5072/h9</a>',
    '10.5072/h9 (https://doi.org/10.5072/H9)',
    '“10.5072/h9”',
    '10.5072%2Fh9',
    '10.5072%252fh9',
    'https://doi.org/10.5072/h9%20',
    '~~10.5072/h9~~',
    '10.5072/h9&#8203;',
    'Dataset DOI: 10.5072/h9',
    '[10.5072/h9](https://doi.org/10.5072/H9)',
    '&#49;0.5072/h9',
    '\ufeff10.50\u206072/h\u00ad9\u200b ',
  ])('%s', (text) => {
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
  ])('%s', (text, doi) => {
    expect(parseDoi(text)).toBe(doi);
  });
  it.each([
    ['10.5072/hx\u20130', /U\+2013 .* looks like '-': write 10\.5072\/hx-0$/],
    ['10.5072\u2044hx', /U\+2044 .*: write 10\.5072\/hx$/],
    ['１０.５０７２／ｈ９', /U\+FF11 .*: write 10\.5072\/h9$/],
    ['10.5072/h9.', /ends with '\.': write 10\.5072\/h9$/],
    ['https://doi.org/10.5072/h9),', /ends with '\),': write 10\.5072\/h9$/],
    ['https://example.org/10.5072/a', /is not a DOI .*: write 10\.5072\/a$/],
    ['10.5072/a,10.5072/b', /holds several DOIs/],
    ['DOIs: 10.5072/a, 10.5072/b', /holds several DOIs/],
    ['[10.5072/a](https://doi.org/10.5072/b)', /holds several DOIs/],
    ['**[see 10.5072/a here](https://doi.org/10.5072/b)**', /holds several DOIs/],
    ['<a href="https://doi.org/10.5072/b">10.5072/a</a>', /holds several DOIs/],
    ['Do not delete: 10.5072/h9', /not a DOI .*: write 10\.5072\/h9$/],
    ['Replaced by: 10.5072/h9', /not a DOI .*: write 10\.5072\/h9$/],
    ['10.5072\\/h9', /not a DOI .*: write 10\.5072\/h9$/],
    ['10.5072/h9。', /U\+3002 .*: write 10\.5072\/h9$/],
    ['10.5072/h9|', /ends with '\|': write 10\.5072\/h9$/],
    ['10.5072/sta\ufb00', /U\+FB00 .*: write 10\.5072\/staff$/],
    ['', /not a DOI/],
    ['10.5072/', /not a DOI/],
    ['11.5072/a', /not a DOI/],
    // A blank may be a lost hyphen: half of the DOI would be another one.
    ['10.5072/a b', /abc$/],
    ['10.5072/a and 10.5072/b', /abc$/],
  ])('refuses %s', (text, message) => {
    expect(() => parseDoi(text)).toThrow(message);
  });
});

it('keeps the DOI of a record of the service, and names hidden characters in others', () => {
  expect(exactDoi(' 10.5072/a–b ')).toBe('10.5072/a–b');
  expect(misspelledDoi('10.5072/a\u2060b')).toBe(
    'contains U+2060, which is invisible: write 10.5072/ab',
  );
  expect(misspelledDoi('https://doi.org/10.5072/a–b')).toMatch(/U\+2013.*: write 10\.5072\/a-b$/);
  expect(misspelledDoi('10.5072/ä')).toBeUndefined();
});
