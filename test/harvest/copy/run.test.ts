import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../../src/errors.ts';
import { partName } from '../../../src/harvest/store/directory.ts';
import { shellWord } from '../../../src/text/shell-word.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import {
  ledgerIn,
  linesIn,
  newDirectory,
  partsIn,
  receiptIn,
  sortedLines,
} from '../copy-on-disk.ts';

const RECORDS = 320;
const PAGE = 8;
// Several windows, and several pages in each.
const PAGES = ['--page-size', String(PAGE), '--jobs', '3'];

function harvest(emulator: TestEmulator, dir: string, ...more: readonly string[]) {
  return emulator.run(['dois', 'harvest', '--dir', dir, ...PAGES, ...more]);
}

async function list({ run }: TestEmulator, ...filters: readonly string[]): Promise<string[]> {
  const { code, stdout } = await run(['dois', 'list', '--all', ...filters]);
  expect(code).toBe(0);
  return sortedLines(stdout);
}

/** The sizes of the requested pages of records, in order. */
async function sizesAsked({ log }: TestEmulator): Promise<number[]> {
  return (await log())
    .map(({ path }) => Number(new URL(path, 'http://x').searchParams.get('page[size]')))
    .filter((size) => size > 0);
}

describe('dois harvest', () => {
  it.each([
    ['plain', [], /^g0001-w000\d\d\.ndjson$/],
    ['gzip', ['--gzip'], /^g0001-w000\d\d\.ndjson\.gz$/],
  ])('brings what a list prints, byte for byte (%s)', async (_, flags, name) => {
    const emulator = await emulate({ records: RECORDS });
    const dir = newDirectory();
    const { code, stdout, stderr } = await harvest(emulator, dir, ...flags);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^320 DOIs in \d+ s; complete$/m);
    expect(linesIn(dir)).toEqual(await list(emulator));
    const parts = partsIn(dir);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(name);
    const receipt = receiptIn(dir);
    expect(receipt).toMatchObject({
      verdict: 'complete',
      reasons: [],
      query: { baseUrl: `${emulator.baseUrl}/`, account: 'demo.repo' },
      ...{
        records: RECORDS,
        uniqueDois: RECORDS,
        totalAtStart: RECORDS,
        totalAtEnd: RECORDS,
        gaps: [],
      },
    });
    for (const { name: file, sha256, bytes } of receipt.parts) {
      const content = readFileSync(join(dir, 'data', file));
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([
        bytes,
        sha256,
      ]);
    }
  });

  it('keeps to its filters, and to its query', async () => {
    const emulator = await emulate({ records: RECORDS });
    const filters = ['--provider-id', 'cern', '--query', 'aasm_state:findable'];
    const dir = newDirectory();
    expect(await harvest(emulator, dir, ...filters)).toMatchObject({ code: 0 });
    const expected = await list(emulator, ...filters);
    expect(expected.length).toBeGreaterThan(40);
    expect(linesIn(dir)).toEqual(expected);
  });

  it('has an end where nothing matches', async () => {
    const emulator = await emulate({ records: RECORDS });
    const dir = newDirectory();
    expect(await harvest(emulator, dir, '--prefix', '10.99999')).toMatchObject({ code: 0 });
    expect(partsIn(dir)).toEqual([]);
    expect(receiptIn(dir)).toMatchObject({ verdict: 'complete', records: 0 });
  });

  it('asks for every page once, and for little else', async () => {
    const emulator = await emulate({ records: RECORDS });
    await harvest(emulator, newDirectory());
    const { length } = await sizesAsked(emulator);
    // The last page of a window is not full, and a window may be empty.
    expect(length).toBeGreaterThanOrEqual(RECORDS / PAGE);
    expect(length).toBeLessThanOrEqual(1.15 * (RECORDS / PAGE) + 16);
    expect((await emulator.log()).length - length).toBeLessThan(60);
  });
});

describe('a harvest that was interrupted', () => {
  it.each([
    ['plain', []],
    ['gzip', ['--gzip']],
  ])('goes on where it was (%s)', async (_, flags) => {
    const emulator = await emulate({ records: RECORDS, latencyMs: 15 });
    const dir = newDirectory();
    const stop = new AbortController();
    const timer = setInterval(async () => {
      if ((await sizesAsked(emulator)).length > 20) stop.abort(stopReason('SIGTERM'));
    }, 20);
    const argv = ['dois', 'harvest', '--dir', dir, ...PAGES, ...flags];
    expect(await emulator.run(argv, { signal: stop.signal })).toMatchObject({ code: 143 });
    clearInterval(timer);
    const had =
      ledgerIn(dir).generations[0]?.windows.reduce((sum, { records }) => sum + records, 0) ?? 0;
    expect(had).toBeGreaterThan(0);
    expect(had).toBeLessThan(RECORDS);
    expect(await emulator.run(['dois', 'harvest', 'status', '--dir', dir])).toMatchObject({
      code: 3,
    });
    const before = (await sizesAsked(emulator)).length;

    expect(await harvest(emulator, dir)).toMatchObject({ code: 0 });
    expect(linesIn(dir)).toEqual(await list(emulator));
    const pages = (await sizesAsked(emulator)).length - before - Math.ceil(RECORDS / 1000);
    expect(pages).toBeLessThanOrEqual((RECORDS - had) / PAGE + 20);
  });

  it('fetches a window again whose file is missing or too short', async () => {
    const emulator = await emulate({ records: RECORDS });
    const dir = newDirectory();
    // One job alone would make one window.
    expect(await harvest(emulator, dir, '--plan')).toMatchObject({ code: 0 });
    await emulator.control('faults', { faults: ['anonymous@30'] });
    expect(await harvest(emulator, dir, '--jobs', '1')).toMatchObject({ code: 4 });
    const done = ledgerIn(dir).generations[0]?.windows.filter((window) => window.done) ?? [];
    const [first = '', second = ''] = done.map(({ index }) =>
      partName({ generation: 1, window: index, gzip: false }),
    );
    expect(second).not.toBe('');
    rmSync(join(dir, 'data', first));
    truncateSync(join(dir, 'data', second), 1000);
    expect(await harvest(emulator, dir)).toMatchObject({ code: 0 });
    expect(linesIn(dir)).toEqual(await list(emulator));
  });
});

describe('a directory', () => {
  it('is not continued with another query, base URL or account', async () => {
    const emulator = await emulate({
      accounts: [
        { id: 'DEMO.REPO', password: 'correct horse' },
        { id: 'DEMO.OTHER', password: 'battery staple' },
      ],
    });
    const other = await emulate();
    const dir = newDirectory();
    expect(await harvest(emulator, dir, '--prefix', '10.5072')).toMatchObject({ code: 0 });
    const before = readFileSync(join(dir, '_harvest', 'ledger.json'));
    const refused = { code: 2, stderr: /holds the harvest of another query .*10\.5072/ };
    const argv = ['dois', 'harvest', '--dir', dir, '--prefix', '10.5072'];
    expect(await harvest(emulator, dir, '--prefix', '10.5072', '--state', 'draft')).toMatchObject(
      refused,
    );
    expect(await harvest(other, dir, '--prefix', '10.5072')).toMatchObject(refused);
    const login =
      /holds a harvest of \S+, and not of .*\nhint: doi-cli auth login --repository \S+\n/;
    const foreign = { code: 2, stderr: expect.stringMatching(login) };
    expect(await emulator.anonymous(argv)).toMatchObject(foreign);
    const env = { DOI_CLI_REPOSITORY: 'DEMO.OTHER', DOI_CLI_PASSWORD: 'battery staple' };
    expect(await emulator.run(argv, { env })).toMatchObject(foreign);
    expect(readFileSync(join(dir, '_harvest', 'ledger.json'))).toEqual(before);
    expect(await emulator.run(argv)).toMatchObject({ code: 0 });
  });

  it('keeps to gzip or to none', async () => {
    const emulator = await emulate();
    const dir = newDirectory();
    await harvest(emulator, dir);
    expect(await harvest(emulator, dir, '--gzip')).toMatchObject({
      code: 2,
      stderr: /holds files without gzip/,
    });
    const zipped = newDirectory();
    await harvest(emulator, zipped, '--gzip');
    // The first choice stays.
    expect(await harvest(emulator, zipped)).toMatchObject({ code: 0 });
    expect(ledgerIn(zipped).gzip).toBe(true);
  });

  it('starts over with --fresh, when that has been confirmed', async () => {
    const emulator = await emulate({ records: RECORDS });
    const dir = newDirectory();
    await harvest(emulator, dir);
    await harvest(emulator, dir);
    const before = linesIn(dir);
    const argv = ['--fresh', '--gzip', '--prefix', '10.5072'];
    expect(await harvest(emulator, dir, ...argv)).toMatchObject({
      code: 2,
      stderr: /--fresh would remove .*\nhint: add --yes/,
    });
    expect(linesIn(dir)).toEqual(before);
    const ledger = join(dir, '_harvest', 'ledger.json');
    const books = readFileSync(ledger);
    writeFileSync(ledger, 'damaged');
    expect(await harvest(emulator, dir, ...argv)).toMatchObject({ code: 2 });
    expect(linesIn(dir)).toEqual(before);
    writeFileSync(ledger, books);
    const terminal = { stdin: true, stderr: true };
    const asked = ['dois', 'harvest', '--dir', dir, ...PAGES, ...argv];
    expect(await emulator.run(asked, { terminal, stdin: 'n\n' })).toMatchObject({ code: 1 });
    expect(linesIn(dir)).toEqual(before);

    expect(await harvest(emulator, dir, ...argv, '--yes')).toMatchObject({ code: 0 });
    expect(linesIn(dir)).toEqual(await list(emulator, '--prefix', '10.5072'));
    expect(ledgerIn(dir).generations).toHaveLength(1);
    expect(() => receiptIn(dir, 2)).toThrow('ENOENT');
    // An empty directory needs no confirmation.
    expect(await harvest(emulator, newDirectory(), '--fresh')).toMatchObject({ code: 0 });
  });

  it('is for one process at a time', async () => {
    const emulator = await emulate({ records: RECORDS, latencyMs: 60 });
    const dir = newDirectory();
    const first = harvest(emulator, dir);
    await expect.poll(() => existsSync(join(dir, '_harvest', 'lock'))).toBe(true);
    expect(await harvest(emulator, dir)).toMatchObject({
      code: 2,
      stderr: new RegExp(`in use by process ${process.pid} on .+, running since 20`),
    });
    expect(await first).toMatchObject({ code: 0 });
    expect(await harvest(emulator, dir)).toMatchObject({ code: 0 });
  });

  it('is named', async () => {
    const emulator = await emulate();
    expect(await emulator.run(['dois', 'harvest'])).toMatchObject({ code: 2, stderr: /--dir/ });
    expect(
      await emulator.run(['dois', 'harvest', 'status', '--dir', newDirectory()]),
    ).toMatchObject({
      code: 2,
      stderr: /there is no harvest in \S+\nhint: name the directory of a copy\n/,
    });
  });
});

describe('a harvest of a complete directory', () => {
  it('brings what is new, and nothing when nothing is', async () => {
    const emulator = await emulate({ records: RECORDS });
    const dir = newDirectory();
    await harvest(emulator, dir);
    const before = linesIn(dir);
    for (const doi of ['10.5072/new-1', '10.5072/new-2']) {
      const created = await emulator.run(['dois', 'create', '--file', '-'], {
        stdin: JSON.stringify({ doi }),
      });
      expect(created.code).toBe(0);
    }
    // The service's times are whole seconds, and an update counts from before its first answer was
    // made.
    await emulator.control('clock', { advanceMs: 2200 });
    const now = () => Date.now() + 2200;
    const update = await emulator.run(['dois', 'harvest', '--dir', dir, ...PAGES], { now });
    expect(update).toMatchObject({
      code: 0,
      stderr: /^generation 2: 2 new or updated DOIs in \d+ s; complete$/m,
    });
    expect(partsIn(dir).filter((name) => name.startsWith('g0002'))).toHaveLength(1);
    expect(linesIn(dir)).toEqual(await list(emulator));
    expect(linesIn(dir)).toHaveLength(before.length + 2);
    expect(receiptIn(dir, 2)).toMatchObject({
      verdict: 'complete',
      kind: 'update',
      records: 2,
      generation: 2,
    });

    await emulator.control('clock', { advanceMs: 60_000 });
    const ahead = await harvest(emulator, dir, '--overlap', '0s');
    expect(ahead).toMatchObject({ code: 0, stderr: /^generation 3: 0 new or updated/m });
    expect(linesIn(dir)).toHaveLength(before.length + 2);
    expect(await emulator.run(['dois', 'harvest', 'status', '--dir', dir])).toMatchObject({
      code: 0,
    });
  });
});

describe('dois harvest status', () => {
  it('prints the receipts, and succeeds only when everything is there', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = newDirectory();
    await harvest(emulator, dir);
    const argv = ['dois', 'harvest', 'status', '--dir', dir];
    const json = await emulator.run([...argv, '--format', 'json']);
    expect(json).toMatchObject({ code: 0, stderr: '' });
    const { verdict, receipts } = JSON.parse(json.stdout) as {
      verdict: string;
      receipts: unknown[];
    };
    expect(verdict).toBe('complete');
    expect(receipts).toEqual([receiptIn(dir)]);
    const text = await emulator.run(argv);
    expect(text.code).toBe(0);
    // Sizes do not tell that a byte is another one.
    expect(text.stderr).toMatch(
      /^the sizes of all files are right; .*doi-cli dois harvest status --dir \S+ --check\n$/,
    );
    const read = await emulator.run([...argv, '--check']);
    expect([read.code, read.stderr]).toEqual([0, '']);
    expect(text.stdout).toMatch(/^Verdict +complete\n/m);
    expect(text.stdout).toMatch(/^Records +300\n/m);
    expect(text.stdout).toMatch(/^Query +all DOIs\n/m);
    expect(text.stdout).toMatch(/^Finished +\d{4}-\S+Z\n/m);
    const shown = await emulator.run(argv, {
      terminal: { stdout: true, columns: 40 },
      now: () => Date.now() + 3.5 * 86_400_000,
    });
    expect(shown.stdout).toMatch(/^Finished +3 days ago\n/m);
    expect(shown.stdout).toMatch(/^ {12}300 at its end\n/m);
  });

  it('prints the query as its options are typed', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = newDirectory();
    await harvest(emulator, dir, '--query', 'titles.title:of the', '--detail');
    const { stdout } = await emulator.run(['dois', 'harvest', 'status', '--dir', dir]);
    const query = shellWord('titles.title:of the');
    expect(stdout).toMatch(new RegExp(`^Query +--query ${query} --detail\n`, 'm'));
  });

  it('says what is missing of an incomplete one, as JSON too', async () => {
    const emulator = await emulate({ records: 300, faults: ['lose'] });
    const dir = newDirectory();
    expect(await harvest(emulator, dir)).toMatchObject({ code: 3 });
    const status = ['dois', 'harvest', 'status', '--dir', dir];
    expect(await emulator.run(status)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`hint: doi-cli dois harvest --dir ${dir}`),
    });
    const json = await emulator.run([...status, '--format', 'json']);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: 'incomplete',
      receipts: [
        {
          verdict: 'incomplete',
          reasons: expect.arrayContaining([expect.stringContaining('counts 300')]),
        },
      ],
    });
  });
});
