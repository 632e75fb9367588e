import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  Client,
  type ClientOptions,
  countDois,
  DoiCliError,
  type DoiQuery,
  getAccount,
  getDoi,
  harvest,
  listDois,
  listPages,
  type SentRequest,
  validate,
} from '../../src/library/index.ts';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { answer, reset, serve, silent } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { everywhere, total } from '../hostile/lies.ts';
import { hostileService } from '../hostile/service.ts';

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

  it('gives organizations as objects, as getDoi does', async () => {
    const client = clientOf((await emulate({ records: 100 })).baseUrl);
    for (const record of await collected(listDois(client, {}, { limit: 3, parse: true }))) {
      const { creators, publisher } = record.attributes;
      expect(typeof publisher).toBe('object');
      expect((await getDoi(client, record.id)).attributes).toMatchObject({ creators, publisher });
    }
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

  it('asks for no more than its limit', async () => {
    const { baseUrl, log } = await emulate({ records: 300 });
    expect(await collected(listDois(clientOf(baseUrl), {}, { limit: 7 }))).toHaveLength(7);
    expect((await log()).map(({ path }) => path)).toEqual([/page%5Bsize%5D=7\b/]);
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

  // hostile/list.test.ts has every lie.
  it('ends with an error when records are missing', async () => {
    const { url } = await hostileService(everywhere(total(251)));
    const error = await failure(collected(listDois(clientOf(url), {}, { pageSize: 50 })));
    expect(error.kind).toBe('incomplete');
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
    [{ created: 2019 } as unknown as DoiQuery, /^query\.created is not a text/],
    [{ fields: ['title'] }, /^query\.fields: 'title' is not the name/],
    [{ filter: new Map() } as unknown as DoiQuery, /^query\.filter: not an object$/],
    [{ filter: 'subject=x' } as unknown as DoiQuery, /not known to have a filter '0'/],
    [{ constructor: undefined } as unknown as DoiQuery, /'constructor' is not known/],
    [{ filter: { 'client-id': 'x.y' } }, /^query\.filter: /],
    [{ filter: { colour: 'red' } }, /not known to have a filter 'colour'/],
    // Each of these would be a query for everything.
    [new Map([['prefix', '10.5072']]) as DoiQuery, /^query: not an object/],
    [[] as unknown as DoiQuery, /^query: not an object/],
    [Promise.resolve({ prefix: '10.5072' }) as DoiQuery, /^query: not an object/],
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
      expect([kind, said]).toEqual(['usage', message]);
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
    [{ baseUrl: 'http://example.org' }, /must be https/],
    [{ credentials: { repository: 'A.B' } }, /a repository and its password, or an apiKey/],
    [{ credentials: { password: 'x' } }, /a repository and its password, or an apiKey/],
    [{ credentials: { apiKey: 'k', password: 'x', repository: 'A.B' } }, /or an apiKey/],
    [
      { credentials: { repository: 'A.B', password: '' } },
      /the secret of the credentials is empty/,
    ],
    [{ credentials: { apiKey: 'secret:x' } }, /^an API key cannot contain a colon$/],
    [{ credentials: { apikey: 'secret' } }, /or an apiKey$/],
    [{ credentials: { repository: 'A:B', password: 'x' } }, /^credentials\.repository: /],
    [{ userAgent: 'x\r\nhost: y' }, /userAgent is not the name/],
    [{ mailto: 'nobody' }, /not an email address/],
    [{ proxy: 'ftp://secret@x' }, /^proxy is not the URL of a proxy$/],
    [{ timeoutMs: 0 }, /timeoutMs must be a whole number/],
    [{ retries: -1 }, /retries must be a whole number/],
    [{ retries: Number.NaN }, /retries must be a whole number/],
    [{ rate: { requests: 0, windowMs: 1 } }, /requests must be a whole number/],
    [{ rate: { requests: 1, windowMs: Number.POSITIVE_INFINITY } }, /windowMs must be a whole/],
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
      { status: undefined, problem: /./, attempt: 2 },
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
});

describe('a DOI', () => {
  it('is read, however it is written', async () => {
    const { baseUrl, run } = await emulate({ records: 0 });
    await run(['dois', 'create', '--doi', '10.5072/lake', '--title', 'Lake']);
    const client = clientOf(baseUrl, { credentials: CREDENTIALS });
    const record = await getDoi(client, 'doi:10.5072/lake');
    expect(record).toMatchObject({ id: '10.5072/lake', attributes: { state: 'draft' } });
    expect(await getDoi(client, 'https://doi.org/10.5072/LAKE')).toEqual(record);
    expect((await failure(getDoi(client, '10.5072/none'))).kind).toBe('not-found');
    for (const doi of ['', 'lake', '10.5072/../a'])
      expect((await failure(getDoi(client, doi))).kind).toBe('usage');
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
        expect(JSON.parse(JSON.stringify(await validate(attributes, { state })))).toEqual(plain);
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
    expect(worked[0]?.uniqueDois).toBe(await countDois(client, { state: 'findable' }));
    expect(readdirSync(join(directory, 'data')).join()).toMatch(/\.gz$/);
    const again = await harvest(client, { directory, query: { state: 'findable' } });
    expect([again.worked[0]?.kind, again.earlier.length]).toEqual(['update', 1]);
    // The program knows it, too.
    expect((await run(['dois', 'harvest', 'status', '--dir', directory])).code).toBe(0);
  });

  // harvest/copy/run.test.ts has what else is refused.
  it('refuses another query, in the words of its options', async () => {
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
    expect(error).toMatchObject({ kind: 'incomplete', message: /260/ });
  });
});
