import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../../src/api/http/connector.ts';

const SERVICE = new URL('https://api.datacite.org');
const PROXY = 'http://proxy.example.org:3128';

describe('the proxy', () => {
  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ HTTPS_PROXY: PROXY }, `${PROXY}/`],
    [{ https_proxy: PROXY, HTTPS_PROXY: 'http://other.example.org' }, `${PROXY}/`],
    [{ HTTPS_PROXY: 'proxy.example.org:3128' }, `${PROXY}/`],
    [{ HTTP_PROXY: PROXY }, undefined],
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
    [',', false],
    ['', false],
  ])('is spared by NO_PROXY=%s: %s', (list, spared) => {
    expect(proxyFor(SERVICE, { HTTPS_PROXY: PROXY, NO_PROXY: list }) === undefined).toBe(spared);
  });
  it.each(['::1', '[::1]', '[::1]:443'])('is spared by the address %s', (list) => {
    expect(
      proxyFor(new URL('https://[::1]/'), { HTTPS_PROXY: PROXY, no_proxy: list }),
    ).toBeUndefined();
    expect(
      proxyFor(new URL('https://[::2]/'), { HTTPS_PROXY: PROXY, no_proxy: list }),
    ).toBeDefined();
  });
  it.each(['socks5://user:secret@proxy', 'http://', 'http://user:secret@'])(
    'is refused as %s, unquoted',
    (text) => {
      expect(() => proxyFor(SERVICE, { HTTPS_PROXY: text })).toThrow(
        /^HTTPS_PROXY is not the URL of a proxy$/,
      );
    },
  );
});
