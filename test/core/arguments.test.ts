import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type CallOptions,
  Client,
  countDois,
  createDoi,
  createKey,
  DoiCliError,
  deleteDoi,
  exportTables,
  getAccount,
  getDoi,
  harvest,
  listDois,
  listKeys,
  listPages,
  revokeKey,
  rotateKey,
  updateDoi,
  validate,
  verify,
} from '../../src/core/index.ts';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { answer, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const CREDENTIALS = { repository: REPOSITORY, password: PASSWORD };
const DOI = '10.5072/a';

/** An argument that no caller with types would pass. */
// biome-ignore lint/suspicious/noExplicitAny: it has any type
type Wrong = any;

function clientOf(url: string | URL, options: object = {}): Client {
  const baseUrl = new URL(url).origin;
  const client = new Client({ baseUrl, credentials: CREDENTIALS, retries: 0, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function collected(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Every function that sends requests, with options. */
const CALLS: readonly (readonly [
  string,
  (client: Client, options: Wrong, id?: string) => Promise<unknown>,
])[] = [
  ['countDois', (client, options: CallOptions) => countDois(client, {}, options)],
  ['getDoi', (client, options) => getDoi(client, DOI, options)],
  ['createDoi', (client, options) => createDoi(client, { prefix: '10.5072' }, options)],
  ['updateDoi', (client, options) => updateDoi(client, DOI, {}, options)],
  ['deleteDoi', (client, options) => deleteDoi(client, DOI, options)],
  ['getAccount', (client, options) => getAccount(client, options)],
  ['listDois', (client, options) => collected(listDois(client, {}, options))],
  ['listPages', (client, options) => collected(listPages(client, {}, options))],
  ['createKey', (client, options) => createKey(client, 'ci', options)],
  ['rotateKey', (client, options, id = '1') => rotateKey(client, id, options)],
  ['listKeys', (client, options) => listKeys(client, options)],
  ['revokeKey', (client, options, id = '1') => revokeKey(client, id, options)],
  ['harvest', (client, options) => harvest(client, options)],
  ['verify', (client, options) => verify(client, options)],
];

const throwing = (trap: 'get' | 'ownKeys' | 'getPrototypeOf' | 'has') =>
  new Proxy({}, { [trap]: () => { throw new TypeError('a trap'); } }); // biome-ignore format: short

const getter = {
  get signal() {
    throw new RangeError('a getter');
  },
};

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const OPTIONS: readonly Wrong[] = [
  ...[null, 5, 'signal', [], new Map(), () => ({})],
  ...[new Date(0), /x/, Promise.resolve({}), new AbortController().signal],
  // Members that are unknown or misspelt.
  ...[{ Signal: undefined, timeout: 5 }, { signals: undefined }],
  ...[{ signal: null }, { signal: 5 }, { signal: { aborted: false, addEventListener() {} } }],
  ...[{ signal: new AbortController() }],
  ...[throwing('ownKeys'), throwing('has'), revoked(), getter],
];

async function refusal(work: () => Promise<unknown>): Promise<DoiCliError> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(DoiCliError);
    expect(error).toMatchObject({ kind: 'usage', message: expect.stringMatching(/\w/) });
    return error as DoiCliError;
  }
  return expect.unreachable('it is taken');
}

describe.each(CALLS)('%s', (_, call) => {
  it('refuses wrong options before anything is sent', async () => {
    const { url, asked } = await serve(answer(200, {}));
    const client = clientOf(url);
    for (const options of OPTIONS) await refusal(() => call(client, options));
    expect(asked).toEqual([]);
  });

  it('refuses what is not a client', async () => {
    const made: readonly Wrong[] = [
      ...[undefined, null, { baseUrl: 'https://example.org' }, Client],
      ...[Object.create(Client.prototype), new Proxy(new Client(), {})],
    ];
    for (const client of made) await refusal(() => call(client, {}));
  });
});

const circle: Wrong = { prefix: '10.5072' };
circle.titles = [circle];

const TABLES = { directory: 'copy', out: 'tables' };

const WRONG_TEXTS: readonly Wrong[] = [undefined, null, 5, Number.NaN, {}, [], Symbol('x'), 1n];

describe('a wrong argument', () => {
  const directory = () => join(temporaryDirectory(), 'copy');
  const wrongQueries: readonly Wrong[] = [
    ...[null, 5, 'all', [], new Map(), throwing('ownKeys'), revoked()],
    ...[{ prefix: 5 }, { prefix: null }, { state: Number.NaN }, { created: new Date(Number.NaN) }],
    ...[{ created: new Date() }, { created: '2019-13' }, { query: '' }, { detail: 'no' }],
    ...[{ fields: 'titles' }, { fields: [5] }, { fields: [Symbol('x')] }, { fields: [['titles']] }],
    ...[{ fields: revoked() }, { filter: null }, { filter: { subject: 5 } }, { filter: [] }],
    ...[{ filter: throwing('ownKeys') }, { filter: { 'client-id': 'a.b' } }, { colour: 'red' }],
    ...[{ updated: 7 }, { updated: 'once' }, { registered: '2017,2018,2019' }, { created: '' }],
    ...[{ created: '2019..2017' }, { created: '2019,2017' }, { created: '2d..7d' }],
    ...[{ updated: '2099' }, { updated: '9999' }, { updated: '2020', query: 'a)' }],
    ...[{ filter: { updated: '2020' } }, { createdSince: '7d' }],
    ...[{ affiliation: 1 }, { filter: { published: 'x' } }, { filter: { page: '1' } }],
  ];
  const wrongAttributes: readonly Wrong[] = [
    ...[undefined, null, 5, 'x', [], new Map(), () => ({}), revoked(), throwing('ownKeys')],
    ...[throwing('get'), { titles: () => 1 }, { year: Number.NaN }, { year: 1n }],
    ...[{ date: new Date(Number.NaN) }, { dates: [{ date: new Date('never') }] }],
    ...[{ titles: new Set() }, { titles: Symbol('x') }, { toJSON: () => [] }],
    ...[{ toJSON: () => undefined }, circle],
  ];
  const wrongEvents: readonly Wrong[] = [{ event: 'vanish' }, { event: 5 }, { event: null }];
  const numbers: readonly Wrong[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null];

  type Case = readonly [string, Wrong, (client: Client) => Promise<unknown>];
  const cases: readonly Case[] = [
    ...wrongQueries.flatMap((query): Case[] => [
      ['the query of countDois', query, (client) => countDois(client, query)],
      ['the query of listDois', query, (client) => collected(listDois(client, query))],
      ['the query of listPages', query, (client) => collected(listPages(client, query))],
      [
        'the query of harvest',
        query,
        (client) => harvest(client, { directory: directory(), query }),
      ],
    ]),
    ...[...wrongAttributes, ...wrongEvents].flatMap((attributes): Case[] => [
      ['attributes to create', attributes, (client) => createDoi(client, attributes)],
      ['attributes to update', attributes, (client) => updateDoi(client, DOI, attributes)],
    ]),
    ...[...WRONG_TEXTS, '', 'lake', '10.5072/../a'].flatMap((doi): Case[] => [
      ['the DOI to read', doi, (client) => getDoi(client, doi)],
      ['the DOI to update', doi, (client) => updateDoi(client, doi, {})],
      ['the DOI to delete', doi, (client) => deleteDoi(client, doi)],
    ]),
    ...WRONG_TEXTS.flatMap((value): Case[] => [
      ['the name of a key', value, (client) => createKey(client, value)],
      ['the id of a key to revoke', value, (client) => revokeKey(client, value)],
      ['the id of a key to rotate', value, (client) => rotateKey(client, value)],
      ['a directory', value, (client) => harvest(client, { directory: value })],
      ['a copy to verify', value, (client) => verify(client, { directory: value })],
      ['a copy to export', value, () => exportTables({ directory: value, out: directory() })],
      ['tables', value, () => exportTables({ directory: directory(), out: value })],
    ]),
    ...numbers.flatMap((value): Case[] => [
      ['a limit', value, (client) => collected(listDois(client, {}, { limit: value }))],
      ['a page size', value, (client) => collected(listPages(client, {}, { pageSize: value }))],
      ['jobs', value, (client) => collected(listDois(client, {}, { jobs: value }))],
      [
        'jobs of a copy',
        value,
        (client) => harvest(client, { directory: directory(), jobs: value }),
      ],
    ]),
    ...numbers.flatMap((value): Case[] => [
      ['jobs of verify', value, (client) => verify(client, { directory: 'copy', jobs: value })],
      ['jobs of tables', value, () => exportTables({ ...TABLES, jobs: value })],
    ]),
    ...OPTIONS.flatMap((value): Case[] => [
      ['options of tables', value, () => exportTables(value)],
    ]),
    ...[null, 5, 'yes', {}].flatMap((value: Wrong): Case[] => [
      ['parse', value, (client) => collected(listDois(client, {}, { parse: value }))],
      ['fresh', value, (client) => harvest(client, { directory: directory(), fresh: value })],
      ['onNote', value, (client) => harvest(client, { directory: directory(), onNote: value })],
      [
        'onProgress',
        value,
        (client) => harvest(client, { directory: directory(), onProgress: value }),
      ],
      ['onNote', value, (client) => verify(client, { directory: 'copy', onNote: value })],
      ['onProgress', value, () => exportTables({ ...TABLES, onProgress: value })],
      ['records', value, () => exportTables({ ...TABLES, records: value })],
      ['includeRevoked', value, (client) => listKeys(client, { includeRevoked: value })],
      ['store', value, (client) => rotateKey(client, '1', { store: value })],
    ]),
    ['a look back', -1, (client) => harvest(client, { directory: directory(), overlapMs: -1 })],
    ['a new name', '', (client) => rotateKey(client, '1', { name: '' })],
    ['a new name', 5, (client) => rotateKey(client, '1', { name: 5 as Wrong })],
    ['no options', undefined, () => exportTables(undefined as Wrong)],
    ['no copy', TABLES, () => exportTables(TABLES)],
    ['no copy', TABLES, (client) => verify(client, { directory: TABLES.directory })],
    ['an empty directory', '', (client) => harvest(client, { directory: '' })],
    ['a directory with a zero byte', 'a\0b', (client) => harvest(client, { directory: 'a\0b' })],
    ['a page size', 1001, (client) => collected(listDois(client, {}, { pageSize: 1001 }))],
  ];

  it('is refused before anything is sent or written', async () => {
    const { url, asked } = await serve(answer(200, {}));
    const client = clientOf(url);
    for (const [what, , call] of cases) {
      const { message } = await refusal(() => call(client)).catch((cause: unknown) => {
        throw new Error(what, { cause });
      });
      expect(message, what).not.toMatch(/--[a-z]/);
    }
    expect(cases.length).toBeGreaterThan(200);
    expect(asked).toEqual([]);
    for (const name of ['copy', 'tables']) expect(existsSync(name)).toBe(false);
  });

  it('of a client is refused', async () => {
    const hostile = [throwing('ownKeys'), revoked(), getter];
    const options: readonly Wrong[] = [
      ...[null, 5, 'x', [], new Map(), ...hostile, { baseUrl: null }, { rate: 'fast' }],
      ...hostile.flatMap((value) => [{ credentials: value }, { rate: value }, { baseUrl: value }]),
      ...[{ credentials: null }, { rate: { requests: Number.NaN, windowMs: 1 } }],
      ...[{ onRequest: 5 }, { onRequest: null }, { timeoutMs: Number.NaN }, { timeoutMs: -1 }],
      ...[{ retries: '3' }, { probeCredentials: 'no' }, { mailto: 5 }, { proxy: {} }],
      ...[{ userAgent: Symbol('x') }, { baseurl: 'https://example.org' }],
    ];
    for (const wrong of options) await refusal(async () => new Client(wrong));
  });

  it('of validate is refused', async () => {
    for (const value of wrongAttributes) await refusal(async () => validate(value));
    const options: readonly Wrong[] = [
      ...[null, 5, { state: 'published' }, { state: null }, { State: 'draft' }],
      ...[throwing('ownKeys'), revoked()],
    ];
    for (const value of options) await refusal(async () => validate({}, value));
  });
});

describe('onRequest', () => {
  const failure = new RangeError('no more');
  const onRequest = () => {
    throw failure;
  };

  it.each(
    CALLS.filter(([name]) => !['harvest', 'verify', 'createDoi', 'deleteDoi'].includes(name)),
  )('that throws rejects %s after one request', async (_, call) => {
    const { baseUrl, newKey, log } = await emulate({ records: 10 });
    const { id } = await newKey('ci');
    await createDoi(clientOf(baseUrl), { doi: DOI });
    const before = (await log()).length;
    await expect(call(clientOf(baseUrl, { onRequest }), {}, id)).rejects.toBe(failure);
    expect((await log()).length).toBe(before + 1);
  });

  it('that throws stops a harvest', async () => {
    const { baseUrl } = await emulate({ records: 10 });
    const directory = join(temporaryDirectory(), 'copy');
    const client = clientOf(baseUrl, { onRequest });
    await expect(harvest(client, { directory })).rejects.toBe(failure);
  });

  it('that throws once a change is carried out leads to an error that says so', async () => {
    const { baseUrl } = await emulate({ records: 0 });
    const [quiet, client] = [clientOf(baseUrl), clientOf(baseUrl, { onRequest })];
    const error = {
      kind: 'unexpected',
      message: 'the change was carried out, but onRequest threw an error',
      cause: failure,
    };
    await expect(createDoi(client, { doi: DOI })).rejects.toMatchObject(error);
    expect((await getDoi(quiet, DOI)).id).toBe(DOI);
    await expect(deleteDoi(client, DOI)).rejects.toMatchObject(error);
    await expect(getDoi(quiet, DOI)).rejects.toMatchObject({ kind: 'not-found' });
  });
});
