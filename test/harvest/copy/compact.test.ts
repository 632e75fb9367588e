import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { compactWindows } from '../../../src/harvest/copy/compact.ts';
import type { Receipt } from '../../../src/harvest/store/receipt.ts';
import { spanFinder } from '../../../src/harvest/walk/creation-time.ts';
import { cleanEnv, PROGRAM } from '../../e2e/program.ts';
import { emulate } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { harvest, latest, linesOf, PLAIN, partsIn, threeGenerations } from '../copy-on-disk.ts';
import { ledgerWindow } from '../store/samples.ts';

const compact = (dir: string, ...more: string[]) => [
  'dois',
  'harvest',
  'compact',
  '--dir',
  dir,
  ...more,
];

/** The records as a reader sees them; every file must be complete at all times. */
const read = (dir: string) => latest(dir).join('\n');

describe('dois harvest compact', () => {
  it.each([[[]], [['--gzip']]])(
    'leaves one line of each DOI, and a receipt (%j)',
    async (options) => {
      const emulator = await emulate({ records: 300 });
      const dir = await threeGenerations(emulator, ...options);
      const before = read(dir);
      // Without credentials or a service.
      const { code, stderr } = await run(compact(dir));
      expect([code, stderr]).toEqual([0, /^generation 4: 302 DOIs in \d+ files, in /]);
      expect(read(dir)).toBe(before);
      const lines = partsIn(dir).flatMap((name) => linesOf(dir, name));
      expect(lines).toHaveLength(302);
      expect(partsIn(dir).every((name) => name.startsWith('g0004-'))).toBe(true);
      const path = join(dir, '_harvest', 'receipt-g0004.json');
      const receipt = JSON.parse(readFileSync(path, 'utf8')) as Receipt;
      expect(receipt).toMatchObject({
        verdict: 'complete',
        kind: 'compact',
        records: 302,
        uniqueDois: 302,
      });
      expect(receipt.parts.map(({ name }) => name)).toEqual(partsIn(dir));
      expect(existsSync(join(dir, '_harvest', 'staging'))).toBe(false);
      expect((await run(['dois', 'harvest', 'status', '--dir', dir])).code).toBe(0);
      const again = await run(compact(dir));
      expect([again.code, again.stderr]).toEqual([0, /nothing to do/]);
    },
  );

  it('refuses what is not complete or not there, and what it would ignore', async () => {
    const emulator = await emulate({ records: 600, faults: ['504@30+'] });
    const dir = temporaryDirectory();
    const cut = await emulator.run(harvest(dir, ...PLAIN, '--retries', '0'));
    expect(cut.code).not.toBe(0);
    expect(await run(compact(dir))).toMatchObject({ code: 3, stderr: /not complete/ });
    expect((await run(compact(temporaryDirectory()))).code).toBe(2);
    expect((await run(compact(dir, '--gzip'))).code).toBe(2);
    expect((await run(compact(dir, '--state', 'findable'))).code).toBe(2);
  });

  it('leaves the same to be read at each step, and the next start cleans up', async () => {
    const emulator = await emulate({ records: 300 });
    const dir = await threeGenerations(emulator);
    const before = temporaryDirectory();
    cpSync(dir, before, { recursive: true });
    const text = read(dir);
    expect((await run(compact(dir))).code).toBe(0);
    const [made, old] = [partsIn(dir), partsIn(before)];
    const data = (where: string, name: string) => join(where, 'data', name);

    // While the new files are being written.
    const making = temporaryDirectory();
    cpSync(before, making, { recursive: true });
    const staging = join(making, '_harvest', 'staging');
    mkdirSync(staging);
    writeFileSync(join(staging, made[0] ?? ''), '{"id":"10.1/torn');
    // Some new files are in place, and the ledger does not know them.
    const naming = temporaryDirectory();
    cpSync(before, naming, { recursive: true });
    for (const name of made.slice(0, 2)) cpSync(data(dir, name), data(naming, name));
    // The ledger knows the new files, and some old ones still exist.
    const removing = temporaryDirectory();
    cpSync(dir, removing, { recursive: true });
    for (const name of old.slice(2)) cpSync(data(before, name), data(removing, name));

    for (const [place, left] of [
      [making, old],
      [naming, old],
      [removing, made],
    ] as const) {
      expect(read(place)).toBe(text);
      const other = temporaryDirectory();
      cpSync(place, other, { recursive: true });
      // By the next harvest, or by compacting again.
      expect((await emulator.run(harvest(place, ...PLAIN))).code).toBe(0);
      const number = left === old ? 'g0004-' : 'g0005-';
      expect(partsIn(place).filter((name) => !name.startsWith(number))).toEqual(left);
      expect(existsSync(join(place, '_harvest', 'staging'))).toBe(false);
      expect(read(place)).toBe(text);
      expect((await run(compact(other))).code).toBe(0);
      expect(partsIn(other)).toEqual(made);
      expect(read(other)).toBe(text);
    }
  });

  describe('killed at any moment', () => {
    const books = (dir: string) => join(dir, '_harvest');
    const staging = (dir: string) => {
      const path = join(books(dir), 'staging');
      return existsSync(path) ? readdirSync(path).length : -1;
    };
    const named = (dir: string) => partsIn(dir).filter((name) => name.startsWith('g0004-')).length;
    const moments: [string, (dir: string) => boolean][] = [
      ['there is a folder for unfinished files', (dir) => staging(dir) >= 0],
      ['there are files in it', (dir) => staging(dir) >= 3],
      ['there is a receipt', (dir) => existsSync(join(books(dir), 'receipt-g0004.json'))],
      ['a file has its name', (dir) => named(dir) >= 1],
      [
        'the ledger knows',
        (dir) => readFileSync(join(books(dir), 'ledger.json'), 'utf8').includes('compact'),
      ],
    ];

    it('reads the same, and can be done again', async () => {
      const emulator = await emulate({ records: 200 });
      const dir = await threeGenerations(emulator, '--gzip');
      const text = read(dir);
      let kills = 0;
      for (const [moment, reached] of moments) {
        const copy = temporaryDirectory();
        cpSync(dir, copy, { recursive: true });
        if (await killed(copy, () => reached(copy))) kills += 1;
        expect(read(copy) === text, moment).toBe(true);
        expect((await run(compact(copy))).code, moment).toBe(0);
        expect(read(copy) === text, moment).toBe(true);
        expect(partsIn(copy).filter((name) => !name.startsWith('g0004-'))).toEqual([]);
      }
      // The later moments are short, the first ones are not.
      expect(kills).toBeGreaterThanOrEqual(2);
    });
  });
});

/** Compacts in a process that is killed at a moment; false when the process ended first. */
async function killed(dir: string, reached: () => boolean): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, ...compact(dir)], {
    env: cleanEnv(),
    stdio: 'ignore',
  });
  let running = true;
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('close', (_, signal) => {
      running = false;
      resolve(signal);
    }),
  );
  while (running && !reached()) await setImmediate();
  child.kill('SIGKILL');
  return (await ended) === 'SIGKILL';
}

describe('the windows of a compact generation', () => {
  const windows = [
    ledgerWindow({ index: 0, from: null, to: 100, records: 50 }),
    ledgerWindow({ index: 1, from: 100, to: null, records: 50 }),
  ];
  it('are the old ones where there is room', () => {
    expect(compactWindows(windows, [50, 150, Number.NaN], 60)).toEqual([
      { from: null, to: 100, old: 0 },
      { from: 100, to: null, old: 1 },
    ]);
  });

  it('are cut where updates have gathered, and cover everything once', () => {
    const times = Array.from({ length: 200 }, (_, index) => 1000 + index);
    const made = compactWindows(windows, times, 60);
    expect(made.slice(0, 1)).toEqual([{ from: null, to: 100, old: 0 }]);
    expect(made.length).toBe(6);
    for (const [index, { from }] of made.entries()) expect(from).toBe(made[index - 1]?.to ?? null);
    expect(made.at(-1)?.to).toBe(null);
    const windowOf = spanFinder(made);
    const counts = made.map(() => 0);
    for (const time of times) counts[windowOf(time)] = (counts[windowOf(time)] ?? 0) + 1;
    expect(Math.max(...counts)).toBeLessThanOrEqual(60);
  });

  it('are not cut where there is a gap, whose cursor belongs to the whole window', () => {
    const [first, last] = windows;
    const gap = { after: null, cursor: '1', reason: 'HTTP 504' };
    const times = Array.from({ length: 200 }, (_, index) => 1000 + index);
    const made = compactWindows([first, { ...last, gaps: [gap] }] as typeof windows, times, 60);
    expect(made).toHaveLength(2);
  });

  it('are not cut within one millisecond', () => {
    expect(
      compactWindows(
        windows,
        Array.from({ length: 200 }, () => 100),
        60,
      ),
    ).toHaveLength(2);
  });
});
