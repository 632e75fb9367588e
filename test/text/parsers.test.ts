import { describe, expect, it } from 'vitest';
import {
  parseApiUrl,
  parseBaseUrl,
  parseDuration,
  parseInteger,
  parseKeyName,
  parseMailto,
  parsePrefixes,
  parseRate,
  parseRepository,
  parseStates,
  parseText,
  parseYears,
} from '../../src/text/parsers.ts';

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['12h', 43_200_000],
    ['90d', 7_776_000_000],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
  it.each(['', '30', 's', '-1s', '1 s', '1y', '1e3s'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(/not a duration.*30s/);
  });
});

describe('parseRate', () => {
  it('takes requests per duration', () => {
    expect(parseRate('3000/5m')).toEqual({ requests: 3000, windowMs: 300_000 });
    expect(parseRate('40/s')).toEqual({ requests: 40, windowMs: 1000 });
  });
  it.each(['', '40', '40/', '/5m', '0/1s', '1/0s', '1/2/3s', 'x/1s'])('refuses %j', (text) => {
    expect(() => parseRate(text)).toThrow();
  });
});

describe('parseInteger', () => {
  it('takes the bounds and nothing beyond them', () => {
    const parse = parseInteger(0, 1000);
    expect([parse('0'), parse('1000')]).toEqual([0, 1000]);
    for (const text of ['-1', '1001', '1.5', '', 'ten', '0x10', '1e3']) {
      expect(() => parse(text), text).toThrow(/whole number from 0 to 1000/);
    }
  });
});

describe('parseBaseUrl', () => {
  it.each([
    'https://api.datacite.org',
    'http://127.0.0.1:8080',
    'http://localhost/api',
    'http://[::1]:1',
  ])('%s', (text) => {
    expect(parseBaseUrl(text).href.startsWith(text)).toBe(true);
  });
  it.each([
    ['http://api.datacite.org', /must be https/],
    ['http://127.0.0.1.example.org', /must be https/],
    ['ftp://127.0.0.1', /must be https/],
    ['api.datacite.org', /not a URL such as https:\/\/api\.datacite\.org$/],
    ['localhost:8080', /must be https/],
    ['127.0.0.1:8090/x', /not a URL/],
    ['http//x', /not a URL/],
    ['https:/', /not a URL/],
    ['https://a/?x=1', /query/],
    ['https://a/#x', /fragment/],
  ])('refuses %s', (text, message) => {
    expect(() => parseBaseUrl(text)).toThrow(message);
  });
  it.each([
    'DEMO.REPO:s3cret@host',
    'https://u:s3/cret@host',
    'https:/u:s3cret@host:x',
    'https:u:s3cret@h:99999',
    '//u:s3cret@host',
    'https:\\\\u:s3cret@host',
    'https:/\\u:s3cret@h',
    'https://u:s3cret%40host:x',
    'https://u:s3cret%2540host:x',
    'https://u:s3cret%\t4\n0host:x',
    'https://u:s3\tcret@ho\nst:x',
    'https://u:s3cret\uff20host:x',
    'https://u:s3cret%EF%BC%A0host:x',
    'https://u:s3cret\u00ad@host',
    'ftp://u:s3cret@host',
    'https://host/?u:s3cret@x',
    'https://host/u:s3cret@x',
    'https://u:a@s3cret@host',
    's3cret@',
  ])('never repeats credentials: %j', (text) => {
    expect(() => parseBaseUrl(text)).toThrow(/must not contain credentials/);
    expect(() => parseBaseUrl(text)).toThrow(/^(?!.*(s3|cret|u:))/s);
  });
});

describe('parseApiUrl', () => {
  it.each(['https://api.datacite.org/', 'http://127.0.0.1:1/api', 'https://gw.example.org/v2/'])(
    '%s',
    (text) => {
      expect(parseApiUrl(text).href).toContain(text);
    },
  );
  it.each([
    'https://api.datacite.org/v2',
    'https://api.test.datacite.org/dois/',
    'https://doi.test.datacite.org',
    'https://datacite.org',
  ])('refuses %s', (text) => {
    expect(() => parseApiUrl(text)).toThrow('not the root of the API, such as https://api.data');
  });
});

describe('the values of filters', () => {
  it('are checked before anything is sent', () => {
    expect(parseYears('2017,2019')).toBe('2017,2019');
    expect(() => parseYears('2017-2019')).toThrow(/the query created:/);
    expect(parseStates('Findable, draft')).toBe('findable,draft');
    expect(() => parseStates('public')).toThrow(/findable, registered, draft/);
    expect(parsePrefixes('10.5072,10.5438')).toBe('10.5072,10.5438');
    expect(() => parsePrefixes('5072')).toThrow(/10\.5072/);
    expect(() => parseText('  ')).toThrow(/empty/);
  });
});

describe('parseKeyName', () => {
  it.each([
    'ci\nerror: all is lost',
    'ci\r\nRevoked everything',
    'ci\u001b[2J',
    'ci\u00ad',
    'ci\u200b',
    'ci\u{e0065}\u{e0076}',
    'ci\ufe0f',
    'ci\u2028x',
    'ci\ud800',
  ])('refuses %j', (text) => {
    expect(() => parseKeyName(`${text}x`)).toThrow('a name must not contain');
  });
});

describe('parseRepository', () => {
  it('takes an id, and neither a colon nor a whole API key', () => {
    expect(parseRepository('DEMO.REPO')).toBe('DEMO.REPO');
    for (const text of ['a:b', 'a b', '', `DC.${'a1'.repeat(16)}`])
      expect(() => parseRepository(text), text).toThrow();
  });
});

describe('parseMailto', () => {
  it('takes addresses, and nothing that could leave its place in a header', () => {
    expect(parseMailto('me@example.org')).toBe('me@example.org');
    for (const text of ['me', 'me@host', 'a@b.c)', 'a@b.c\r\nX: y', 'a b@c.d']) {
      expect(() => parseMailto(text), text).toThrow(/not an email address/);
    }
  });
});
