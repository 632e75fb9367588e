import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BadBody, readJson } from '../../../src/api/http/body.ts';
import { basicAuthorization, Http, type HttpOptions } from '../../../src/api/http/http.ts';
import type { CliError } from '../../../src/errors.ts';
import { type Answer, answer, reset, serve, silent, truncated } from '../../helpers/server.ts';

const OK = answer(200, { data: [] });
const HTML = '<html>no</html>';

function httpOf(baseUrl: URL, options: Partial<HttpOptions> = {}) {
  const waits: number[] = [];
  const http = new Http({
    mask: (text) => text,
    baseUrl,
    authorization: basicAuthorization('DEMO.REPO', 's3cret'),
    userAgent: 'doi-cli/test',
    timeoutMs: 5000,
    retries: 3,
    signal: new AbortController().signal,
    now: Date.now,
    random: () => 1,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
    },
    onRetry: () => undefined,
    ...options,
  });
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE' = 'GET', path = '/dois') =>
    http
      .call({
        method,
        url: http.url(path),
        read: readJson,
        ...(method === 'POST' ? { body: '{"data":{}}' } : {}),
      })
      .catch((error: CliError) => error);
  return { http, call, waits };
}

describe('a request', () => {
  it('carries the headers of the API', async () => {
    const { url, asked } = await serve(OK);
    await httpOf(url).call('POST');
    expect(asked[0]).toMatchObject({
      method: 'POST',
      body: '{"data":{}}',
      headers: {
        accept: 'application/vnd.api+json',
        'content-type': 'application/vnd.api+json',
        'accept-encoding': 'gzip',
        'user-agent': 'doi-cli/test',
        authorization: `Basic ${Buffer.from('DEMO.REPO:s3cret').toString('base64')}`,
      },
    });
  });
  it('keeps connections for the next ones', async () => {
    const ports = new Set<number | undefined>();
    const { url } = await serve((response, exchange) => {
      ports.add(response.socket?.remotePort);
      OK(response, exchange);
    });
    const { call } = httpOf(url);
    for (let n = 0; n < 10; n += 1) await call();
    // Two: a request may start before the client notices the end of the previous answer.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
  it('keeps a path in the base URL', async () => {
    const { url, asked } = await serve(OK);
    await httpOf(new URL('/proxy/', url)).call();
    expect(asked[0]?.url).toBe('/proxy/dois');
  });
  it('encodes credentials in UTF-8, whatever they hold', () => {
    const password = `p:ä ß 🔑${'x'.repeat(1000)}`;
    const header = basicAuthorization('DEMO.REPO', password);
    expect(Buffer.from(header.slice(6), 'base64').toString('utf8')).toBe(`DEMO.REPO:${password}`);
    expect(() => basicAuthorization('a:b', 'c')).toThrow(/colon/);
  });
});

describe('https to a port that speaks http', () => {
  it.each(['GET', 'POST'] as const)('is named as such: %s', async (method) => {
    const { url } = await serve(OK);
    const { call, waits } = httpOf(new URL(url.href.replace('http:', 'https:')), { retries: 8 });
    expect(await call(method)).toMatchObject({
      kind: 'unavailable',
      message: `no answer from ${url.host}: the port does not speak https`,
      hint: 'check the network and --base-url',
    });
    expect(waits).toEqual([]);
  });
});

describe('an answer', () => {
  it.each<[string, Answer, RegExp]>([
    ['a reset connection', reset, /closed|reset/],
    ['a body cut short', truncated, /closed|cut short/],
    [
      'gzip cut short',
      (response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync('{"data":[1]}').subarray(0, -9)),
      /compressed answer was cut short/,
    ],
    [
      'damaged gzip',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
      /damaged/,
    ],
    [
      'malformed JSON',
      (response) => response.end('{"data":[}'),
      /no usable answer.*not valid JSON/,
    ],
    ['a 503', answer(503, HTML), /unavailable.*503/],
    ['a 408', answer(408, HTML), /too long/],
    ['a 403 of the load balancer', answer(403, HTML), /limits the rate/],
    ['a 429', answer(429, { errors: [{ title: 'Slow down' }] }), /Slow down/],
  ])('%s is tried again, and in the end an error', async (_, bad, message) => {
    const once = await serve(bad, bad, OK);
    expect(await httpOf(once.url).call()).toEqual({ data: [] });
    expect(once.asked).toHaveLength(3);

    const always = await serve(bad);
    const { call, waits } = httpOf(always.url);
    const error = (await call()) as CliError;
    expect(error.message).toMatch(message);
    expect(error.exitCode).toBe(5);
    expect(always.asked).toHaveLength(4);
    expect(waits).toEqual([500, 1000, 2000]);
  });
  it('that is a web page is tried again twice, and named as that', async () => {
    const { url, asked } = await serve(answer(200, HTML));
    const error = (await httpOf(url).call()) as CliError;
    expect([error.message, error.hint]).toEqual([/a web page/, /base-url/]);
    expect(asked).toHaveLength(3);
  });
  it.each([400, 401, 404, 405, 422])('%s is final', async (status) => {
    const { url, asked } = await serve(answer(status, { errors: [{ title: 'No.' }] }));
    expect(await httpOf(url).call()).toMatchObject({ status });
    expect(asked).toHaveLength(1);
  });
  it('is not sent if its body is larger than the service takes (service.md, E12)', async () => {
    const { url, asked } = await serve(answer(200, {}));
    const { http } = httpOf(url);
    const body = 'x'.repeat(10 * 1024 ** 2 + 1);
    const call = http.call({ method: 'POST', url: http.url('/dois'), read: readJson, body });
    await expect(call).rejects.toMatchObject({
      kind: 'rejected',
      message: 'the request has 10.0 MB, and the service takes 10 MB at most',
      hint: /shorten the record/,
    });
    expect(asked).toHaveLength(0);
  });
  it('is waited for as long as Retry-After says', async () => {
    const { url } = await serve(answer(429, '', { 'retry-after': '7' }), OK);
    const { call, waits } = httpOf(url);
    await call();
    expect(waits).toEqual([7000]);
  });
});

describe('a POST', () => {
  it.each<[string, Answer]>([
    ['a reset connection', reset],
    ['a body cut short', truncated],
    ['a 500', answer(500, HTML)],
    ['a 502', answer(502, HTML)],
    ['a 403 of the load balancer', answer(403, HTML)],
  ])('is never repeated after %s', async (_, bad) => {
    const { url, asked } = await serve(bad, OK);
    expect(await httpOf(url).call('POST')).toMatchObject({ exitCode: 5 });
    expect(asked).toHaveLength(1);
  });
  it('says that it may have been carried out', async () => {
    const { url } = await serve(reset);
    expect(((await httpOf(url).call('POST')) as CliError).message).toMatch(
      /may have been carried out/,
    );
  });
  it('is repeated after a 429 and a refused connection, which had none', async () => {
    const { url, asked } = await serve(answer(429, ''), OK);
    expect(await httpOf(url).call('POST')).toEqual({ data: [] });
    expect(asked).toHaveLength(2);

    const closed = await serve(OK);
    const port = await freePort();
    const { call, waits } = httpOf(new URL(`http://127.0.0.1:${port}`));
    // A host that has never answered gets a second attempt only.
    expect(((await call('POST')) as CliError).message).toMatch(/refused \(2 attempts\)$/);
    expect(waits).toHaveLength(1);
    expect(closed.asked).toHaveLength(0);
  });
});

describe('a PUT', () => {
  it('is repeated after a 403 of the load balancer, which had no effect', async () => {
    const { url, asked } = await serve(answer(403, HTML), OK);
    expect(await httpOf(url).call('PUT')).toEqual({ data: [] });
    expect(asked).toHaveLength(2);
  });
});

describe('another host', () => {
  it.each([301, 302, 307, 308])('receives nothing through a %s redirect', async (status) => {
    const hostile = await serve(OK);
    const { href: location } = new URL('/dois', hostile.url);
    const { url } = await serve(answer(status, '', { location }));
    const error = (await httpOf(url).call()) as CliError;
    expect(error.message).toMatch(/another host/);
    expect(hostile.asked).toEqual([]);
  });
  it('receives nothing when the scheme or the port differs', async () => {
    const { url, asked } = await serve(OK);
    const { http } = httpOf(url);
    const port = Number(url.port) + 1;
    for (const other of [`https://${url.host}/dois`, `http://127.0.0.1:${port}/dois`]) {
      const call = http.call({ method: 'GET', url: new URL(other), read: readJson });
      await expect(call).rejects.toThrow(/another host/);
    }
    expect(asked).toEqual([]);
  });
  it('is not where a redirect within the origin leads', async () => {
    const { url, asked } = await serve(answer(302, '', { location: '/moved' }), OK);
    expect(await httpOf(url).call()).toEqual({ data: [] });
    expect(
      asked.map((exchange) => [exchange.url, exchange.headers.authorization !== undefined]),
    ).toEqual([
      ['/dois', true],
      ['/moved', true],
    ]);
  });
  it('is not searched for in circles', async () => {
    const { url, asked } = await serve(answer(302, '', { location: '/dois' }));
    expect(((await httpOf(url).call()) as CliError).message).toMatch(/circle/);
    expect(asked).toHaveLength(6);
  });
});

describe('an interrupt', () => {
  it('ends a request and a wait at once, with its reason', async () => {
    const { url } = await serve(silent);
    const stop = new AbortController();
    const reason = new Error('interrupted');
    setTimeout(() => stop.abort(reason), 20);
    expect(await httpOf(url, { signal: stop.signal }).call()).toBe(reason);
    expect(await httpOf(await freeUrl(), { signal: stop.signal }).call()).toBe(reason);
  });
  it('waits for the answer of what must not be left in doubt', async () => {
    const stop = new AbortController();
    const { url } = await serve((response, exchange) => {
      stop.abort(new Error('interrupted'));
      setTimeout(() => OK(response, exchange), 20);
    });
    const { http } = httpOf(url, { signal: stop.signal });
    const call = {
      method: 'POST',
      url: http.url('/x'),
      body: '{}',
      uninterruptible: true,
      read: readJson,
    } as const;
    expect(await http.call(call)).toEqual({ data: [] });
  });
});

describe('a body that cannot be read', () => {
  it('is never quoted: it may hold a new key', async () => {
    const { url } = await serve((response) =>
      response.writeHead(201).end('{"data":{"attributes":{"key":"DC.secretsecret'),
    );
    const { http } = httpOf(url, { retries: 0 });
    const error = (await http
      .call({ method: 'POST', url: http.url('/x'), body: '{}', read: readJson })
      .catch((reason: unknown) => reason)) as CliError;
    expect(error.cause).toBeInstanceOf(BadBody);
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      expect(cause.stack).not.toContain('secretsecret');
    }
  });
});

async function freeUrl(): Promise<URL> {
  return new URL(`http://127.0.0.1:${await freePort()}`);
}

/** A port that refuses connections. */
async function freePort(): Promise<number> {
  for (let port = 20_000; port < 20_100; port += 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () =>
        resolve(false),
      );
      socket.once('connect', () => socket.destroy());
    });
    if (!open) return port;
  }
  throw new Error('no free port');
}
