import { describe, expect, it } from 'vitest';
import { parseApiUrl, parseBaseUrl } from '../../src/text/url.ts';

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
