import { describe, expect, it } from 'vitest';
import { compareCounts, comparisonLine } from '../../../src/harvest/copy/compare.ts';
import { type HarvestRun, newWindow } from '../../../src/harvest/copy/generation.ts';
import type {
  Generation,
  LedgerData,
  LedgerWindow,
} from '../../../src/harvest/store/ledger-data.ts';
import type { Span } from '../../../src/harvest/walk/creation-time.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import type { RunResult } from '../../helpers/run.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import {
  all,
  COMPLETE,
  harvest,
  latest,
  ledgerIn,
  receiptIn,
  send,
  sortedLines,
} from '../copy-on-disk.ts';

const HOUR_MS = 3_600_000;
const LEDGER: Omit<LedgerData, 'generations'> = {
  version: 1,
  fingerprint: '',
  query: { baseUrl: 'http://localhost/', params: [], account: null },
  shard: null,
  gzip: false,
};

/** A copy in windows, at a service whose clock and this machine's go on together. */
async function copied(
  options: { readonly records?: number; readonly more?: readonly string[] } = {},
) {
  const { records = 200, more = [] } = options;
  const emulator = await emulate({ records });
  const dir = temporaryDirectory();
  let ahead = 0;
  const run = (...argv: string[]): Promise<RunResult> =>
    emulator.run(argv, { now: () => Date.now() + ahead });
  const update = (...options: string[]) =>
    run(...harvest(dir, '--page-size', '20', '--jobs', '3', ...more, ...options));
  expect(await update()).toMatchObject({ code: 0 });
  return {
    emulator,
    dir,
    run,
    update,
    async pass(hours: number) {
      ahead += hours * HOUR_MS;
      await emulator.control('clock', { advanceMs: hours * HOUR_MS });
    },
  };
}

/** Creates records that lists have only two hours later. */
async function sendLate(emulator: TestEmulator, ...dois: readonly string[]) {
  await emulator.control('faults', { faults: ['late-index'] });
  for (const doi of dois) expect(await send(emulator, 'PUT', doi, COMPLETE)).toBe(201);
  await emulator.control('faults', { faults: [] });
}

const countsSince = async ({ log }: TestEmulator, from: number) =>
  (await log()).slice(from).filter(({ path }) => path.includes('page%5Bsize%5D=0')).length;

describe('an update', () => {
  it('says that the service counts as many records, with one request', async () => {
    const { emulator, dir, update, pass } = await copied();
    await send(emulator, 'PUT', '10.5072/new', COMPLETE);
    await pass(3);
    expect(await update()).toMatchObject({
      code: 0,
      stderr: /^the service counts 201 DOIs, and so does this copy$/m,
    });
    const before = (await emulator.log()).length;
    expect(await update()).toMatchObject({ code: 0 });
    // The generation's own count at its end, and that of the whole.
    expect(await countsSince(emulator, before)).toBe(2);
    expect(receiptIn(dir, 3).comparison).toEqual({
      here: 201,
      atService: 201,
      reopened: 0,
      changed: 0,
    });
    expect(receiptIn(dir, 1).comparison).toBeNull();
  });

  it.each([
    [['--mine']],
    [['--gzip', '--fields', 'doi,titles,updated']],
    [['--query', 'prefix:10.5072 OR client_id:*']],
  ])('fetches the windows again that lack records which were indexed late (%j)', async (more) => {
    const { emulator, dir, run, update, pass } = await copied({ records: 600, more });
    const before = latest(dir).length;
    await sendLate(emulator, '10.5072/late-1', '10.5072/late-2');
    await pass(1.8);
    expect((await update()).stderr).toContain('and so does this copy');
    await pass(1.8);
    await send(emulator, 'PUT', '10.5072/new', COMPLETE);
    const third = await update();
    expect(third).toMatchObject({ code: 0 });
    expect(third.stderr).toMatch(/, and this copy lacks some: fetching 1 window again$/m);
    expect(third.stderr).toMatch(
      new RegExp(`the service counts ${before + 3} DOIs, and so does this copy$`, 'm'),
    );
    expect(third.stderr).toMatch(/generation 4: \d+ DOIs fetched again in .*; complete/);
    expect(latest(dir)).toEqual(await all(emulator, ...more.filter((word) => word !== '--gzip')));
    expect(receiptIn(dir, 4)).toMatchObject({
      kind: 'reopened',
      verdict: 'complete',
      asOf: receiptIn(dir, 3).startedAt,
    });
    // And later updates go on from the time of the third.
    expect((await update('--overlap', '0s')).stderr).toMatch(/generation 5: 1 new or updated DOI/);
    expect(await run('dois', 'harvest', 'compact', '--dir', dir)).toMatchObject({ code: 0 });
    expect((await update()).stderr).toContain('and so does this copy');
    expect(await run(...harvest(dir).toSpliced(2, 0, 'verify'))).toMatchObject({ code: 0 });
  });

  it('remembers the surplus of a window, and still finds a late record in it', async () => {
    const { emulator, dir, update, pass } = await copied();
    await send(emulator, 'PUT', '10.5072/gone', {});
    await update();
    await sendLate(emulator, '10.5072/late');
    expect(await send(emulator, 'DELETE', '10.5072/gone')).toBe(204);
    await pass(1.8);
    expect((await update()).stderr).toMatch(
      'the service counts 200 DOIs, and this copy 201: ' +
        'nothing is missing; verify lists the extra DOIs',
    );
    const requests = (await emulator.log()).length;
    expect((await update()).stderr).toContain('the service counts 200 DOIs, and this copy 201');
    expect(await countsSince(emulator, requests)).toBe(2);
    await pass(1.8);
    // Both numbers are 201 now.
    expect((await update()).stderr).toContain('this copy lacks some: fetching 1 window again');
    expect(latest(dir).some((line) => line.includes('10.5072/late'))).toBe(true);
    expect(
      ledgerIn(dir)
        .generations[0]?.windows.map(({ surplus = 0 }) => surplus)
        .reduce((a, b) => a + b),
    ).toBe(1);
  });

  it.each([2, 6])(
    'finds it after a failure at request %i, and goes on from there',
    async (request) => {
      const { emulator, dir, update, pass } = await copied();
      await sendLate(emulator, '10.5072/late');
      await pass(1.8);
      await update();
      await pass(1.8);
      await emulator.control('faults', { faults: [`502@${request}+`] });
      const failed = await update('--retries', '0');
      expect([0, 5]).toContain(failed.code);
      await emulator.control('faults', { faults: [] });
      const found = await update();
      expect(found).toMatchObject({ code: 0 });
      expect(found.stderr).toMatch(/the service counts 201 DOIs, and so does this copy$/m);
      expect(latest(dir)).toEqual(await all(emulator));
    },
  );

  it('compares the windows of a shard with those of the service', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = temporaryDirectory();
    let ahead = 0;
    const run = (...more: string[]) =>
      emulator.anonymous(harvest(dir, '--page-size', '10', '--jobs', '3', ...more), {
        now: () => Date.now() + ahead,
      });
    const update = async () => [await run('--shard', '1/2'), await run('--shard', '2/2')];
    expect(await run('--plan')).toMatchObject({ code: 0 });
    for (const { code } of await update()) expect(code).toBe(0);
    await sendLate(emulator, '10.5072/late');
    const said: string[] = [];
    for (const hours of [1.8, 1.8, 0]) {
      ahead += hours * HOUR_MS;
      await emulator.control('clock', { advanceMs: hours * HOUR_MS });
      for (const { code, stderr } of await update()) {
        expect(code, stderr).toBe(0);
        said.push(stderr);
      }
    }
    expect(said.map((text) => /fetching 1 window again/.test(text)).filter(Boolean)).toHaveLength(
      1,
    );
    expect(said.every((text) => text.includes(', and so does this shard'))).toBe(true);
    const listed = await emulator.anonymous(['dois', 'list', '--all']);
    expect(latest(dir)).toEqual(sortedLines(listed.stdout));
    for (const command of ['compact', 'verify', 'status']) {
      const argv = ['dois', 'harvest', command, '--dir', dir];
      expect(await emulator.anonymous(argv)).toMatchObject({ code: 0 });
    }
  });
});

/**
 * Compares a copy of windows with these numbers of DOIs; the service counts all records of a span
 * in `atService`.
 */
async function compareNumbers(
  windows: readonly (Pick<LedgerWindow, 'records'> & Partial<LedgerWindow>)[],
  atService: (window: number, clauses: readonly string[], request: number) => number,
  kind: Generation['kind'] = 'update',
) {
  const states = windows.map((window, index) => ({
    ...newWindow(index, { from: index, to: index + 1, count: window.records }),
    unique: window.records,
    ...window,
  }));
  const base: Generation = {
    number: 1,
    kind: 'full',
    startedAt: '2026-01-01T00:00:00.000Z',
    totalAtStart: 0,
    retries: 0,
    problems: [],
    windows: states,
  };
  const again = kind === 'reopened' ? states.map((state) => ({ ...state, bytes: 0 })) : [];
  const update: Generation = {
    ...base,
    number: 2,
    kind,
    startedAt: '2026-02-01T00:00:00.500Z',
    windows: again,
  };
  let [requests, calls] = [0, 0];
  const source = {
    async counts(_: unknown, spans: readonly Span[], clauses: readonly string[]) {
      requests += spans.length;
      calls += 1;
      return spans.map(({ from, to }) => {
        const inside = states.filter(
          (state) => Number(state.from) >= Number(from) && Number(state.to) <= Number(to),
        );
        return inside.reduce((sum, { index }) => sum + atService(index, clauses, calls), 0);
      });
    },
  };
  const run = {
    host: { signal: new AbortController().signal },
    options: { dir: '/nowhere', params: [], jobs: 1 },
    source,
  };
  const data = { ...LEDGER, generations: [base, update] };
  const found = await compareCounts(run as unknown as HarvestRun, data, update);
  return { ...found, states, requests };
}

describe('the comparison', () => {
  it('counts groups of windows, and single ones only where these differ', async () => {
    const windows = Array.from({ length: 1200 }, () => ({ records: 50 }));
    const count = (window: number) => (window === 700 ? 51 : 50);
    const { lacking, comparison, requests } = await compareNumbers(windows, (window, clauses) =>
      clauses.length > 0 ? 0 : count(window),
    );
    expect(lacking.map(({ index }) => index)).toEqual([700]);
    expect(comparison).toEqual({ here: 60_000, atService: 60_001, reopened: 1, changed: 0 });
    expect(requests).toBeLessThan(50);
    const worst = await compareNumbers(windows, (_, clauses) => (clauses.length > 0 ? 0 : 51));
    expect(worst.lacking).toHaveLength(1200);
    expect(worst.requests).toBeLessThan(5 * 1200);
  });

  it('leaves to the next update what changed since this one began', async () => {
    const clauses: string[] = [];
    const { lacking, comparison } = await compareNumbers([{ records: 10 }], (_, more) => {
      clauses.push(...more);
      return more.length > 0 ? 3 : 12;
    });
    expect(lacking).toEqual([]);
    expect(comparison).toMatchObject({ changed: 2, reopened: 0 });
    expect(clauses).toEqual(['updated:[2026-02-01T00:00:00.000Z TO *]']);
    expect(comparisonLine(comparison, LEDGER)).toMatch(
      /: 2 changed during this run; the next run fetches them$/,
    );
  });

  it('believes a lower count only where the second one is as low', async () => {
    const low = (calls: number) => (_: number, clauses: readonly string[], call: number) => {
      if (clauses.length > 0) return 0;
      return call <= calls ? 4 : 10;
    };
    expect((await compareNumbers([{ records: 10 }], low(2))).states[0]?.surplus).toBe(0);
    expect((await compareNumbers([{ records: 10 }], low(3))).states[0]?.surplus).toBe(6);
  });

  it('takes differences in a window that was fetched again for surplus', async () => {
    const { lacking, states } = await compareNumbers(
      [{ records: 10 }, { records: 5, surplus: 2 }],
      (window, clauses) => (clauses.length > 0 ? 0 : ([11, 3][window] ?? 0)),
      'reopened',
    );
    expect(lacking).toEqual([]);
    expect(states.map(({ surplus }) => surplus)).toEqual([-1, 2]);
  });

  it('counts what is in a gap as held: it would be fetched again each time', async () => {
    const gaps = [{ after: null, cursor: '1', records: 1, reason: 'HTTP 504' }];
    const { comparison } = await compareNumbers([{ records: 9, gaps }], () => 10);
    expect(comparison).toEqual({ here: 10, atService: 10, reopened: 0, changed: 0 });
  });
});
