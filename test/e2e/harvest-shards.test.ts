import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { harvestPaths } from '../../src/harvest/store/directory.ts';
import type { LedgerData } from '../../src/harvest/store/ledger-data.ts';
import { emulate, type TestEmulator } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';

const RECORDS = 900;
/** A window has at least five pages. */
const SMALL_PAGES = ['--page-size', '8'];

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line: the built program, or in this process, which is faster. */
type Start = (
  argv: readonly string[],
  options: { env: Record<string, string> },
) => Promise<Outcome>;

interface Copy {
  readonly dir: string;
  run(flags: readonly string[]): Promise<Outcome>;
  status(): Promise<{ code: number | null; stderr: string; verdict: string; shards: unknown[] }>;
  ledger(shard: string | null): LedgerData;
  /** All lines of all part files, sorted. */
  lines(): string[];
}

/** A directory of this test. */
function copyOf({ env }: TestEmulator, start: Start = run): Copy {
  const dir = temporaryDirectory();
  const harvest = (argv: readonly string[]) =>
    start(['dois', 'harvest', ...argv, '--dir', dir], { env: { ...env } });
  const paths = (shard: string | null) => {
    const [index = 0, of = 0] = shard?.split('/').map(Number) ?? [];
    return harvestPaths(dir, shard === null ? null : { index, of });
  };
  return {
    dir,
    run: (flags) => harvest([...SMALL_PAGES, '--rate', '2000/1s', ...flags]),
    async status() {
      const { code, stdout, stderr } = await harvest(['status', '--format', 'json']);
      const { verdict, missingShards } = stdout === '' ? {} : JSON.parse(stdout);
      return { code, stderr, verdict, shards: missingShards };
    },
    ledger: (shard) => JSON.parse(readFileSync(paths(shard).ledger, 'utf8')),
    lines: () => {
      const { data } = paths(null);
      const names = readdirSync(data).filter((name) => name.endsWith('.ndjson'));
      return names.flatMap((name) => linesOf(readFileSync(join(data, name), 'utf8'))).sort();
    },
  };
}

const linesOf = (text: string) => text.split('\n').slice(0, -1);

async function listed({ run }: TestEmulator): Promise<string[]> {
  const { code, stdout } = await run(['dois', 'list', '--all']);
  expect(code).toBe(0);
  return linesOf(stdout).sort();
}

/** Compares long lists without printing megabytes where they differ. */
function expectSame(found: readonly string[], expected: readonly string[]): void {
  expect(found.length).toBe(expected.length);
  expect(found.findIndex((line, index) => line !== expected[index])).toBe(-1);
}

describe('the shards of a plan', () => {
  it('together hold what a list gives, each with its own metadata', async () => {
    const emulator = await emulate({ records: RECORDS });
    const copy = copyOf(emulator);
    const planned = await copy.run(['--plan']);
    expect(planned).toMatchObject({ code: 0, stderr: /planned [\d,]+ DOIs in \d\d windows/ });
    expect(await copy.status()).toMatchObject({ code: 3, stderr: /only a plan/ });

    const shards = ['1/3', '2/3', '3/3'];
    const runs = await Promise.all(
      shards.map((shard) => copy.run(['--shard', shard, '--jobs', '2'])),
    );
    expect(runs.map(({ code, stderr }) => [code, stderr.includes('; complete')])).toEqual(
      shards.map(() => [0, true]),
    );
    expectSame(copy.lines(), await listed(emulator));

    const ledgers = shards.map((shard) => copy.ledger(shard));
    const indices = ledgers.flatMap(({ generations }) =>
      generations[0]?.windows.map(({ index }) => index),
    );
    expect(indices.length).toBeGreaterThan(15);
    expect(new Set(indices).size).toBe(indices.length);
    for (const [index, { shard }] of ledgers.entries())
      expect(shard).toEqual({ index: index + 1, of: 3 });
    for (const index of [1, 2, 3]) {
      const { folder, lock, receipt } = harvestPaths(copy.dir, { index, of: 3 });
      expect([existsSync(lock), existsSync(receipt(1))], folder).toEqual([false, true]);
    }
    expect(await copy.status()).toMatchObject({ code: 0, verdict: 'complete', shards: [] });
  });

  it('may be more than there are windows', async () => {
    const emulator = await emulate({ records: 50 });
    const copy = copyOf(emulator);
    await copy.run(['--plan']);
    for (const shard of ['1/3', '2/3', '3/3']) {
      expect(await copy.run(['--shard', shard]), shard).toMatchObject({ code: 0 });
    }
    expect(copy.ledger('3/3').generations[0]?.windows).toEqual([]);
    expect(await copy.status()).toMatchObject({ code: 0, verdict: 'complete' });
    expectSame(copy.lines(), await listed(emulator));
  });

  it('are missed by the status until all of them are complete', async () => {
    const emulator = await emulate({ records: 480 });
    const copy = copyOf(emulator);
    expect(await copy.status()).toMatchObject({ code: 2, stderr: /no harvest/ });
    await copy.run(['--plan']);
    await copy.run(['--shard', '2/3']);
    expect(await copy.status()).toMatchObject({
      code: 3,
      verdict: 'incomplete',
      shards: ['1/3', '3/3'],
      stderr: /shard 1\/3 has not been started[\s\S]*--shard 1\/3/,
    });
    await copy.run(['--shard', '1/3']);
    expect(await copy.status()).toMatchObject({ code: 3, shards: ['3/3'] });
    await emulator.control('faults', { faults: ['403'] });
    expect(await copy.run(['--shard', '3/3', '--retries', '0'])).toMatchObject({ code: 5 });
    expect(await copy.status()).toMatchObject({ code: 3, verdict: 'incomplete', shards: [] });
    await emulator.control('faults', { faults: [] });
    expect(await copy.run(['--shard', '3/3'])).toMatchObject({ code: 0 });
    expect(await copy.status()).toMatchObject({ code: 0, verdict: 'complete' });
  });

  it('each have a lock, and go on after SIGKILL', async () => {
    const emulator = await emulate({ records: RECORDS });
    const copy = copyOf(emulator);
    await copy.run(['--plan']);
    const { lock, ledger } = harvestPaths(copy.dir, { index: 1, of: 2 });
    const records = () =>
      copy.ledger('1/2').generations[0]?.windows.reduce((sum, window) => sum + window.records, 0) ??
      0;

    let first: ChildProcess | undefined;
    // Slow enough that it is still at work when the others have ended.
    const options = [...SMALL_PAGES, ...'--shard 1/2 --rate 2/1s --dir'.split(' ')];
    const argv = ['dois', 'harvest', ...options, copy.dir];
    const killed = program(argv, {
      env: emulator.env,
      during: (child) => {
        first = child;
      },
    });
    while (first?.exitCode === null && (!existsSync(ledger) || records() === 0)) await sleep(20);
    const [again, other] = await Promise.all([
      copy.run(['--shard', '1/2']),
      copy.run(['--shard', '2/2', '--jobs', '16']),
    ]);
    first?.kill('SIGKILL');
    expect(again).toMatchObject({ code: 2, stderr: /in use by process/ });
    expect(other).toMatchObject({ code: 0 });
    expect((await killed).signal).toBe('SIGKILL');
    expect(existsSync(lock)).toBe(true);
    expect(records()).toBeGreaterThan(0);
    expect(await copy.status()).toMatchObject({ code: 3, verdict: 'incomplete', shards: [] });

    expect(await copy.run(['--shard', '1/2', '--jobs', '16'])).toMatchObject({ code: 0 });
    expect(await copy.status()).toMatchObject({ code: 0, verdict: 'complete' });
    expectSame(copy.lines(), await listed(emulator));
  });

  it('update the windows that are their own', async () => {
    const emulator = await emulate({ records: 480 });
    const copy = copyOf(emulator);
    await copy.run(['--plan']);
    const shards = ['1/2', '2/2'];
    for (const shard of shards)
      expect(await copy.run(['--shard', shard])).toMatchObject({ code: 0 });

    const file = join(copy.dir, 'new.json');
    writeFileSync(
      file,
      JSON.stringify({ data: { type: 'dois', attributes: { doi: '10.5072/new-one' } } }),
    );
    const created = await emulator.run(['dois', 'create', '--file', file]);
    expect(created).toMatchObject({ code: 0 });
    for (const shard of shards)
      expect(await copy.run(['--shard', shard])).toMatchObject({ code: 0 });

    const counts = shards.map((shard) => {
      const [first, second, ...more] = copy.ledger(shard).generations;
      expect(more).toEqual([]);
      expect(second).toMatchObject({ number: 2, kind: 'update' });
      const spans = [first, second].map((it) =>
        it?.windows.map(({ index, from, to }) => [index, from, to]),
      );
      expect(spans[1]).toEqual(spans[0]);
      return second?.windows.reduce((sum, { records }) => sum + records, 0);
    });
    expect(counts).toContain(1);
    expect(counts.reduce((sum, count) => (sum ?? 0) + (count ?? 0), 0)).toBe(1);
    expect(await copy.status()).toMatchObject({ code: 0, verdict: 'complete' });
    expectSame(copy.lines(), await listed(emulator));
  });
});

describe('a plan', () => {
  it('also serves a run without --shard, but not both', async () => {
    const emulator = await emulate({ records: 480 });
    const copy = copyOf(emulator);
    await copy.run(['--plan']);
    const plan = JSON.parse(readFileSync(harvestPaths(copy.dir, null).plan, 'utf8')) as LedgerData;
    const spans = ({ generations: [whole] }: LedgerData) =>
      whole?.windows.map(({ index, from, to, count }) => [index, from, to, count]);
    expect(spans(plan)?.length).toBeGreaterThan(10);
    expect(await copy.run(['--jobs', '2'])).toMatchObject({ code: 0 });
    expect(spans(copy.ledger(null))).toEqual(spans(plan));
    expectSame(copy.lines(), await listed(emulator));
    expect(await copy.run(['--shard', '1/2'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/was made without shards/),
    });
    expect(await copy.run(['--plan'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/holds a harvest/),
    });
    expect(await copy.run(['--plan'])).toMatchObject({ code: 2, stderr: /holds a harvest/ });
  });

  it('is made by one process at a time', async () => {
    const emulator = await emulate({ records: 480, latencyMs: 100 });
    const copy = copyOf(emulator, program);
    const runs = await Promise.all([copy.run(['--plan']), copy.run(['--plan'])]);
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 2]);
  });

  it.each(['--shard 0/3', '--shard 4/3', '--shard a/b', '--shard 1/3 --plan'])(
    'is not even looked for with %s',
    async (flags) => {
      const emulator = await emulate();
      const copy = copyOf(emulator);
      expect(await copy.run(flags.split(' '))).toMatchObject({
        code: 2,
        stdout: '',
        stderr: /^error: /,
      });
      expect(await emulator.log()).toEqual([]);
    },
  );

  it('refuses what does not fit together, before any request', async () => {
    const emulator = await emulate({ records: 480 });
    const copy = copyOf(emulator);
    const refused = async (flags: readonly string[], words: RegExp) => {
      const before = (await emulator.log()).length;
      expect(await copy.run(flags), flags.join(' ')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: words,
      });
      expect((await emulator.log()).length).toBe(before);
    };
    await refused(['--shard', '1/3'], /there is no plan/);
    expect(readdirSync(copy.dir)).toEqual([]);
    await copy.run(['--plan']);
    await refused(['--plan'], /holds a plan already/);
    await refused(['--shard', '1/3', '--state', 'findable'], /another query/);
    await refused(['--shard', '1/3', '--anonymous'], /not of an anonymous reader/);
    await refused(['--shard', '1/3', '--gzip'], /without gzip/);
    expect(await copy.run(['--plan', '--fresh', '--state', 'findable'])).toMatchObject({ code: 0 });
    expect(await copy.run(['--shard', '1/3', '--state', 'findable'])).toMatchObject({ code: 0 });
    await refused(['--shard', '1/4', '--state', 'findable'], /was made with 3 shards/);
    await refused(['--state', 'findable'], /was made with 3 shards/);
    await refused(['--plan', '--fresh', '--state', 'findable'], /holds a harvest/);
    await refused(['--shard', '1/3', '--state', 'draft'], /another query/);
    await refused(['--shard', '2/3', '--state', 'draft'], /another query/);
    // Without filters a shard takes those of its plan.
    expect(await copy.run(['--shard', '2/3'])).toMatchObject({ code: 0 });
    expect(await copy.run(['--shard', '1/3'])).toMatchObject({ code: 0 });
  });
});

it('says nothing about many requests at once', async () => {
  const emulator = await emulate({ records: 480 });
  const copy = copyOf(emulator, program);
  const flags = '--jobs 64 --rate 200/1s --state findable'.split(' ');
  const { code, stderr } = await copy.run(flags);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^[\d,]+ DOIs in .*; complete\n$/);
});
