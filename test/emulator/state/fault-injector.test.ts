import { get, type IncomingMessage } from 'node:http';
import { constants, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DEMO, ids, OTHER, type Service, serviceWith } from '../service.ts';

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Whether the whole body arrived, by the rules of HTTP. */
  readonly complete: boolean;
  readonly milliseconds: number;
}

/** Sends a request without a client that repairs, decodes or retries. */
async function raw(
  service: Service,
  path: string,
  encoding = 'gzip',
  timeoutMs = 5000,
): Promise<Raw> {
  const started = performance.now();
  return await new Promise((resolve, reject) => {
    const request = get(
      service.baseUrl + path,
      { headers: { 'accept-encoding': encoding }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => undefined);
        response.on('close', () => {
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: Buffer.concat(chunks),
            complete: response.complete,
            milliseconds: performance.now() - started,
          });
        });
      },
    );
    request.on('error', reject);
    request.setTimeout(timeoutMs, () => request.destroy());
  });
}

const LIST = '/dois?page[size]=50&disable-facets=true';

describe('faults of the transport', () => {
  it.each(['500', '502', '504', '403'] as const)('%s is an HTML page', async (kind) => {
    const service = await serviceWith({ faults: [`${kind}@1`] });
    const reply = await service.get('/dois');
    expect(reply.status).toBe(Number(kind));
    expect(reply.headers.get('content-type')).toBe('text/html');
    expect(reply.text).toContain('<h1>');
    expect((await service.get('/dois')).status).toBe(200);
  });

  it('429 is JSON with Retry-After', async () => {
    const service = await serviceWith({ faults: ['429@1=7'] });
    const reply = await service.get('/dois');
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '7']);
    expect(JSON.parse(reply.text)).toMatchObject({ errors: [{ status: '429' }] });
  });

  it.each([
    ['500@1', false],
    ['502@1', false],
    ['403@1', false],
    ['429@1', false],
    ['504@1', true],
    ['lost-answer@1', true],
    ['reset@1', true],
    ['truncate@1', true],
  ])('a create struck by %s has happened: %s', async (fault, happened) => {
    const service = await serviceWith({ faults: [fault] });
    const body = { data: { type: 'dois', attributes: { doi: '10.5072/x' } } };
    const outcome = await service.send('POST', '/dois', body, DEMO).then(
      ({ status }) => status,
      () => 'broken',
    );
    expect(outcome).not.toBe(201);
    expect((await service.get('/dois/10.5072/x', DEMO)).status).toBe(happened ? 200 : 404);
  });

  it('lost-answer strikes updates and deletions that are carried out, and no refusal', async () => {
    const service = await serviceWith({ faults: ['lost-answer@2+'] });
    const path = '/dois/10.5072/x';
    const send = (method: string, as = DEMO) =>
      service.send(method, path, { data: { attributes: { titles: [{ title: 'New' }] } } }, as);
    expect((await send('PUT')).status).toBe(201);
    expect((await send('DELETE', OTHER)).status).toBe(403);
    for (const [method, left] of [
      ['PUT', 200],
      ['DELETE', 404],
    ] as const) {
      await expect(send(method)).rejects.toThrow('fetch failed');
      expect((await service.get(path, DEMO)).status).toBe(left);
    }
  });

  it('reset ends the connection before any byte', async () => {
    const service = await serviceWith({ faults: ['reset@1'] });
    await expect(raw(service, LIST)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await raw(service, LIST)).complete).toBe(true);
  });

  it.each(['gzip', 'identity'])(
    'truncate delivers half of the advertised body (%s)',
    async (encoding) => {
      const service = await serviceWith({ faults: ['truncate'] });
      const { headers, body, complete } = await raw(service, LIST, encoding);
      expect(complete).toBe(false);
      expect(body).toHaveLength(Math.ceil(Number(headers['content-length']) / 2));
    },
  );

  it('truncate-gzip keeps HTTP intact and breaks the stream inside', async () => {
    const service = await serviceWith({ faults: ['truncate-gzip'] });
    const zipped = await raw(service, LIST);
    expect([zipped.complete, zipped.headers['content-encoding']]).toEqual([true, 'gzip']);
    expect(() => gunzipSync(zipped.body)).toThrow('unexpected end of file');
    const partial = gunzipSync(zipped.body, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    expect(partial.startsWith('{"data":[{"id":')).toBe(true);
    const plain = await raw(service, LIST, 'identity');
    expect(plain.complete).toBe(true);
    expect(() => JSON.parse(plain.body.toString())).toThrow(SyntaxError);
  });

  it('slow takes its time and delivers everything', async () => {
    const service = await serviceWith({ faults: ['slow@1=400'] });
    const slow = await raw(service, LIST);
    const quick = await raw(service, LIST);
    expect(slow.body).toEqual(quick.body);
    expect(slow.milliseconds).toBeGreaterThan(300);
  });

  it('stall sends headers and half a body, and then nothing', async () => {
    const service = await serviceWith({ faults: ['stall@1'] });
    const { status, headers, body, complete } = await raw(service, LIST, 'gzip', 300);
    expect([status, complete]).toEqual([200, false]);
    expect(body).toHaveLength(Math.ceil(Number(headers['content-length']) / 2));
  });

  it('never hit /heartbeat and /_emulator/', async () => {
    const service = await serviceWith({ faults: ['500'] });
    expect((await service.get('/heartbeat')).text).toBe('OK');
    expect((await service.get('/_emulator/status')).status).toBe(200);
    expect((await service.get('/credentials/api-keys', DEMO)).status).toBe(500);
  });
});

describe('faults of lists', () => {
  const page = (cursor: string) =>
    `page[size]=10&page[cursor]=${cursor}&disable-facets=true&fields[dois]=doi`;
  const cursorOf = (next: string | undefined) =>
    new URL(next ?? '').searchParams.get('page[cursor]') ?? '';

  async function firstTwo(fault: string) {
    const sound = await serviceWith();
    const service = await serviceWith({ faults: [fault] });
    const first = await service.list(page('1'));
    const cursor = cursorOf(first.links.next);
    return {
      service,
      cursor,
      expected: await sound.list(page(cursor)),
      second: await service.list(page(cursor)),
    };
  }

  it('count lists only', async () => {
    const service = await serviceWith({ faults: ['empty-page@2'] });
    await service.list('page[size]=1');
    await service.get('/credentials/api-keys', DEMO);
    await service.get('/dois/10.5072/x');
    expect((await service.list('page[size]=1')).data).toEqual([]);
  });

  it('anonymous ignores valid credentials and shows it in the headers', async () => {
    const service = await serviceWith({ faults: ['anonymous@1'] });
    const reply = await service.get('/dois?state=draft&page[size]=0', DEMO);
    expect(reply.headers.get('x-anonymous-consumer')).toBe('true');
    expect(reply.json().meta.total).toBeGreaterThan(800);
    expect(
      (await service.get('/dois?page[size]=0', DEMO)).headers.get('x-credential-username'),
    ).toBe('demo.repo');
  });

  it('repeat-cursor links to the page itself', async () => {
    const { cursor, second, expected } = await firstTwo('repeat-cursor@2');
    expect(ids(second)).toEqual(ids(expected));
    expect(cursorOf(second.links.next)).toBe(cursor);
  });

  it('restart-cursor links to the beginning by a token not seen before', async () => {
    const { service, cursor, second } = await firstTwo('restart-cursor@2');
    const next = cursorOf(second.links.next);
    expect([cursor, '1']).not.toContain(next);
    expect(ids(await service.list(page(next)))).toEqual(ids(await service.list(page('1'))));
  });

  it('foreign-next leaves the origin', async () => {
    const service = await serviceWith({ faults: ['foreign-next=http://localhost:9'] });
    expect((await service.list('page[size]=1')).links.next).toMatch(
      /^http:\/\/localhost:9\/dois\?/,
    );
  });

  it('empty-page has no rows and no way on, but the total', async () => {
    const { second, expected } = await firstTwo('empty-page@2');
    expect(second).toMatchObject({ data: [], meta: expected.meta });
    expect(second.links.next).toBeUndefined();
  });

  it('duplicate begins with the record before, and loses none', async () => {
    const { service, second, expected } = await firstTwo('duplicate@2');
    const first = await service.list(page('1'));
    expect(ids(second)).toEqual([ids(first)[9], ...ids(expected).slice(0, 9)]);
    const third = await service.list(page(cursorOf(second.links.next)));
    expect(ids(third)[0]).toBe(ids(expected)[9]);
  });

  it('lose drops one record and keeps total and next', async () => {
    const { second, expected } = await firstTwo('lose@2');
    expect(second.data).toHaveLength(9);
    expect(ids(expected)).toEqual(expect.arrayContaining(ids(second)));
    expect(second.meta).toEqual(expected.meta);
    expect(cursorOf(second.links.next)).toBe(cursorOf(expected.links.next));
  });

  it('wrong-page serves the page before', async () => {
    const service = await serviceWith({ faults: ['wrong-page@2'] });
    const first = await service.list('page[size]=10');
    const second = await service.list('page[size]=10&page[number]=2');
    expect(second.meta.page).toBe(1);
    expect(ids(second)).toEqual(ids(first));
  });

  it('poison-cursor fails every page over a size that holds the record, and no other', async () => {
    const service = await serviceWith({ records: 200, faults: ['poison-cursor:60:5'] });
    const status = async (query: string) => (await service.get(`/dois?${query}`, DEMO)).status;
    expect(await status('page[cursor]=1&page[size]=60')).toBe(200);
    expect(await status('page[cursor]=1&page[size]=61')).toBe(504);
    expect(await status('page[cursor]=1&page[size]=61')).toBe(504);
    const next = cursorOf((await service.list('page[cursor]=1&page[size]=59', DEMO)).links.next);
    expect(await status(`page[cursor]=${next}&page[size]=6`)).toBe(504);
    expect(await status(`page[cursor]=${next}&page[size]=5`)).toBe(200);
    expect(await status('sort=created&page[number]=13&page[size]=5')).toBe(200);
    expect(await status('sort=created&page[number]=4&page[size]=20')).toBe(504);
  });
});
