import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  Client,
  countDois,
  exportTables,
  getAccount,
  getDoi,
  harvest,
  listDois,
  listPages,
  readCopy,
  readReceipts,
  validate,
  verify,
} from '../../src/library/index.ts';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { answer, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const DOI = '10.5072/a';

function clientOf(url: string | URL, options: object = {}): Client {
  const credentials = { repository: REPOSITORY, password: PASSWORD };
  const client = new Client({ baseUrl: new URL(url).origin, credentials, retries: 0, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function collected(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('an argument out of its bounds', () => {
  const directory = 'no/copy';
  const numbers = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
  it.each<
    readonly [string, readonly number[], (client: Client, value: number) => Promise<unknown>]
  >([
    ['limit', numbers, (client, limit) => collected(listDois(client, {}, { limit }))],
    ['jobs', [...numbers, 65], (client, jobs) => collected(listDois(client, {}, { jobs }))],
    [
      'pageSize',
      [...numbers, 1001],
      (client, pageSize) => collected(listPages(client, {}, { pageSize })),
    ],
    ['jobs', numbers, (client, jobs) => harvest(client, { directory, jobs })],
    ['overlapMs', [-1], (client, overlapMs) => harvest(client, { directory, overlapMs })],
    ['jobs', numbers, (client, jobs) => verify(client, { directory, jobs })],
  ])('is refused before any request: %s', async (name, values, call) => {
    const { url, asked } = await serve(answer(200, {}));
    const client = clientOf(url);
    for (const value of values) {
      await expect(call(client, value)).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(`^${name} must be a whole number from `),
      });
    }
    expect(asked).toEqual([]);
  });

  it('is refused as a directory, which would be the working directory', async () => {
    const { url, asked } = await serve(answer(200, {}));
    const client = clientOf(url);
    const empty = { kind: 'usage', message: 'directory is empty' };
    await expect(harvest(client, { directory: '' })).rejects.toMatchObject(empty);
    await expect(verify(client, { directory: '' })).rejects.toMatchObject(empty);
    await expect(readReceipts('')).rejects.toMatchObject(empty);
    await expect(collected(readCopy(''))).rejects.toMatchObject(empty);
    await expect(exportTables({ directory: '', out: 'x' })).rejects.toMatchObject(empty);
    await expect(exportTables({ directory, out: '' })).rejects.toMatchObject({
      kind: 'usage',
      message: 'out is empty',
    });
    expect(asked).toEqual([]);
  });

  it.each([undefined, null, 5, 'x', []])(
    'is refused as attributes to validate: %j',
    async (value) => {
      await expect(validate(value)).rejects.toThrow('attributes: not an object');
    },
  );

  it('is refused as a client', async () => {
    const client = Object.create(Client.prototype) as Client;
    await expect(countDois(client)).rejects.toMatchObject({ kind: 'usage' });
  });
});

/** Functions that send one request each. */
const CALLS: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
  ['countDois', (client) => countDois(client)],
  ['getDoi', (client) => getDoi(client, DOI)],
  ['getAccount', (client) => getAccount(client)],
  ['listDois', (client) => collected(listDois(client))],
  ['listPages', (client) => collected(listPages(client))],
];

describe('onRequest', () => {
  const failure = new RangeError('no more');
  const onRequest = () => {
    throw failure;
  };

  it.each(CALLS)('that throws rejects %s after one request', async (_, call) => {
    const { baseUrl, log } = await emulate({ records: 10 });
    await expect(call(clientOf(baseUrl, { onRequest }))).rejects.toBe(failure);
    expect(await log()).toHaveLength(1);
  });

  it('that throws stops a harvest', async () => {
    const { baseUrl } = await emulate({ records: 10 });
    const directory = join(temporaryDirectory(), 'copy');
    const client = clientOf(baseUrl, { onRequest });
    await expect(harvest(client, { directory })).rejects.toBe(failure);
  });
});
