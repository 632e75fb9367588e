import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client, countDois, harvest } from '../../src/core/index.ts';
import { ledgerIn } from '../harvest/copy-on-disk.ts';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

function clientOf(baseUrl: string): Client {
  const credentials = { repository: REPOSITORY, password: PASSWORD };
  const rate = { requests: 1000, windowMs: 1000 };
  const client = new Client({ baseUrl, credentials, rate, retries: 0 });
  onTestFinished(() => client.close());
  return client;
}

afterEach(() => {
  vi.useRealTimers();
});

describe('dates of a query', () => {
  it('select what the options of the program select', async () => {
    const { baseUrl, run } = await emulate({ records: 1000 });
    const client = clientOf(baseUrl);
    const counts = new Set<number>();
    for (const text of ['2020', '2017..2019', '2020-03', '2019-05-01..2020-06', '..2018', '900d..'])
      for (const name of ['created', 'registered', 'updated'] as const) {
        const count = await countDois(client, { [name]: text });
        const { stdout } = await run(['dois', 'list', '--count', `--${name}`, text]);
        expect(`${count}\n`, `${name} ${text}`).toBe(stdout);
        counts.add(count);
      }
    expect(counts.size).toBeGreaterThan(6);
    // The form of the service.
    const years = await countDois(client, { created: '2017,2019' });
    expect(years).toBe(await countDois(client, { created: '2017..2019' }));
  });

  it('are named as properties in errors', async () => {
    const client = clientOf('http://127.0.0.1:1');
    const problems = {
      '2099': /^query\.updated 2099 is in the future: it is 20/,
      '2d..7d': /^query\.updated 2d\.\.7d ends before it begins$/,
      once: /^query\.updated: 'once' is not a date: write a year/,
    };
    for (const [updated, message] of Object.entries(problems)) {
      const expected = { kind: 'usage', message: expect.stringMatching(message) };
      await expect(countDois(client, { updated })).rejects.toMatchObject(expected);
    }
    await expect(countDois(client, { updated: '2020', query: 'a)' })).rejects.toMatchObject({
      message: expect.stringMatching(/^query\.query: the query is not balanced/),
    });
  });

  it('keep the meaning that they had at the first run of a copy, in the program too', async () => {
    const { baseUrl, run } = await emulate({ records: 300 });
    const client = clientOf(baseUrl);
    const directory = join(temporaryDirectory(), 'copy');
    const first = Date.parse('2025-06-01T00:00:00.000Z');
    vi.useFakeTimers({ toFake: ['Date'], now: first });
    const notes: string[] = [];
    const query = { created: '2000d..2099', updated: '2016..' };
    await harvest(client, { directory, query, onNote: (text) => notes.push(text) });
    expect(notes).toEqual(['query.created 2000d..2099 is in the future']);
    const before = ledgerIn(directory).query;
    expect(before.relative).toEqual([['created-since', '2000d', '2019-12-10T00:00:00.000Z']]);
    vi.setSystemTime(first + 30 * 86_400_000);
    const { earlier, worked } = await harvest(client, { directory, query });
    expect([earlier.length, worked[0]?.kind]).toEqual([1, 'update']);
    await harvest(client, { directory });
    const options = ['--created', '2000d..2099', '--updated', '2016..'];
    expect(await run(['dois', 'harvest', '--dir', directory, ...options])).toMatchObject({
      code: 0,
    });
    expect(ledgerIn(directory).query).toEqual(before);
    await expect(
      harvest(client, { directory, query: { ...query, created: '2001d..2099' } }),
    ).rejects.toMatchObject({ kind: 'usage', message: expect.stringContaining('another query') });
  });
});
