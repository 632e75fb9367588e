import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { localDatafile } from '../../../src/datafile/local-files.ts';
import { stopReason } from '../../../src/errors.ts';
import type { HarvestRun } from '../../../src/harvest/copy/generation.ts';
import { planFromDatafile, takeDatafile } from '../../../src/harvest/copy/take-datafile.ts';
import { harvestPaths, makeFolders } from '../../../src/harvest/store/directory.ts';
import { Ledger } from '../../../src/harvest/store/ledger.ts';
import type { Generation } from '../../../src/harvest/store/ledger-data.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import {
  COMPLETE,
  harvest,
  latest,
  ledgerIn,
  linesIn,
  newDirectory,
  partsIn,
  receiptIn,
  send,
} from '../copy-on-disk.ts';

const FINDABLE = ['--state', 'findable'];

async function downloaded(emulator: TestEmulator, ...more: string[]): Promise<string> {
  const dir = temporaryDirectory();
  const { code, stderr } = await emulator.run(['datafile', 'download', '--dir', dir, ...more]);
  expect(code, stderr).toBe(0);
  return dir;
}

/** A data file of these records, given as lines by file, with a manifest unless it is left out. */
function datafileOf(files: Readonly<Record<string, readonly string[]>>, manifest = true): string {
  const dir = temporaryDirectory();
  const listed = Object.entries(files).map(([name, lines]) => {
    const body = gzipSync(lines.map((line) => `${line}\n`).join(''));
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), body);
    return {
      filename: name,
      size: body.length,
      sha256: createHash('sha256').update(body).digest('base64'),
    };
  });
  if (manifest) writeFileSync(join(dir, 'MANIFEST.json'), JSON.stringify(listed));
  return dir;
}

const record = (doi: string, created: string, title = 'x') =>
  JSON.stringify({
    id: doi,
    type: 'dois',
    attributes: {
      doi,
      titles: [{ title }],
      state: 'findable',
      created,
      updated: '2024-02-01T00:00:00Z',
    },
    relationships: {},
  });

const idsOf = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line) as { id: string }).id).sort();

async function listed(emulator: TestEmulator): Promise<string[]> {
  const { code, stdout } = await emulator.anonymous(['dois', 'list', '--all', ...FINDABLE]);
  expect(code).toBe(0);
  return stdout.split('\n').slice(0, -1);
}

describe('a copy that begins with a data file', () => {
  it.each([
    ['anonymous', []],
    ['run', ['--gzip', '--detail']],
  ] as const)(
    'is updated, compared, verified and compacted like any other (%s %j)',
    async (as, more) => {
      const emulator = await emulate({ records: 120 });
      await send(emulator, 'PUT', '10.5072/hidden-later', COMPLETE);
      const from = await downloaded(emulator);
      const before = (await emulator.log()).length;
      await send(emulator, 'PUT', '10.5072/new', COMPLETE);
      await send(emulator, 'PUT', '10.5072/hidden-later', { event: 'hide' });
      const dir = newDirectory();
      const run = (...argv: readonly string[]) => emulator[as](argv);
      const first = await run(...harvest(dir, '--from', from, ...more));
      expect(first.code, first.stderr).toBe(0);
      expect(first.stderr).toMatch(/^\d+ DOIs from the data file of \d{4}-\d{2}$/m);
      expect(first.stderr).toMatch(
        /^the service counts \d+ DOIs, and this copy \d+: no window lacks any/m,
      );
      expect(first.stderr).toMatch(/generation 2: \d+ new or updated DOIs? in .*; complete/);
      // No page but those of the update.
      const pages = (await emulator.log())
        .slice(before)
        .filter(({ path }) => /cursor%5D=/.test(path));
      expect(
        pages.every(({ path }) =>
          new URLSearchParams(path.split('?')[1]).get('query')?.includes('updated:['),
        ),
      ).toBe(true);
      expect(receiptIn(dir)).toMatchObject({ kind: 'datafile', verdict: 'complete', reasons: [] });
      expect(receiptIn(dir).asOf).toMatch(/-(28|29|30|31)T00:00:00.000Z$/);

      const there = await listed(emulator);
      expect(idsOf(latest(dir)).filter((id) => id !== '10.5072/hidden-later')).toEqual(
        idsOf(there),
      );
      const verified = await run(...harvest(dir).toSpliced(2, 0, 'verify'));
      expect([verified.code, verified.stdout]).toEqual([3, 'surplus 10.5072/hidden-later\n']);
      expect(await run('dois', 'harvest', 'status', '--dir', dir, '--check')).toMatchObject({
        code: 0,
      });
      const stats = await run('dois', 'stats', '--dir', dir, '--format', 'json');
      expect(JSON.parse(stats.stdout)).toMatchObject({ total: there.length + 1 });
      expect(await run('dois', 'harvest', 'compact', '--dir', dir)).toMatchObject({ code: 0 });

      // The directory knows its query, and needs the data file no more.
      rmSync(from, { recursive: true });
      await send(emulator, 'PUT', '10.5072/newer', COMPLETE);
      for (const options of [[], ['--from', from]]) {
        const again = await run(...harvest(dir, ...options));
        expect(again.code, again.stderr).toBe(0);
      }
      expect(idsOf(latest(dir))).toContain('10.5072/newer');
    },
  );

  it('gets from the service what the data file lacks', async () => {
    const emulator = await emulate({ records: 120 });
    const from = await downloaded(emulator);
    const manifest = JSON.parse(readFileSync(join(from, 'MANIFEST.json'), 'utf8')) as {
      filename: string;
    }[];
    const lost = manifest.find(({ filename }) => filename.includes('part_'))?.filename ?? '';
    rmSync(join(from, lost));
    rmSync(join(from, 'MANIFEST.json'));
    const dir = newDirectory();
    const { code, stderr } = await emulator.anonymous(harvest(dir, '--from', from));
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/, and this copy lacks some: fetching 1 window again$/m);
    expect(idsOf(latest(dir))).toEqual(idsOf(await listed(emulator)));
  });

  it('replaces another copy with --fresh, and prints how to continue after a stop', async () => {
    const emulator = await emulate({ records: 100 });
    const from = await downloaded(emulator);
    const dir = newDirectory();
    expect(await emulator.anonymous(harvest(dir, '--prefix', '10.5072'))).toMatchObject({
      code: 0,
    });
    expect((await emulator.anonymous(harvest(dir, '--from', from))).stderr).toContain(
      '--from is not read',
    );
    const stop = new AbortController();
    const signal = stop.signal;
    let calls = 0;
    const now = () => {
      calls += 1;
      if (
        existsSync(join(dir, '_harvest', 'ledger.json')) &&
        ledgerIn(dir).generations[0]?.datafile !== undefined
      )
        stop.abort(stopReason('SIGINT'));
      return Date.now();
    };
    const fresh = harvest(dir, '--fresh', '--yes', '--from', from);
    const stopped = await emulator.anonymous(fresh, { signal, now });
    expect(calls).toBeGreaterThan(0);
    expect(stopped.code, stopped.stderr).toBe(130);
    expect(stopped.stderr).toMatch(/: doi-cli dois harvest --dir \S+ --from \S+/);
    expect(await emulator.anonymous(harvest(dir, '--from', from))).toMatchObject({ code: 0 });
    expect(ledgerIn(dir).query.params).toContainEqual(['state', 'findable']);
    expect(idsOf(latest(dir))).toEqual(idsOf(await listed(emulator)));
  });

  it('keeps the last line of a DOI, skips lines without a time, takes empty files', async () => {
    const emulator = await emulate({ records: 0 });
    const from = datafileOf({
      'dois/updated_2024-01/part_0000.jsonl.gz': [
        record('10.1/a', '2015-01-01T00:00:00Z', 'old'),
        record('10.1/b', '2015-01-01T00:00:00Z'),
        record('10.1/c', 'yesterday'),
      ],
      'dois/updated_2024-01/part_0001.jsonl.gz': [],
      'dois/updated_2024-02/part_0000.jsonl.gz': [record('10.1/a', '2015-01-01T00:00:00Z', 'new')],
    });
    const dir = newDirectory();
    const { stderr, code } = await emulator.anonymous(harvest(dir, '--from', from));
    expect(stderr).toContain('left to the service: 1 line without a time of creation');
    expect(stderr).toContain('2 DOIs from the data file of 2024-02');
    expect(stderr).toContain('the service counts 0 DOIs, and this copy 2');
    expect(code).toBe(0);
    expect(linesIn(dir)).toEqual([
      record('10.1/a', '2015-01-01T00:00:00Z', 'new'),
      record('10.1/b', '2015-01-01T00:00:00Z'),
    ]);
    // Without STATUS.json it was begun in its latest month at the earliest; the update looks back
    // an hour more.
    expect(ledgerIn(dir).generations[1]?.since).toBe('2024-01-30T23:00:00.000Z');
    expect(
      await emulator.anonymous(['dois', 'harvest', 'status', '--dir', dir, '--check']),
    ).toMatchObject({
      code: 0,
    });
  });

  it.each([
    ['2023-2', '2023-03-02T10:00:00+00:00', '2023-02', '2023-02-28T00:00:00.000Z'],
    ['2023-02', undefined, '2023-02', '2023-02-28T00:00:00.000Z'],
    ['2023-1', '2023-01-30T12:00:00.000001+00:00', '2023-01', '2023-01-28T12:00:00.000Z'],
    ['soon', '2023-03-02T10:00:00+00:00', '2023-01', '2022-12-31T00:00:00.000Z'],
  ])(
    'of the month %s, finished %s, may lack changes (service.md, D7)',
    async (named, datetime, month, asOf) => {
      const dir = datafileOf({ 'dois/updated_2023-01/part_0000.jsonl.gz': [] });
      writeFileSync(
        join(dir, 'STATUS.json'),
        JSON.stringify({ month: named, datetime, status: 'Complete' }),
      );
      expect(await localDatafile(dir)).toMatchObject({ month, asOf });
    },
  );

  it('is refused with a line that no record fills', async () => {
    const from = datafileOf({ 'dois/updated_2023-01/part_0000.jsonl.gz': [] }, false);
    const packed = gzipSync(Buffer.concat([Buffer.from('{"id":"'), Buffer.alloc(65 << 20, 'a')]));
    writeFileSync(join(from, 'dois/updated_2023-01/part_0000.jsonl.gz'), packed);
    const { anonymous } = await emulate();
    const { code, stderr } = await anonymous(harvest(newDirectory(), '--from', from));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/part_0000.*:1 is longer than/)]);
    expect(stderr).toContain('hint: download the data file again');
  });

  it('goes on where it was stopped, and has each record once', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 120 }, (_, file) => [
        `dois/updated_2024-01/part_${String(file).padStart(4, '0')}.jsonl.gz`,
        [1, 2, 3].map((line) =>
          record(`10.1/${file}-${line}`, `20${10 + ((file * line) % 14)}-01-01T00:00:00Z`),
        ),
      ]),
    );
    const source = await localDatafile(datafileOf(files));
    const all = Object.values(files).flat().sort();
    for (const stops of [[], [49, 30], [51, 1], [120]]) {
      const dir = newDirectory();
      const paths = harvestPaths(dir, null);
      await makeFolders(paths);
      const query = { baseUrl: 'http://localhost/', params: [], account: null };
      let left = Number.POSITIVE_INFINITY;
      const host = {
        signal: new AbortController().signal,
        now: Date.now,
        note: () => undefined,
        progress() {
          left -= 1;
          if (left < 0) throw new Error('stopped');
        },
      };
      const run = { host, options: { dir, datafile: async () => source } } as unknown as HarvestRun;
      const generation = await planFromDatafile(run, source);
      const data = { version: 1 as const, fingerprint: '', query, shard: null, gzip: true };
      await Ledger.create(paths.ledger, { ...data, generations: [generation] });
      const go = async () => {
        const ledger = await Ledger.open(paths.ledger);
        if (ledger === undefined) throw new Error('no ledger');
        await takeDatafile(run, paths, ledger);
        return ledger.data.generations[0] as Generation;
      };
      for (const stop of stops) {
        left = stop - 1;
        await expect(go()).rejects.toThrow('stopped');
      }
      left = Number.POSITIVE_INFINITY;
      expect(await go()).toMatchObject({
        totalAtStart: 360,
        totalAtEnd: 360,
        finishedAt: expect.any(String),
      });
      expect(linesIn(dir)).toEqual(all);
    }
  });

  it('is refused with filters, with another data file, and with a wrong manifest', async () => {
    const emulator = await emulate({ records: 50 });
    const whole = await downloaded(emulator);
    const requests = (await emulator.log()).length;
    const refusal = async (from: string, ...more: string[]) => {
      const dir = join(newDirectory(), 'copy');
      const { code, stderr } = await emulator.anonymous(harvest(dir, '--from', from, ...more));
      expect([code, existsSync(dir)], stderr).toEqual([2, false]);
      return stderr;
    };
    expect(await refusal(whole, '--prefix', '10.5072', '--fields', 'doi')).toMatch(
      /--from takes no filters\nhint: leave out --prefix 10.5072 --fields doi\n/,
    );
    expect(await refusal(whole, '--mine')).toContain('leave out --mine');
    expect(await refusal(whole, '--plan')).toContain('--from');
    expect(await refusal(temporaryDirectory())).toMatch(
      /contains no data file\nhint: doi-cli datafile download --dir /,
    );
    expect(await refusal(join(whole, 'nowhere'))).toContain('cannot read');
    const manifest = JSON.parse(readFileSync(join(whole, 'MANIFEST.json'), 'utf8')) as {
      filename: string;
    }[];
    const [one, two] = manifest
      .map(({ filename }) => filename)
      .filter((name) => name.includes('part_'));
    const path = join(whole, one ?? '');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, -1));
    expect(await refusal(whole)).toMatch(/has \d+ bytes instead of \d+\n/);
    rmSync(path);
    expect(await refusal(whole)).toContain(`lacks ${one} of the data file`);
    writeFileSync(path, bytes.with(bytes.length - 12, 0));
    expect(await refusal(whole)).toMatch(
      /(other contents|not complete gzip)[^\n]*\nhint: download the data file again, with --check/,
    );
    writeFileSync(path, bytes);
    writeFileSync(join(dirname(path), 'part_0099.jsonl.gz'), readFileSync(join(whole, two ?? '')));
    expect(await refusal(whole)).toContain('belongs to another data file');
    rmSync(join(dirname(path), 'part_0099.jsonl.gz'));
    writeFileSync(join(whole, 'STATUS.json'), '{"month":"2026-02","status":"Uploading"}');
    expect(await refusal(whole)).toContain('is incomplete: its state is Uploading');
    writeFileSync(join(whole, 'STATUS.json'), '{');
    expect(await refusal(whole)).toContain('it is not JSON');
    expect((await emulator.log()).length).toBe(requests);

    // A copy that is begun with one goes on with the same.
    for (const name of ['STATUS.json', 'MANIFEST.json']) rmSync(join(whole, name));
    const dir = newDirectory();
    expect(await emulator.anonymous(harvest(dir, '--from', whole))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the data file has no MANIFEST.json'),
    });
    const ledger = ledgerIn(dir);
    const [generation] = ledger.generations;
    const begun = { ...generation, datafile: { id: 'other', files: 0 }, finishedAt: undefined };
    writeFileSync(
      join(dir, '_harvest', 'ledger.json'),
      JSON.stringify({ ...ledger, generations: [begun] }),
    );
    expect(await emulator.anonymous(harvest(dir, '--from', whole))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is begun with another data file'),
    });
    expect(await emulator.anonymous(harvest(dir))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'hint: add --from <its directory>, or start over with --fresh',
      ),
    });
    expect(partsIn(dir).length).toBeGreaterThan(0);
  });
});
