import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Client, harvest as harvestByLibrary } from '../../../src/core/index.ts';
import {
  fingerprintOf,
  type HarvestQuery,
  type LedgerData,
} from '../../../src/harvest/store/ledger-data.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import {
  all,
  COMPLETE,
  harvest,
  latest,
  ledgerIn,
  linesIn,
  newDirectory,
  PLAIN,
  send,
} from '../copy-on-disk.ts';

const FILTERS = ['--state', 'findable'];
const NAMES = ['--filter', 'affiliation=false', '--filter', 'publisher=false'];
const OBJECTS = [
  ['affiliation', 'true'],
  ['publisher', 'true'],
];

/** What a version wrote that asked for objects on request only: no parameter asks for names. */
function withoutNames<T extends { query: HarvestQuery; fingerprint?: string }>(data: T): T {
  const params = data.query.params.filter(([, value]) => value !== 'false');
  const query = { ...data.query, params };
  return { ...data, query, ...('fingerprint' in data && { fingerprint: fingerprintOf(query) }) };
}

/** Makes a copy that was begun with names one of an earlier version. */
function asOfEarlierVersion(dir: string): void {
  const folder = join(dir, '_harvest');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of files.filter((one) => /(?:ledger|plan|receipt-\w+)\.json$/.test(one))) {
    const path = join(folder, name);
    writeFileSync(
      path,
      `${JSON.stringify(withoutNames(JSON.parse(readFileSync(path, 'utf8'))))}\n`,
    );
  }
}

async function ok({ run }: TestEmulator, argv: readonly string[]): Promise<string> {
  const { code, stderr } = await run(argv);
  expect(code, stderr).toBe(0);
  return stderr;
}

/** A copy of an earlier version. */
async function earlierCopy(
  emulator: TestEmulator,
  names: readonly string[] = NAMES,
): Promise<string> {
  const dir = newDirectory();
  await ok(emulator, harvest(dir, ...PLAIN, ...FILTERS, ...names));
  asOfEarlierVersion(dir);
  return dir;
}

/** The forms that the requests of a run ask for: `affiliation=true publisher=-`. */
async function formsOf(emulator: TestEmulator, argv: readonly string[]): Promise<string[]> {
  const before = (await emulator.log()).length;
  await ok(emulator, argv);
  const forms = (await emulator.log()).slice(before).flatMap(({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    const form = ['affiliation', 'publisher'].map(
      (name) => `${name}=${searchParams.get(name) ?? '-'}`,
    );
    // An answer without records may also be asked for to find the account.
    return pathname !== '/dois' || !searchParams.has('state') ? [] : [form.join(' ')];
  });
  return [...new Set(forms)];
}

const isName = (line: string) => typeof JSON.parse(line).attributes.publisher === 'string';

describe('a copy that was begun with names', () => {
  it.each([[[]], [FILTERS]])(
    'keeps them when it is continued with %j, and asks for them',
    async (typed) => {
      const emulator = await emulate({ records: 150 });
      const dir = await earlierCopy(emulator);
      const { query, fingerprint } = ledgerIn(dir);
      expect(query.params).toEqual([
        ['state', 'findable'],
        ['disable-facets', 'true'],
      ]);
      for (const doi of ['10.5072/new', '10.5072/newer']) {
        expect(await send(emulator, 'PUT', doi, COMPLETE)).toBe(201);
        expect(await formsOf(emulator, harvest(dir, ...typed))).toEqual([
          'affiliation=false publisher=false',
        ]);
      }
      expect(ledgerIn(dir)).toMatchObject({ fingerprint, query });
      expect(latest(dir)).toEqual(await all(emulator, ...FILTERS, ...NAMES));
      expect(latest(dir).every(isName)).toBe(true);
      for (const verb of ['verify', 'compact', 'status']) {
        await ok(emulator, ['dois', 'harvest', verb, '--dir', dir]);
      }
      expect(await formsOf(emulator, harvest(dir, ...typed))).toEqual([
        'affiliation=false publisher=false',
      ]);
    },
  );

  it('says what it keeps at an export', async () => {
    const emulator = await emulate({ records: 60 });
    const dir = await earlierCopy(emulator);
    expect(await ok(emulator, harvest(dir, ...FILTERS))).not.toContain('warning');
    const tables = ['dois', 'harvest', 'export', '--dir', dir, '--out', temporaryDirectory()];
    expect((await ok(emulator, tables)).match(/^warning.*$/gm)).toEqual([
      'warning: this copy holds affiliations as names: creators.ror is empty; a new copy has it',
      'warning: this copy holds publishers as names: publisher_ror is empty; a new copy has it',
    ]);
  });

  it('is another one than where objects are asked for by name', async () => {
    const emulator = await emulate({ records: 60 });
    const dir = await earlierCopy(emulator);
    const { code, stderr } = await emulator.run(
      harvest(dir, ...FILTERS, '--filter', 'affiliation=true'),
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/another query \(affiliation: none there, true here\)/),
    ]);
  });

  it.each([[[]], [FILTERS]])('becomes one of objects with --fresh and %j', async (typed) => {
    const emulator = await emulate({ records: 150 });
    const dir = await earlierCopy(emulator);
    const fresh = harvest(dir, ...typed, '--fresh', '--yes');
    expect(await formsOf(emulator, fresh)).toEqual(['affiliation=true publisher=true']);
    expect(ledgerIn(dir).query.params).toEqual(
      expect.arrayContaining([['state', 'findable'], ...OBJECTS]),
    );
    expect(linesIn(dir)).toEqual(await all(emulator, ...FILTERS));
    expect(linesIn(dir).some(isName)).toBe(false);
    expect(await formsOf(emulator, harvest(dir, ...FILTERS))).toEqual([
      'affiliation=true publisher=true',
    ]);
  });

  it('keeps objects for affiliations alone', async () => {
    const emulator = await emulate({ records: 150 });
    const dir = await earlierCopy(emulator, ['--filter', 'publisher=false']);
    for (const typed of [[], FILTERS]) {
      await send(emulator, 'PUT', '10.5072/new', COMPLETE);
      expect(await formsOf(emulator, harvest(dir, ...typed))).toEqual([
        'affiliation=true publisher=false',
      ]);
    }
    expect(latest(dir)).toEqual(await all(emulator, ...FILTERS, '--filter', 'publisher=false'));
  });

  it('is continued where it was stopped', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = newDirectory();
    await emulator.control('faults', { faults: ['500@8+'] });
    const first = harvest(dir, ...PLAIN, ...FILTERS, ...NAMES, '--retries', '0');
    expect((await emulator.run(first)).code).not.toBe(0);
    await emulator.control('faults', { faults: [] });
    expect(ledgerIn(dir).generations[0]?.windows.some(({ done }) => !done)).toBe(true);
    asOfEarlierVersion(dir);
    expect(await formsOf(emulator, harvest(dir, ...FILTERS))).toEqual([
      'affiliation=false publisher=false',
    ]);
    expect(linesIn(dir)).toEqual(await all(emulator, ...FILTERS, ...NAMES));
  });

  it('is shared out by its plan, which stays when a shard starts over', async () => {
    const emulator = await emulate({ records: 150 });
    const dir = newDirectory();
    await ok(emulator, harvest(dir, ...PLAIN, ...FILTERS, ...NAMES, '--plan'));
    asOfEarlierVersion(dir);
    const shard = (index: number, ...more: string[]) =>
      formsOf(emulator, harvest(dir, ...FILTERS, '--shard', `${index}/2`, ...more));
    const asBegun = ['affiliation=false publisher=false'];
    expect([await shard(1), await shard(2), await shard(2, '--fresh', '--yes')]).toEqual([
      asBegun,
      asBegun,
      asBegun,
    ]);
    expect(latest(dir)).toEqual(await all(emulator, ...FILTERS, ...NAMES));
    // Another plan is one of objects.
    const other = newDirectory();
    await ok(emulator, harvest(other, ...FILTERS, ...NAMES, '--plan'));
    asOfEarlierVersion(other);
    await ok(emulator, harvest(other, ...FILTERS, '--plan', '--fresh', '--yes'));
    const plan = readFileSync(join(other, '_harvest', 'plan.json'), 'utf8');
    expect((JSON.parse(plan) as LedgerData).query.params).toEqual(expect.arrayContaining(OBJECTS));
  });

  it('keeps them in the library', async () => {
    const emulator = await emulate({ records: 150 });
    const dir = await earlierCopy(emulator);
    const before = (await emulator.log()).length;
    await send(emulator, 'PUT', '10.5072/new', COMPLETE);
    await using client = new Client({
      baseUrl: emulator.baseUrl,
      credentials: { repository: REPOSITORY, password: PASSWORD },
      rate: { requests: 100_000, windowMs: 1000 },
    });
    const query = { state: 'findable' };
    await harvestByLibrary(client, { directory: dir, query });
    await harvestByLibrary(client, { directory: dir });
    const asked = (await emulator.log()).slice(before);
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.filter(({ path }) => /(affiliation|publisher)=true/.test(path))).toEqual([]);
    expect(latest(dir)).toEqual(await all(emulator, ...FILTERS, ...NAMES));
    for (const fresh of [{ query }, {}]) {
      await harvestByLibrary(client, { directory: dir, ...fresh, fresh: true });
      expect(latest(dir)).toEqual(await all(emulator, ...FILTERS));
      asOfEarlierVersion(dir);
    }
  });
});

describe('a new copy', () => {
  it('has objects, and keeps the names of a filter without it', async () => {
    const emulator = await emulate({ records: 150 });
    const dir = newDirectory();
    expect(await formsOf(emulator, harvest(dir, ...FILTERS))).toEqual([
      'affiliation=true publisher=true',
    ]);
    expect(linesIn(dir)).toEqual(await all(emulator, ...FILTERS));
    const names = newDirectory();
    for (const typed of [[...FILTERS, ...NAMES], FILTERS, []]) {
      expect(await formsOf(emulator, harvest(names, ...typed))).toEqual([
        'affiliation=false publisher=false',
      ]);
    }
    expect(existsSync(join(names, '_harvest', 'receipt-g0003.json'))).toBe(true);
    expect(latest(names)).toEqual(await all(emulator, ...FILTERS, ...NAMES));
  });
});
