import { once } from 'node:events';
import { createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NetworkError } from '../../../src/api/http/network-error.ts';
import { Transport, type WireRequest } from '../../../src/api/http/transport.ts';
import {
  type Answer,
  answer,
  reset,
  serve,
  silent,
  stalled,
  truncated,
} from '../../helpers/server.ts';

function transportOf(timeoutMs = 2000): Transport {
  const transport = new Transport(timeoutMs);
  onTestFinished(() => transport.close());
  return transport;
}

const get = (url: URL, options: Partial<WireRequest> = {}): WireRequest => ({
  method: 'GET',
  url,
  headers: {},
  signal: new AbortController().signal,
  ...options,
});

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a request', () => {
  it('sends its method, headers and body, and asks for gzip', async () => {
    const { url, asked } = await serve(answer(200, {}));
    const wire = { method: 'PUT', headers: { 'x-test': 'a' }, body: '{"a":1}' } as const;
    const response = await transportOf().send(get(new URL('/x?y=1', url), wire));
    expect(response.status).toBe(200);
    expect(asked).toMatchObject([
      {
        method: 'PUT',
        url: '/x?y=1',
        body: '{"a":1}',
        headers: { 'x-test': 'a', 'accept-encoding': 'gzip' },
      },
    ]);
    response.discard();
  });
  it('asks for another encoding when it is told to', async () => {
    const { url, asked } = await serve(answer(200, {}));
    const headers = { 'accept-encoding': 'identity' };
    (await transportOf().send(get(url, { headers }))).discard();
    expect(asked[0]?.headers['accept-encoding']).toBe('identity');
  });
  it('does not follow a redirect', async () => {
    const { url, asked } = await serve(
      answer(302, '', { location: '/elsewhere' }),
      answer(200, {}),
    );
    const response = await transportOf().send(get(url));
    expect([response.status, response.header('location'), asked.length]).toEqual([
      302,
      '/elsewhere',
      1,
    ]);
    response.discard();
  });
});

describe('a response', () => {
  const packed: Answer = (response) =>
    response
      .writeHead(200, { 'content-encoding': 'gzip', 'x-name': ['a', 'b'] })
      .end(gzipSync('{"data":[]}'));
  it('joins the values of a header, and unpacks its body', async () => {
    const { url } = await serve(packed);
    const response = await transportOf().send(get(url));
    expect([response.header('x-name'), response.header('x-absent')]).toEqual(['a, b', undefined]);
    expect((await response.body(100)).toString()).toBe('{"data":[]}');
  });
  it('also gives its body as it was sent', async () => {
    const { url } = await serve(packed);
    const response = await transportOf().send(get(url));
    expect(await response.encodedBody(buffer)).toEqual(gzipSync('{"data":[]}'));
  });
  it('closes its connection when it is discarded', async () => {
    let closed: Promise<unknown> | undefined;
    const { url } = await serve((response, exchange) => {
      closed = once(response, 'close');
      stalled(response, exchange);
    });
    (await transportOf().send(get(url))).discard();
    await closed;
  });
});

describe('a failure', () => {
  it('says whether the request was sent', async () => {
    const port = createServer().listen(0, '127.0.0.1');
    await once(port, 'listening');
    const { port: number } = port.address() as { port: number };
    port.close();
    await once(port, 'close');
    const refused = await failureOf(transportOf().send(get(new URL(`http://127.0.0.1:${number}`))));
    expect(refused).toMatchObject({ message: 'the connection was refused', unsent: true });
    const { url } = await serve(reset);
    const lost = await failureOf(transportOf().send(get(url)));
    expect(lost).toMatchObject({ unsent: false });
    expect([refused, lost].every((error) => error instanceof NetworkError)).toBe(true);
  });
  it('is an answer that does not come in time', async () => {
    const { url } = await serve(silent);
    expect(await failureOf(transportOf(200).send(get(url)))).toMatchObject({
      message: 'no answer came in time',
      unsent: false,
    });
  });
  it('is a body that stops, or is too slow', async () => {
    const trickle: Answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    };
    for (const slow of [stalled, trickle]) {
      const { url } = await serve(slow);
      const response = await transportOf(200).send(get(url));
      expect(await failureOf(response.body(1000))).toMatchObject({
        message: expect.stringMatching(/slower than 1 KB\/s/),
        unsent: false,
      });
    }
  });
  it('is a body that is cut short', async () => {
    const { url } = await serve(truncated);
    const response = await transportOf().send(get(url));
    expect(await failureOf(response.body(1000))).toBeInstanceOf(NetworkError);
  });
});

describe('a signal', () => {
  const reason = new Error('stopped');
  it('that is aborted before stops the request', async () => {
    const { url, asked } = await serve(answer(200, {}));
    for (const name of ['signal', 'untilSent']) {
      const stopped = get(url, { [name]: AbortSignal.abort(reason) });
      expect(await failureOf(transportOf().send(stopped))).toBe(reason);
    }
    expect(asked).toEqual([]);
  });
  it('stops the wait for an answer, and the reading of a body', async () => {
    for (const late of [silent, stalled]) {
      const stop = new AbortController();
      const { url } = await serve(late);
      const reading = transportOf()
        .send(get(url, { signal: stop.signal }))
        .then((response) => response.body(1000));
      setTimeout(() => stop.abort(reason), 50);
      expect(await failureOf(reading)).toBe(reason);
    }
  });
  it('does not stop a request that is already sent, when it is only for the time before', async () => {
    const stop = new AbortController();
    const { url } = await serve((response, exchange) => {
      stop.abort(reason);
      setTimeout(() => answer(200, { data: 1 })(response, exchange), 50);
    });
    const response = await transportOf().send(get(url, { untilSent: stop.signal }));
    expect((await response.body(1000)).toString()).toBe('{"data":1}');
  });
});
