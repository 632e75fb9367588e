import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  Client,
  type ClientOptions,
  countDois,
  createDoi,
  createKey,
  DoiCliError,
  type DoiQuery,
  type DoiRecord,
  deleteDoi,
  getAccount,
  getDoi,
  harvest,
  listDois,
  listKeys,
  listPages,
  type NewApiKey,
  revokeKey,
  rotateKey,
  type SentRequest,
  updateDoi,
  validate,
} from '../../src/core/index.ts';
import { shellWord } from '../../src/text/shell-word.ts';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { answer, namesCaller, reset, serve, silent } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { empty, everywhere, leadsTo, onPage, total } from '../hostile/lies.ts';
import { hostileService, type Lie } from '../hostile/service.ts';

// Pages are not asked for at the rate of the real service.
const RATE = { requests: 1000, windowMs: 1000 };
const CREDENTIALS = { repository: REPOSITORY, password: PASSWORD };

function clientOf(baseUrl: string | URL, options: ClientOptions = {}): Client {
  const client = new Client({
    baseUrl: new URL(baseUrl).origin,
    retries: 0,
    rate: RATE,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What some work throws. */
async function thrown(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('it succeeds'),
    (error: unknown) => error,
  );
}

async function failure(work: Promise<unknown>): Promise<DoiCliError> {
  const error = await thrown(work);
  expect(error).toBeInstanceOf(DoiCliError);
  return error as DoiCliError;
}

/** The warnings that Node would print on stderr. */
function warnings(): string[] {
  const heard: string[] = [];
  const listener = ({ message }: Error) => heard.push(message);
  process.on('warning', listener);
  onTestFinished(() => void process.off('warning', listener));
  return heard;
}

describe('listDois', () => {
  it('gives the bytes that the program prints, on pages and on objects', async () => {
    const { baseUrl, run } = await emulate({ records: 300 });
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const records = await collected(listDois(client, {}, { pageSize: 50 }));
    const { stdout } = await run(['dois', 'list', '--all']);
    expect(records.map((record) => `${Buffer.from(record)}\n`).join('')).toBe(stdout);
    expect(
      records.every(
        (record) => record.constructor === Uint8Array && record.buffer.byteLength === record.length,
      ),
    ).toBe(true);
    const objects = await collected(listDois(client, {}, { parse: true }));
    expect(objects).toEqual(records.map((record) => JSON.parse(Buffer.from(record).toString())));
  });

  it('gives organizations as objects, as getDoi does, or as names where a filter says so', async () => {
    const { baseUrl } = await emulate({ records: 100 });
    const client = clientOf(baseUrl);
    const listed = (query: DoiQuery) =>
      collected(listDois(client, query, { limit: 30, parse: true }));
    const objects = await listed({});
    for (const affiliation of [true, false]) expect(await listed({ affiliation })).toEqual(objects);
    for (const { id, attributes } of objects.slice(0, 3)) {
      const { creators, publisher } = (await getDoi(client, id)).attributes;
      expect({ creators, publisher }).toEqual({
        creators: attributes.creators,
        publisher: attributes.publisher,
      });
    }
    const shapes = (records: readonly DoiRecord[]) => {
      const places = records.flatMap(({ attributes }) =>
        (attributes.creators ?? []).flatMap(({ affiliation }) => affiliation ?? []),
      );
      expect(places.length).toBeGreaterThan(5);
      const publishers = records.map(({ attributes }) => attributes.publisher);
      return [places, publishers].map((values) => [
        ...new Set(values.map((value) => typeof value)),
      ]);
    };
    expect(shapes(objects)).toEqual([['object'], ['object']]);
    const names = await listed({ filter: { affiliation: 'false', publisher: 'false' } });
    expect(shapes(names)).toEqual([['string'], ['string']]);
    expect(shapes(await listed({ filter: { affiliation: 'false' } }))).toEqual([
      ['string'],
      ['object'],
    ]);
  });

  it('gives the same records by pages', async () => {
    const { baseUrl } = await emulate({ records: 300 });
    const client = clientOf(baseUrl);
    const pages = await collected(listPages(client, {}, { pageSize: 40, limit: 100 }));
    expect(pages.map(({ length }) => length)).toEqual([40, 40, 20]);
    expect(pages.flat()).toEqual(await collected(listDois(client, {}, { limit: 100 })));
    const objects = await collected(
      listPages(client, {}, { pageSize: 40, limit: 100, parse: true }),
    );
    expect(objects.flat()).toEqual(
      pages.flat().map((record) => JSON.parse(Buffer.from(record).toString())),
    );
    // An answer without records is no page.
    expect(await collected(listPages(client, { prefix: '10.99999' }))).toEqual([]);
    for await (const page of listPages(client, {}, { pageSize: 10 })) {
      expect(page).toHaveLength(10);
      break;
    }
  });

  it('gives as many as the limit, and asks for no more', async () => {
    const { baseUrl, log } = await emulate({ records: 300 });
    const client = clientOf(baseUrl);
    expect(await collected(listDois(client, {}, { limit: 7 }))).toHaveLength(7);
    const asked = (await log()).filter(({ path }) => path.startsWith('/dois'));
    expect(
      asked.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('page[size]')),
    ).toEqual(['7']);
  });

  it('asks for pages while records are used, and no more after break', async () => {
    const { baseUrl, log } = await emulate({ records: 3000 });
    const client = clientOf(baseUrl);
    for await (const record of listDois(client, {}, { pageSize: 10, jobs: 1 })) {
      expect(record.length).toBeGreaterThan(100);
      // A page at hand, and one ahead.
      await sleep(300);
      break;
    }
    const asked = (await log()).length;
    expect(asked).toBeLessThanOrEqual(3);
    await sleep(200);
    expect((await log()).length).toBe(asked);
  });

  it('ends at once for a reader who leaves while a request is under way', async () => {
    const { url, asked } = await serve(silent);
    const client = clientOf(url, { timeoutMs: 60_000 });
    const records = listDois(client)[Symbol.asyncIterator]();
    const next = records.next();
    await vi.waitFor(() => expect(asked).toHaveLength(1), 120_000);
    await records.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await records.next()).toEqual({ done: true, value: undefined });
    const stream = Readable.from(listDois(client));
    stream.resume();
    await vi.waitFor(() => expect(asked).toHaveLength(2), 120_000);
    stream.destroy();
    await once(stream, 'close');
  });

  it.each<[string, Lie]>([
    ['page 2 is empty', onPage(2, (reply) => empty(reply))],
    ['the total is wrong', everywhere(total(251))],
    ['the cursor goes back', onPage(3, leadsTo('c0'))],
  ])('ends with an error when %s', async (_, lie) => {
    const { url } = await hostileService((reply, asked) => {
      // The count, too, so that the end cannot be saved by it.
      lie(reply, asked);
      return undefined;
    });
    const client = clientOf(url);
    const records: unknown[] = [];
    const error = await failure(
      (async () => {
        for await (const record of listDois(client, { state: 'findable' }, { pageSize: 50 }))
          records.push(record);
      })(),
    );
    expect(error.kind).toBe('incomplete');
    expect(records.length).toBeLessThanOrEqual(250);
  });

  it('ends with an error when an answer is for somebody else', async () => {
    const { url } = await hostileService((reply, { page }) => {
      if (page === 3) reply.headers['x-credential-username'] = 'other.repo';
      return undefined;
    });
    const client = clientOf(url, { credentials: CREDENTIALS });
    const error = await failure(collected(listDois(client, {}, { pageSize: 50 })));
    expect(error.kind).toBe('credentials');
    expect(error.message).toContain('other.repo');
  });
});

describe('a query', () => {
  it.each<[DoiQuery, RegExp]>([
    [{ clientid: 'x.y' } as DoiQuery, /'clientid' is not known; did you mean 'clientId'/],
    [{ clientId: 'zenodo' }, /^query\.clientId: 'zenodo' is not the id/],
    [{ prefix: '' }, /^query\.prefix: /],
    [{ state: 'published' }, /^query\.state: /],
    [{ created: 2019 } as unknown as DoiQuery, /^query\.created is not a text/],
    [{ fields: ['title'] }, /^query\.fields: 'title' is not the name/],
    [{ fields: 'titles' } as unknown as DoiQuery, /^query\.fields is not a list of names$/],
    [{ filter: null } as unknown as DoiQuery, /^query\.filter: not an object$/],
    [{ filter: 'subject=x' } as unknown as DoiQuery, /^query\.filter: not an object$/],
    [{ filter: { 'client-id': 'x.y' } }, /^query\.filter: /],
    [{ filter: { colour: 'red' } }, /not known to have a filter 'colour'/],
    [null as unknown as DoiQuery, /^query: not an object/],
    // Each of these would be a query for everything, or another one.
    [new Map([['prefix', '10.5072']]) as DoiQuery, /^query: not an object/],
    [[] as unknown as DoiQuery, /^query: not an object/],
    [
      { filter: { subject: undefined } } as unknown as DoiQuery,
      /^query\.filter: subject is not a text/,
    ],
    [{ filter: { subject: {} } } as unknown as DoiQuery, /^query\.filter: subject is not a text/],
  ])('of %j is refused before any request', async (query, message) => {
    const { url, asked } = await serve(answer(200, {}));
    const client = clientOf(url);
    const directory = join(temporaryDirectory(), 'copy');
    for (const work of [
      countDois(client, query),
      collected(listDois(client, query)),
      harvest(client, { directory, query }),
    ]) {
      const { kind, message: said } = await failure(work);
      expect([kind, said]).toEqual(['usage', expect.stringMatching(message)]);
    }
    expect(asked).toEqual([]);
    expect(existsSync(directory)).toBe(false);
  });

  it('for Drafts needs credentials', async () => {
    const { url, asked } = await serve(answer(200, {}));
    const client = clientOf(url);
    for (const work of [
      countDois(client, { state: 'draft' }),
      collected(listDois(client, { state: 'draft' })),
      harvest(client, {
        directory: join(temporaryDirectory(), 'copy'),
        query: { state: 'findable,draft' },
      }),
    ]) {
      expect((await failure(work)).kind).toBe('credentials');
    }
    expect(asked).toEqual([]);
  });
});

describe('a client', () => {
  it.each<[unknown, RegExp]>([
    [{ baseurl: 'https://example.org' }, /'baseurl' is not known; did you mean 'baseUrl'/],
    [{ baseUrl: 'http://example.org' }, /must be https/],
    [{ baseUrl: new URL('https://example.org') }, /baseUrl is not a text/],
    [{ credentials: { repository: 'A.B' } }, /a repository and its password, or an apiKey/],
    [{ credentials: { password: 'x' } }, /a repository and its password, or an apiKey/],
    [{ credentials: { apiKey: 'k', password: 'x', repository: 'A.B' } }, /or an apiKey/],
    [
      { credentials: { repository: 'A.B', password: '' } },
      /the secret of the credentials is empty/,
    ],
    [{ credentials: { apiKey: 'secret:x' } }, /^an API key cannot contain a colon$/],
    [{ credentials: 'secret' }, /^credentials: not an object$/],
    [{ credentials: { apikey: 'secret' } }, /'apikey' is not known/],
    [{ userAgent: 'x\r\nhost: y' }, /userAgent is not the name/],
    [{ mailto: 'nobody' }, /not an email address/],
    [{ proxy: 'ftp://secret@x' }, /^proxy is not the URL of a proxy$/],
    [{ timeoutMs: 0 }, /timeoutMs must be a whole number/],
    [{ retries: -1 }, /retries must be a whole number/],
    [{ rate: { requests: 0, windowMs: 1 } }, /rate.requests must be a whole number/],
    [{ rate: null }, /^rate.requests must be a whole number/],
    [{ rate: { requests: 1, windowMs: 1, per: 'second' } }, /'per' is not known/],
    [{ proxy: new URL('http://user:secret@proxy.example.org') }, /^proxy is not a text$/],
    [new Map([['retries', 1]]), /^options: not an object$/],
  ])('is not made of %j', (options, message) => {
    const make = () => new Client(options as ClientOptions);
    expect(make).toThrow(message);
    // The texts of credentials are in no message.
    expect(make).not.toThrow(/secret[:@]|'secret'/);
  });

  it('takes nothing from the environment', async () => {
    const { url, asked } = await hostileService(() => undefined);
    for (const [name, value] of Object.entries({
      DOI_CLI_BASE_URL: 'http://127.0.0.1:1',
      DOI_CLI_API_KEY: 'DC.secret',
      DOI_CLI_REPOSITORY: 'X.Y',
      DOI_CLI_PASSWORD: 'secret',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      https_proxy: 'http://127.0.0.1:1',
    })) {
      vi.stubEnv(name, value);
    }
    expect(new Client().baseUrl).toBe('https://api.datacite.org/');
    const client = clientOf(url, { userAgent: 'my-tool/1.0', mailto: 'me@example.org' });
    expect(await countDois(client)).toBe(250);
    expect(asked[0]?.headers.authorization).toBeUndefined();
    expect(asked[0]?.headers['user-agent']).toMatch(
      /^my-tool\/1\.0 doi-cli\/\S+ \(mailto:me@example\.org\)$/,
    );
  });

  it('prints nothing, and no warning, with many calls that share a signal', async () => {
    const heard = warnings();
    const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    const { baseUrl } = await emulate({ faults: ['502:0.3'] });
    const { signal } = new AbortController();
    const client = clientOf(baseUrl, { retries: 20 });
    const counts = Array.from({ length: 30 }, () => countDois(client, {}, { signal }));
    const [count = 0, ...others] = await Promise.all(counts);
    expect(new Set(others)).toEqual(new Set([count]));
    expect(await collected(listDois(client, {}, { signal, pageSize: 20 }))).toHaveLength(count);
    await sleep(10);
    expect(heard).toEqual([]);
    for (const spy of written) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it('opens few connections for many calls: a system may allow a process 256', async () => {
    let [now, most] = [0, 0];
    let release = () => {};
    // However slow the machine is, so many wait at the same time.
    const crowd = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await serve(async (response, exchange) => {
      now += 1;
      most = Math.max(most, now);
      response.on('close', () => {
        now -= 1;
      });
      if (now > 50) setTimeout(release, 300);
      await crowd;
      answer(200, { data: [], meta: { total: 7 } })(response, exchange);
    });
    const client = clientOf(url, { rate: { requests: 100_000, windowMs: 1000 } });
    const counts = await Promise.all(Array.from({ length: 350 }, () => countDois(client)));
    expect(new Set(counts)).toEqual(new Set([7]));
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(100);
  });

  it('does nothing more once it is closed, and stops what it does', async () => {
    const { url } = await serve(silent);
    const client = new Client({ baseUrl: url.origin });
    const waiting = failure(countDois(client));
    const listing = failure(collected(listDois(client)));
    await sleep(50);
    await client.close();
    expect(await waiting).toMatchObject({ kind: 'interrupted', message: 'the client was closed' });
    expect(await listing).toMatchObject({ kind: 'interrupted' });
    expect(await failure(countDois(client))).toMatchObject({
      kind: 'usage',
      message: 'the client is closed',
    });
    await client.close();
  });

  it('is closed at the end of a block', async () => {
    const { url } = await serve(silent);
    let waiting: Promise<unknown> | undefined;
    {
      await using client = new Client({ baseUrl: url.origin });
      waiting = failure(countDois(client));
      await sleep(50);
    }
    expect(await waiting).toMatchObject({ kind: 'interrupted' });
  });

  it('that is closed between two pages of a list ends it with an error', async () => {
    const { url } = await hostileService(() => undefined);
    const client = clientOf(url);
    const list = async () => {
      for await (const _ of listDois(client, {}, { pageSize: 50 })) await client.close();
    };
    expect(await failure(list())).toMatchObject({ kind: 'interrupted' });
  });

  it('tells of each request, without secrets, before the call ends', async () => {
    const { url } = await serve(
      answer(503, {}),
      reset,
      answer(200, { data: [], meta: { total: 7 } }),
    );
    const seen: SentRequest[] = [];
    const secret = 'findable';
    const client = clientOf(url, {
      credentials: { repository: 'DEMO.REPO', password: secret },
      retries: 2,
      onRequest: (request) => void seen.push(request),
    });
    await countDois(client, { state: secret });
    expect(seen).toMatchObject([
      { method: 'GET', status: 503, problem: undefined, attempt: 1 },
      { status: undefined, problem: expect.stringMatching(/./), attempt: 2 },
      { status: 200, problem: undefined, attempt: 3 },
    ]);
    for (const { url: address, ms } of seen) {
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dois\?.*state=\*+/);
      expect(ms).toBeGreaterThanOrEqual(0);
    }
  });

  it('masks its secrets in errors', async () => {
    const { url } = await serve((response, exchange) => {
      const authorization = exchange.headers.authorization ?? '';
      const said = Buffer.from(authorization.slice(6), 'base64').toString();
      answer(422, { errors: [{ title: `no ${said} and ${authorization}` }] })(response, exchange);
    });
    const client = clientOf(url, {
      credentials: { repository: 'DEMO.REPO', password: 'open sesame' },
    });
    const { message, hint, problems, stack, cause } = await failure(countDois(client));
    expect(message).toContain('***');
    for (const text of [message, hint, JSON.stringify(problems), stack, String(cause)]) {
      expect(text ?? '').not.toMatch(/sesame|b3BlbiBzZXNhbWU|cGVuIHNlc2FtZ|wZW4gc2VzYW1l/);
    }
  });

  it('keeps the bytes of a malformed answer out of errors: they may hold a part of a secret', async () => {
    const { url } = await serve((response, { headers }) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nwrong header ${headers.authorization}\r\n\r\n`);
    });
    const client = clientOf(url, { credentials: CREDENTIALS });
    const error = await failure(countDois(client));
    expect(error.kind).toBe('unavailable');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('Basic');
  });

  it('proves whose credentials it has', async () => {
    const { baseUrl, newKey } = await emulate();
    expect(await getAccount(clientOf(baseUrl, { credentials: CREDENTIALS }))).toBe('demo.repo');
    const { key } = await newKey('x');
    expect(await getAccount(clientOf(baseUrl, { credentials: { apiKey: key } }))).toBe('demo.repo');
    for (const credentials of [
      { ...CREDENTIALS, password: 'wrong' },
      { apiKey: `${key.slice(0, -1)}_` },
    ]) {
      expect((await failure(getAccount(clientOf(baseUrl, { credentials })))).kind).toBe(
        'credentials',
      );
    }
    const other = clientOf(baseUrl, { credentials: { apiKey: key, repository: 'OTHER.REPO' } });
    expect((await failure(getAccount(other))).message).toContain('demo.repo');
    expect((await failure(getAccount(clientOf(baseUrl)))).kind).toBe('credentials');
  });
});

describe('a signal', () => {
  const reason = new Error('enough');

  it('stops each call with its reason, before and meanwhile', async () => {
    const { url } = await serve(silent);
    const client = clientOf(url, { credentials: CREDENTIALS, retries: 3 });
    const directory = join(temporaryDirectory(), 'copy');
    const calls = (signal: AbortSignal) => [
      countDois(client, {}, { signal }),
      getDoi(client, '10.5072/a', { signal }),
      getAccount(client, { signal }),
      collected(listDois(client, {}, { signal })),
      listKeys(client, { signal }),
      harvest(client, { directory, signal }),
    ];
    for (const call of calls(AbortSignal.abort(reason))) expect(await thrown(call)).toBe(reason);
    const stop = new AbortController();
    const waiting = calls(stop.signal).map(thrown);
    await sleep(50);
    stop.abort(reason);
    for (const one of waiting) expect(await one).toBe(reason);
  });

  it('stops a list between two records of a page', async () => {
    const { url } = await hostileService(() => undefined);
    const client = clientOf(url);
    const stop = new AbortController();
    let count = 0;
    const list = (async () => {
      for await (const _ of listDois(client, {}, { signal: stop.signal }))
        if (++count === 5) stop.abort(reason);
    })();
    expect(await thrown(list)).toBe(reason);
    expect(count).toBe(5);
  });

  it('does not cut off the answer to the creation of a key', async () => {
    const stop = new AbortController();
    const { url } = await serve(answer(200, { data: [] }), (response, exchange) => {
      stop.abort(reason);
      setTimeout(() => answer(201, { data: keyNamed('ci') })(response, exchange), 50);
    });
    const client = clientOf(url, { credentials: CREDENTIALS });
    const made = await createKey(client, 'ci', { signal: stop.signal });
    expect(made.attributes.key).toBe(KEY);
  });
});

const KEY = `DC.${'k'.repeat(32)}`;

function keyNamed(name: string, id = '1') {
  const times = {
    created: '2026-01-01T00:00:00Z',
    updated: '2026-01-01T00:00:00Z',
    lastUsedAt: null,
  };
  return {
    id,
    type: 'apiKeys',
    attributes: { name, keyPrefix: KEY.slice(0, 11), key: KEY, ...times, revokedAt: null },
  };
}

describe('keys', () => {
  it('are created, listed and revoked; a second revocation leaves the time of the first', async () => {
    const { baseUrl } = await emulate();
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const { id, attributes } = await createKey(client, ' ci ');
    expect(attributes).toMatchObject({ name: 'ci', key: expect.stringMatching(/^DC\./) });
    expect((await listKeys(client)).map((key) => [key.id, key.attributes.key])).toEqual([
      [id, undefined],
    ]);
    const { revokedAt } = (await revokeKey(client, id)).attributes;
    expect(revokedAt).toMatch(/^20/);
    expect((await revokeKey(client, id)).attributes.revokedAt).toBe(revokedAt);
    expect(await listKeys(client)).toEqual([]);
    expect(await listKeys(client, { includeRevoked: true })).toHaveLength(1);
    expect((await failure(revokeKey(client, 'none'))).kind).toBe('not-found');
  });

  it('are replaced once the new one works and is stored', async () => {
    const { baseUrl } = await emulate();
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const old = await createKey(client, 'ci');
    const seen: unknown[] = [];
    const { created, replaced } = await rotateKey(client, old.id, {
      store: async (key) => {
        const other = clientOf(baseUrl, { credentials: { apiKey: key.attributes.key } });
        seen.push(await getAccount(other), (await listKeys(client)).map(({ id }) => id).sort());
      },
    });
    expect(seen).toEqual(['demo.repo', [old.id, created.id].sort()]);
    expect([created.attributes.name, replaced.id]).toEqual(['ci', old.id]);
    expect(replaced.attributes.revokedAt).toMatch(/^20/);
    expect((await listKeys(client)).map(({ id }) => id)).toEqual([created.id]);
    const next = await rotateKey(client, created.id, { name: 'other' });
    expect(next.created.attributes.name).toBe('other');
    expect((await failure(rotateKey(client, created.id))).kind).toBe('rejected');
    expect((await failure(rotateKey(client, 'none'))).kind).toBe('not-found');
  });

  it('are found by prefix and exact name, where these mean one active key', async () => {
    const { baseUrl } = await emulate();
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const first = await createKey(client, 'ci');
    const { created, replaced } = await rotateKey(client, 'ci');
    expect(replaced.id).toBe(first.id);
    await createKey(client, 'ci');
    const refused = await failure(revokeKey(client, 'ci'));
    expect([refused.kind, refused.problems.length]).toEqual(['usage', 2]);
    expect((await revokeKey(client, created.attributes.keyPrefix)).id).toBe(created.id);
    const secret = await failure(revokeKey(client, created.attributes.key));
    expect(secret.kind).toBe('usage');
    expect(secret.message).not.toContain(created.attributes.key.slice(3));
  });

  it.each(['store', 'a signal'] as const)('stay when %s ends their replacement', async (what) => {
    const { baseUrl } = await emulate();
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const old = await createKey(client, 'ci');
    const stop = new AbortController();
    const store = ({ attributes }: NewApiKey) => {
      if (what === 'store') throw new Error(`no place for ${attributes.key}`);
      stop.abort();
    };
    const { message } = await failure(rotateKey(client, old.id, { store, signal: stop.signal }));
    expect(message).toMatch(
      /the rotation failed while .*is revoked again, and the old one is untouched/,
    );
    expect(message).not.toMatch(/DC\.\w{20}/);
    expect((await listKeys(client)).map(({ id }) => id)).toEqual([old.id]);
    expect(await listKeys(client, { includeRevoked: true })).toHaveLength(2);
  });

  it('need a password, and a name', async () => {
    const { url, asked } = await serve(answer(200, { data: [] }));
    for (const client of [clientOf(url), clientOf(url, { credentials: { apiKey: KEY } })]) {
      for (const work of [
        createKey(client, 'x'),
        listKeys(client),
        revokeKey(client, '1'),
        rotateKey(client, '1'),
      ]) {
        expect((await failure(work)).kind).toBe('credentials');
      }
    }
    for (const name of ['', KEY, 'a\nb', 'x'.repeat(192), 3 as unknown as string]) {
      expect(
        (await failure(createKey(clientOf(url, { credentials: CREDENTIALS }), name))).kind,
      ).toBe('usage');
    }
    expect(asked).toEqual([]);
  });

  it('are named by an id of the service that is no command', async () => {
    const key = keyNamed('ci', 'x; reboot');
    const hidden = { ...key, attributes: { ...key.attributes, key: '\u009b31m' } };
    const { url } = await serve(
      answer(200, { data: [] }),
      answer(201, { data: hidden }),
      answer(200, { data: [key] }),
    );
    const { hint } = await failure(createKey(clientOf(url, { credentials: CREDENTIALS }), 'ci'));
    const id = shellWord('x; reboot');
    expect(id).toMatch(/^['"]/);
    expect(hint).toBe(`doi-cli keys revoke ${id}`);
  });

  it('may exist when the client is closed before the answer', async () => {
    const { url, asked } = await serve(answer(200, { data: [] }), silent);
    const client = clientOf(url, { credentials: CREDENTIALS });
    const creating = failure(createKey(client, 'ci'));
    await vi.waitFor(
      () => expect(asked.map(({ method }) => method)).toEqual(['GET', 'POST']),
      120_000,
    );
    await client.close();
    expect((await creating).message).toContain("a key named 'ci' may exist");
  });

  it('of another account are not returned, and the client does nothing more', async () => {
    const { url, asked } = await serve(answer(200, { data: [] }), (response, exchange) =>
      answer(
        201,
        { data: keyNamed('ci', '42') },
        { ...namesCaller(exchange), 'x-credential-username': 'other.repo' },
      )(response, exchange),
    );
    const client = clientOf(url, { credentials: CREDENTIALS });
    const { kind, message } = await failure(createKey(client, 'ci'));
    expect([kind, message]).toEqual(['credentials', expect.stringMatching(/other\.repo.*id '42'/)]);
    expect((await failure(listKeys(client))).kind).toBe('credentials');
    expect(asked).toHaveLength(2);
  });
});

describe('DOIs', () => {
  it('are created, changed, published and deleted', async () => {
    const { baseUrl } = await emulate({ records: 0 });
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const { id, attributes } = await createDoi(client, {
      doi: '10.5072/Lake',
      titles: [{ title: 'Lake' }],
    });
    expect([id, attributes.state]).toEqual(['10.5072/lake', 'draft']);
    const changed = await updateDoi(client, 'https://doi.org/10.5072/LAKE', {
      titles: [{ title: 'Sea' }],
    });
    expect(changed.attributes.titles).toEqual([{ title: 'Sea' }]);
    expect(await getDoi(client, 'doi:10.5072/lake')).toEqual(changed);
    await deleteDoi(client, '10.5072/lake');
    expect((await failure(getDoi(client, '10.5072/lake'))).kind).toBe('not-found');
    // It would create the record.
    expect((await failure(updateDoi(client, '10.5072/lake', { titles: [] }))).kind).toBe(
      'not-found',
    );
    expect(await countDois(client)).toBe(0);
  });

  it('are an error in another state than asked for, and with problems of the service', async () => {
    const { baseUrl } = await emulate({ records: 0 });
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const refused = await failure(
      createDoi(client, { doi: '10.5072/a', event: 'publish', url: 'https://example.org/' }),
    );
    expect(refused.kind).toBe('rejected');
    expect(refused.problems.length).toBeGreaterThan(0);
    await createDoi(client, { doi: '10.5072/b' });
    expect(await failure(updateDoi(client, '10.5072/b', { event: 'hide' }))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('its state is draft'),
    });
    expect((await failure(deleteDoi(client, '10.5072/none'))).kind).toBe('not-found');
    for (const [doi, attributes] of [
      ['10.5072/../x', {}],
      ['10.5072/b', { event: 'vanish' }],
      ['10.5072/b', []],
    ] as const) {
      expect(
        (await failure(updateDoi(client, doi, attributes as object as Record<string, unknown>)))
          .kind,
      ).toBe('usage');
    }
  });
});

describe('validate', () => {
  it('finds what the program finds, in each state', async () => {
    const { anonymous } = await emulate();
    const file = join(temporaryDirectory(), 'record.json');
    const records = [
      {
        doi: '10.5072/a',
        titles: [{ title: '' }],
        types: { resourceTypeGeneral: 'Datset' },
        colour: 'red',
      },
      { ...COMPLETE_RECORD, prefix: '10.5072' },
      {
        ...COMPLETE_RECORD,
        prefix: '10.5072',
        event: 'publish',
        dates: [{ date: 'May', dateType: 'Issued' }],
      },
    ];
    for (const attributes of records) {
      writeFileSync(file, JSON.stringify(attributes));
      for (const state of [undefined, 'draft', 'registered', 'findable'] as const) {
        const option = state === undefined ? [] : ['--state', state];
        const argv = ['dois', 'validate', '--file', file, '--format', 'ndjson', ...option];
        const { findings } = JSON.parse((await anonymous(argv)).stdout) as {
          findings: object[];
        };
        const plain = findings.map(({ line: _, ...finding }: { line?: number }) => finding);
        expect(JSON.parse(JSON.stringify(validate(attributes, { state })))).toEqual(plain);
      }
    }
  });
});

describe('harvest', () => {
  it('makes a copy, goes on with it without its query, and brings it up to date', async () => {
    const { baseUrl, run } = await emulate({ records: 300 });
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const directory = join(temporaryDirectory(), 'copy');
    const progress: number[] = [];
    const stop = new AbortController();
    const options = { directory, query: { state: 'findable' }, gzip: true, pageSize: 20, jobs: 1 };
    const onProgress = (records: number) => {
      if (progress.push(records) === 3) stop.abort();
    };
    expect(await thrown(harvest(client, { ...options, onProgress, signal: stop.signal }))).toBe(
      stop.signal.reason,
    );
    const { worked, earlier } = await harvest(client, { directory });
    expect(earlier).toEqual([]);
    expect(worked).toMatchObject([{ verdict: 'complete', kind: 'full', reasons: [] }]);
    const total = await countDois(client, { state: 'findable' });
    expect(worked[0]?.uniqueDois).toBe(total);
    const lines = readdirSync(join(directory, 'data')).flatMap((name) =>
      gunzipSync(readFileSync(join(directory, 'data', name)))
        .toString()
        .trimEnd()
        .split('\n'),
    );
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(total);
    const again = await harvest(client, { directory, query: { state: 'findable' } });
    expect([again.worked[0]?.kind, again.earlier.length]).toEqual(['update', 1]);
    // The program knows it, too.
    expect((await run(['dois', 'harvest', 'status', '--dir', directory])).code).toBe(0);
  });

  it('refuses another query, other files, and a second run at the same time', async () => {
    const { baseUrl } = await emulate({ records: 50 });
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const directory = temporaryDirectory();
    await harvest(client, { directory, query: { state: 'findable' } });
    expect(
      await failure(harvest(client, { directory, query: { prefix: '10.5072' } })),
    ).toMatchObject({
      message: `${directory} holds the harvest of another query (state: findable there, none here; prefix: none there, 10.5072 here)`,
      hint: 'use the same filters, base URL and account, another directory, or fresh to start over',
    });
    expect((await failure(countDois(client, { clientId: 'caltech' }))).message).toMatch(
      /use query.providerId$/,
    );
    expect((await failure(harvest(clientOf(baseUrl), { directory }))).kind).toBe('usage');
    const both = await Promise.allSettled([
      harvest(client, { directory }),
      harvest(client, { directory }),
    ]);
    // The second waits a moment for the first.
    for (const one of both)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'usage' });
    expect(both.map(({ status }) => status)).toContain('fulfilled');
    const strange = temporaryDirectory();
    mkdirSync(join(strange, 'data'));
    writeFileSync(join(strange, 'data', 'mine.txt'), '');
    expect((await failure(harvest(client, { directory: strange }))).kind).toBe('usage');
  });

  it('throws what a function of the caller throws, also with causes in a circle', async () => {
    const { url } = await hostileService(() => undefined);
    const own = new RangeError('mine');
    own.cause = own;
    const onProgress = () => {
      throw own;
    };
    expect(
      await thrown(harvest(clientOf(url), { directory: temporaryDirectory(), onProgress })),
    ).toBe(own);
  });

  it('is an error when records are missing', async () => {
    const { url } = await hostileService(everywhere(total(260)));
    const error = await failure(
      harvest(clientOf(url), { directory: temporaryDirectory(), pageSize: 50 }),
    );
    expect(error).toMatchObject({ kind: 'incomplete', message: expect.stringContaining('260') });
  });
});
