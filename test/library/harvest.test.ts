import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client, countDois, exportTables, harvest, verify } from '../../src/library/index.ts';
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
    for (const [query, message] of [
      [{ updated: '2d..7d' }, /^query\.updated 2d\.\.7d ends before it begins$/],
      [{ updated: 'once' }, /^query\.updated: 'once' is not a date: write a year/],
      [{ updated: '2020', query: 'a)' }, /^query\.query: the query is not balanced/],
    ] as const)
      await expect(countDois(client, query)).rejects.toMatchObject({ kind: 'usage', message });
  });

  // harvest/copy/continue.test.ts has what becomes of them in later runs.
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
    vi.setSystemTime(first + 30 * 86_400_000);
    await harvest(client, { directory, query });
    const options = ['--created', '2000d..2099', '--updated', '2016..'];
    expect((await run(['dois', 'harvest', '--dir', directory, ...options])).code).toBe(0);
    expect(ledgerIn(directory).query).toEqual(before);
  });
});

describe('verify', () => {
  it('finds what the program finds, and saves surplus DOIs for the table removed', async () => {
    const emulator = await emulate({ records: 300 });
    const client = clientOf(emulator.baseUrl);
    const directory = join(temporaryDirectory(), 'copy');
    await emulator.run(['dois', 'create', '--doi', '10.5072/gone']);
    await harvest(client, { directory });
    await emulator.run(['dois', 'delete', '10.5072/gone', '--yes']);
    await emulator.run(['dois', 'create', '--doi', '10.5072/new']);
    const progress: (readonly number[])[] = [];
    const onProgress = (...counts: readonly number[]) => progress.push(counts);
    const { mixed, ...found } = await verify(client, { directory, jobs: 2, onProgress });
    expect(found).toMatchObject({ missing: ['10.5072/new'], surplus: ['10.5072/gone'] });
    expect([progress.at(-1), mixed]).toEqual([[found.atService, found.here], undefined]);
    const words = ['dois', 'harvest', 'verify', '--dir', directory, '--format', 'json'];
    expect(JSON.parse((await emulator.run(words)).stdout)).toEqual({ same: false, ...found });
    const removed = readFileSync(join(directory, '_harvest', 'removed.ndjson'), 'utf8');
    expect(JSON.parse(removed)).toMatchObject({ doi: '10.5072/gone' });
  });

  it('refuses a copy of another service or reader, and stops', async () => {
    const { baseUrl } = await emulate({ records: 50 });
    const [directory, findable] = [temporaryDirectory(), temporaryDirectory()];
    const client = clientOf(baseUrl);
    await harvest(client, { directory });
    const elsewhere = clientOf('http://127.0.0.1:1');
    await expect(verify(elsewhere, { directory })).rejects.toMatchObject({
      kind: 'usage',
      hint: `add baseUrl ${baseUrl}/`,
    });
    const anonymous = new Client({ baseUrl, retries: 0 });
    onTestFinished(() => anonymous.close());
    await harvest(anonymous, { directory: findable });
    await expect(verify(client, { directory: findable })).rejects.toMatchObject({
      hint: 'use a client without credentials',
    });
    const stop = new AbortController();
    const reason = new Error('enough');
    const onProgress = () => stop.abort(reason);
    await expect(verify(client, { directory, onProgress, signal: stop.signal })).rejects.toBe(
      reason,
    );
  });
});

describe('exportTables', () => {
  it('writes the tables that the program writes, and updates them', async () => {
    const { baseUrl, run } = await emulate({ records: 200 });
    const [directory, out] = [temporaryDirectory(), temporaryDirectory()];
    const other = temporaryDirectory();
    const query = { fields: ['doi', 'titles', 'created', 'updated'] };
    const { worked } = await harvest(clientOf(baseUrl), { directory, query });
    const [notes, progress]: [string[], number[]] = [[], []];
    const first = await exportTables({
      ...{ directory, out },
      onNote: (text) => notes.push(text),
      onProgress: (records) => progress.push(records),
    });
    const dois = worked[0]?.uniqueDois;
    expect([first, progress]).toEqual([{ dois, batches: 1, written: 1, removed: 0 }, [dois]]);
    const { stderr } = await run(['dois', 'harvest', 'export', '--dir', directory, '--out', other]);
    expect(notes).toEqual(stderr.match(/(?<=^warning: ).*/gm));
    for (const table of ['dois', 'creators', 'removed']) {
      const [name = ''] = readdirSync(join(out, table));
      expect(readFileSync(join(out, table, name))).toEqual(readFileSync(join(other, table, name)));
    }
    expect(await exportTables({ directory, out })).toEqual({ ...first, written: 0 });
    expect(await exportTables({ directory, out, records: true })).toEqual(first);
    expect(existsSync(join(out, 'records'))).toBe(true);
  });

  it('stops with the reason of its signal, and continues', async () => {
    const { baseUrl } = await emulate({ records: 60 });
    const folder = temporaryDirectory();
    const options = { directory: join(folder, 'copy'), out: join(folder, 'tables') };
    await harvest(clientOf(baseUrl), { directory: options.directory });
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    await expect(exportTables({ ...options, signal })).rejects.toBe(reason);
    expect(existsSync(options.out)).toBe(false);
    const stop = new AbortController();
    const onProgress = () => stop.abort(reason);
    await expect(exportTables({ ...options, onProgress, signal: stop.signal })).rejects.toBe(
      reason,
    );
    expect(readdirSync(join(options.out, 'dois'))).toEqual([]);
    expect(await exportTables(options)).toMatchObject({ batches: 1 });
  });

  it('names properties in errors, and tells of records that the copy lacks', async () => {
    const { run } = await emulate({ records: 60, faults: ['poison-cursor:7:0'] });
    const folder = temporaryDirectory();
    const [directory = '', other = '', out = ''] = ['copy', 'other', 'tables'].map((name) =>
      join(folder, name),
    );
    const options = { directory, out };
    expect((await run(['dois', 'harvest', '--dir', directory])).code).toBe(3);
    await expect(exportTables(options)).rejects.toMatchObject({
      kind: 'incomplete',
      message: /^the tables lack what the copy lacks: 2 records/,
    });
    expect(existsSync(join(out, '_export.json'))).toBe(true);
    await run(['dois', 'harvest', '--dir', other, '--state', 'findable']);
    await expect(exportTables({ directory: other, out })).rejects.toMatchObject({
      kind: 'usage',
      hint: 'name another directory for out',
    });
  });
});
