import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerData } from '../../../src/harvest/store/ledger-data.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { all, COMPLETE, harvest, latest, linesOf, partsIn, send } from '../copy-on-disk.ts';

const HOUR_MS = 3_600_000;
const wholeSecond = (time = '') => Math.floor(Date.parse(time) / 1000) * 1000;
const ledgerOf = (dir: string) =>
  JSON.parse(readFileSync(join(dir, '_harvest', 'ledger.json'), 'utf8')) as LedgerData;

async function ok(emulator: TestEmulator, argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await emulator.run(argv);
  expect(code, stderr).toBe(0);
  return stdout + stderr;
}

/** The rule for readers gives the same set as a fresh harvest. */
async function expectSame(emulator: TestEmulator, dir: string): Promise<void> {
  const [here, there] = [latest(dir), await all(emulator)];
  // Not the lines themselves: a difference would fill the screen.
  expect(here.filter((line) => !there.includes(line)).map((line) => line.slice(0, 60))).toEqual([]);
  expect(here.join('\n') === there.join('\n')).toBe(true);
}

/** A sequence of numbers from 0 to 1 that is the same each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

describe('an update', () => {
  it('is refused for enriched records, whose enrichments change no time', async () => {
    const emulator = await emulate({ records: 120 });
    const dir = temporaryDirectory();
    const first = harvest(dir, '--page-size', '16', '--filter', 'enriched=True');
    await ok(emulator, first);
    for (const argv of [first, harvest(dir)]) {
      const { code, stderr } = await emulator.run(argv);
      expect([code, stderr]).toEqual([2, /enriched.*\nhint: .*--fresh/]);
    }
    expect(await ok(emulator, harvest(dir, '--fresh', '--yes'))).toContain('complete');
    for (const verb of ['status', 'verify'])
      await ok(emulator, ['dois', 'harvest', verb, '--dir', dir]);
    const plain = temporaryDirectory();
    for (let round = 1; round <= 2; round += 1)
      await ok(emulator, harvest(plain, '--filter', 'enriched=false'));
  });
  it.each([
    [1, false],
    [2, true],
  ])(
    'with compacting between gives what a fresh harvest gives (seed %i, gzip %s)',
    async (seed, gzip) => {
      const emulator = await emulate({ records: 300, seed });
      const draw = numbers(seed);
      const dir = temporaryDirectory();
      const options = ['--page-size', '16', '--jobs', '3', ...(gzip ? ['--gzip'] : [])];
      await ok(emulator, harvest(dir, ...options));
      await expectSame(emulator, dir);

      const mine = (await all(emulator, '--mine')).map(
        (line) => (JSON.parse(line) as { id: string }).id,
      );
      for (let round = 1; round <= 3; round += 1) {
        for (let n = 0; n < 40; n += 1) {
          const known = mine[Math.floor(draw() * mine.length)] ?? '';
          const doi = draw() < 0.5 ? known : `10.5072/new-${round}-${n}`;
          const titles = [{ title: `Round ${round}, ${n}` }];
          const status = await send(emulator, 'PUT', doi, { ...COMPLETE, titles });
          expect([200, 201]).toContain(status);
          if (status === 201) mine.push(doi);
        }
        if (draw() < 0.4) await ok(emulator, ['dois', 'harvest', 'compact', '--dir', dir]);
        await ok(emulator, harvest(dir, ...options));
        await expectSame(emulator, dir);
        await emulator.control('clock', { advanceMs: Math.floor(draw() * 1_000_000) });
      }
      await ok(emulator, ['dois', 'harvest', 'compact', '--dir', dir]);
      await expectSame(emulator, dir);
      expect(partsIn(dir).flatMap((name) => linesOf(dir, name))).toHaveLength(latest(dir).length);
      await ok(emulator, harvest(dir).toSpliced(2, 0, 'verify'));
    },
  );

  it('looks back by the overlap, and brings again what was changed in it', async () => {
    const emulator = await emulate();
    await send(emulator, 'PUT', '10.5072/early', COMPLETE);
    const dir = temporaryDirectory();
    await ok(emulator, harvest(dir));
    const told = await ok(emulator, harvest(dir));
    expect(told).toMatch(/generation 2: 1 new or updated DOI in .*; complete/);
    expect(partsIn(dir)).toHaveLength(2);
    expect(linesOf(dir, partsIn(dir)[1] ?? '')).toHaveLength(1);
    await ok(emulator, harvest(dir, '--overlap', '0s'));
    const [first, second, third] = ledgerOf(dir).generations;
    const since = (generation: typeof first) => Date.parse(generation?.since ?? '');
    expect(since(second)).toBe(wholeSecond(first?.startedAt) - HOUR_MS);
    expect(since(third)).toBe(wholeSecond(second?.startedAt));
    await expectSame(emulator, dir);
  });

  it('goes on from where the latest update began after compacting', async () => {
    const emulator = await emulate();
    const dir = temporaryDirectory();
    await ok(emulator, harvest(dir));
    await ok(emulator, harvest(dir));
    const update = ledgerOf(dir).generations[1];
    await send(emulator, 'PUT', '10.5072/between', COMPLETE);
    await ok(emulator, ['dois', 'harvest', 'compact', '--dir', dir]);
    expect(ledgerOf(dir).generations).toMatchObject([
      { number: 3, kind: 'compact', asOf: update?.startedAt },
    ]);
    await ok(emulator, harvest(dir, '--overlap', '0s'));
    const [, after] = ledgerOf(dir).generations;
    expect(after).toMatchObject({ number: 4, kind: 'update' });
    expect(Date.parse(after?.since ?? '')).toBe(wholeSecond(update?.startedAt));
    await expectSame(emulator, dir);
    // And once more, over a compact generation and its update.
    await ok(emulator, ['dois', 'harvest', 'compact', '--dir', dir]);
    expect(ledgerOf(dir).generations).toMatchObject([{ number: 5, asOf: after?.startedAt }]);
    await expectSame(emulator, dir);
  });
});
