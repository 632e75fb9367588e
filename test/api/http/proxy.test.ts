import { describe, expect, it } from 'vitest';
import { proxyFor, unusedProxies } from '../../../src/api/http/proxy.ts';

const SERVICE = new URL('https://api.datacite.org');
const PROXY = 'http://proxy.example.org:3128';

describe('the proxy', () => {
  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ HTTPS_PROXY: PROXY }, `${PROXY}/`],
    [{ https_proxy: PROXY, HTTPS_PROXY: 'http://other.example.org' }, `${PROXY}/`],
    [{ HTTPS_PROXY: 'proxy.example.org:3128' }, `${PROXY}/`],
    [{ HTTP_PROXY: PROXY, http_proxy: PROXY }, undefined],
    [{ ALL_PROXY: PROXY }, `${PROXY}/`],
    [{ all_proxy: PROXY, ALL_PROXY: 'http://other.example.org' }, `${PROXY}/`],
    [{ ALL_PROXY: 'socks5://other.example.org', HTTPS_PROXY: PROXY }, `${PROXY}/`],
    [{ ALL_PROXY: 'socks5://other.example.org', NO_PROXY: 'datacite.org' }, undefined],
  ])('of %j is %s', (env, expected) => {
    expect(proxyFor(SERVICE, env)?.href).toBe(expected);
  });
  it('is never used for plain http, which it could read', () => {
    const env = { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, http_proxy: PROXY };
    expect(proxyFor(new URL('http://127.0.0.1:8080'), env)).toBeUndefined();
  });
  it.each([
    ['*', true],
    ['api.datacite.org', true],
    ['datacite.org', true],
    ['.datacite.org', true],
    ['*.datacite.org', true],
    ['API.DataCite.org', true],
    ['localhost, datacite.org', true],
    ['localhost datacite.org:443', true],
    ['datacite.org:8443', false],
    ['acite.org', false],
    ['example.org', false],
    ['datacite.org.', true],
    ['10.0.0.0/8', false],
    ['.', false],
    [',', false],
    ['', false],
  ])('is spared by NO_PROXY=%s: %s', (list, spared) => {
    expect(proxyFor(SERVICE, { HTTPS_PROXY: PROXY, NO_PROXY: list }) === undefined).toBe(spared);
  });
  it.each([
    ['127.0.0.1', '127.0.0.1/32', true],
    ['127.0.0.1:8443', '127.0.0.0/8', true],
    ['127.0.0.1', '0.0.0.0/0', true],
    ['127.0.0.1', '127.0.0.1/33', false],
    ['127.0.0.1', '127.0.0.1/', false],
    ['127.0.0.1', '10.0.0.0/8,127.0.0.1:443', true],
    ['127.0.0.1', '127.0.0.1:80', false],
    ['127.0.0.1', '0.0.1', false],
    ['127.0.0.1', '.127.0.0.1', false],
    ['[::1]', '::1', true],
    ['[::1]', '[::1]', true],
    ['[::1]', '[::1]:443', true],
    ['[::1]', '0:0:0:0:0:0:0:1', true],
    ['[::2]', '::1', false],
    ['[fd00::2]', 'fd00::/8', true],
    ['[fd00::2]', '[fd00::]/8', true],
    ['[fe00::2]', 'fd00::/8', false],
  ])('for the address %s is spared by NO_PROXY=%s: %s', (host, list, spared) => {
    const proxy = proxyFor(new URL(`https://${host}/`), { HTTPS_PROXY: PROXY, NO_PROXY: list });
    expect(proxy === undefined).toBe(spared);
  });
  it('is told from those that are not used', () => {
    expect(unusedProxies({ HTTP_PROXY: PROXY })).toEqual([
      'HTTP_PROXY is set, but it is for plain http only',
    ]);
    expect(unusedProxies({ https_proxy: PROXY, ALL_PROXY: 'http://other' })).toEqual([
      'ALL_PROXY is set, but https_proxy comes first',
    ]);
    expect(unusedProxies({ https_proxy: PROXY, HTTPS_PROXY: PROXY, http_proxy: PROXY })).toEqual(
      [],
    );
  });
  it.each([
    'http://',
    'http://user:secret@',
    'http://u:s3cret%@proxy:3128',
    'http://u%:s3cret@proxy:3128',
    'http://u:s3cret%e9@proxy:3128',
    'u:s3cret%zz@proxy:3128',
    'http://u:s3cret@proxy:99999',
  ])('is refused as %s, unquoted', (text) => {
    expect(() => proxyFor(SERVICE, { HTTPS_PROXY: text })).toThrow(
      /^HTTPS_PROXY is not the URL of a proxy$/,
    );
  });
  it.each(['socks5://user:secret@proxy', 'socks4a://proxy', 'SOCKS5H://proxy:1080'])(
    'is refused as %s, which it names as SOCKS',
    (text) => {
      expect(() => proxyFor(SERVICE, { all_proxy: text })).toThrow(
        /^ALL_PROXY is a SOCKS proxy, and only HTTP proxies can be used$/,
      );
    },
  );
});
