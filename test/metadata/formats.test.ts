import { describe, expect, it } from 'vitest';
import { FORMATS, type Format } from '../../src/metadata/formats.ts';

const GOOD: Readonly<Record<Format, readonly string[]>> = {
  doi: [
    '10.5072/abc',
    'https://doi.org/10.1000.10/A(b)',
    'doi: 10.123456789/x',
    'http://dx.doi.org/10.5072/a/b',
  ],
  orcid: [
    '0000-0002-1825-0097',
    'https://orcid.org/0000-0001-5109-3700',
    'http://orcid.org/0000-0002-1694-233x',
    '0000000218250097',
  ],
  isni: ['0000 0001 2103 2683', '0000000121032683', 'https://isni.org/isni/0000000121032683'],
  ror: ['https://ror.org/04wxnsj81', '05f0yaq80', 'ror.org/058zxsr17', 'https://ror.org/03efmqc40'],
  'crossref-funder': [
    '10.13039/501100000780',
    'https://doi.org/10.13039/100000001',
    '501100000780',
  ],
  language: ['en', 'eng', 'pt-BR', 'zh-Hant', 'de', 'ger', 'ami', 'aae-Latn', 'und', ''],
  uri: ['https://example.org', 'info:eu-repo/semantics/openAccess', 'urn:x:y', ''],
  'web-address': [
    'https://example.org/a?b#c',
    'http://localhost/',
    'ftp://example.org/x',
    'https://例え.jp/',
  ],
  latitude: ['90', '-90.0', '1e1', ' 15.4 '],
  longitude: ['180', '-180', '.5'],
  'rkms-date': [
    ...['2026', '2026-05', '2026-05-04', '2024-02-29', '2000-02-29', '-0044-03-15', '+12026'],
    ...['2026-05-04T10:30Z', '2026-05-04T10:30:59.123+02:00', '2026-05-04T24:00:00Z'],
    ...[':unav', ':tba', '(:unkn)'],
    ...['2026/2027', '2026-05/', '/2026-05-04', '2026/2026-05', '-0500/0500', '2026-05-04/2026-05'],
  ],
  'datacite-xml': [Buffer.from('<?xml version="1.0"?><resource/>').toString('base64')],
};
const BAD: Readonly<Record<Format, readonly [string, RegExp][]>> = {
  doi: [
    ['abc', /such as 10\.5072\/abc/],
    ['10.5072/', /not a DOI/],
    ['10.5072/a b', /not a DOI/],
    ['https://example.org/10.5072/a', /not a DOI/],
  ],
  orcid: [
    ['0000-0002-1825-0098', /last character would be 7/],
    ['0000-0002-1694-2339', /would be X/],
    ['0000-0002-1825', /such as/],
    ['https://example.org/0000-0002-1825-0097', /such as/],
  ],
  isni: [
    ['0000 0001 2103 2684', /would be 3/],
    ['x', /such as/],
  ],
  ror: [
    ['https://ror.org/04wxnsj82', /end in 81/],
    ['https://ror.org/04wxnsi81', /such as/],
    ['grid.1', /such as/],
  ],
  'crossref-funder': [
    ['10.13039/x', /such as/],
    ['10.5072/501100000780', /such as/],
  ],
  language: [
    ['English', /such as en/],
    ['xx', /such as en/],
    ['en_US', /such as en/],
    ['e', /such as en/],
    ['x-ami', /such as en/],
  ],
  uri: [
    ['example.org', /URI/],
    ['https://a b', /URI/],
    ['a:<b>', /URI/],
  ],
  'web-address': [
    ['example.org', /https/],
    ['mailto:a@b.c', /https/],
    ['https://a b', /https/],
    ['https://', /https/],
  ],
  latitude: [
    ['90.1', /from -90 to 90, such as 47\.5$/],
    ['47,5', /from -90 to 90/],
    ['x', /degrees/],
    ['', /degrees/],
    ['0x10', /degrees/],
  ],
  longitude: [['-180.5', /from -180 to 180/]],
  'rkms-date': [
    ['May 2026', /such as 2026/],
    ['2026-5-4', /such as/],
    ['2026-13', /month/],
    ['2026-02-30', /day/],
    ['1900-02-29', /day/],
    ['2026-05-04T25:00Z', /time/],
    ['2026-05-04T10:30', /such as/],
    ['/', /range/],
    ['2026/2027/2028', /range/],
    ['2027/2026', /ends before/],
    ['2026-05-04/2026-05-03', /ends before/],
    ['2026/x', /holds 'x'/],
    ['', /such as/],
  ],
  'datacite-xml': [
    ['<resource/>', /base64/],
    [Buffer.from('text').toString('base64'), /base64/],
  ],
};

describe.each(Object.keys(FORMATS) as Format[])('the format %s', (name) => {
  it.each(GOOD[name])('takes %j', (text) => {
    expect(FORMATS[name](text)).toBeUndefined();
  });
  it.each(BAD[name])('refuses %j and says why', (text, reason) => {
    expect(FORMATS[name](text)).toMatch(reason);
  });
});
