import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerData } from '../../../src/harvest/store/ledger-data.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { all, COMPLETE, harvest, latest, linesOf, partsIn, send } from '../copy-on-disk.ts';

const RECORDS = 280;
const PAGE = 20;
const POISON = 'poison-cursor:120:0';

const run = (emulator: TestEmulator, dir: string) =>
  emulator.run(harvest(dir, '--page-size', String(PAGE), '--jobs', '1', '--retries', '2'));

/** How many records were asked for after the first `from` entries of the log. */
async function recordsAskedSince({ log }: TestEmulator, from: number): Promise<number> {
  const sizes = (await log())
    .slice(from)
    .map(({ path }) => Number(new URL(path, 'http://x').searchParams.get('page[size]')));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function editLedger(dir: string, edit: (ledger: LedgerData) => void): void {
  const path = join(dir, '_harvest', 'ledger.json');
  const ledger = JSON.parse(readFileSync(path, 'utf8')) as LedgerData;
  edit(ledger);
  writeFileSync(path, JSON.stringify(ledger));
}

describe('a record that cannot be fetched', () => {
  it('does not prevent updates, is requested alone, reported, and fetched later', async () => {
    const emulator = await emulate({ records: RECORDS, faults: [POISON] });
    const dir = temporaryDirectory();
    expect(await run(emulator, dir)).toMatchObject({ code: 3 });
    const before = (await emulator.log()).length;
    expect(await send(emulator, 'PUT', '10.5072/changed', COMPLETE)).toBe(201);

    const second = await run(emulator, dir);
    expect(second.code).toBe(3);
    expect(second.stderr).toMatch(
      /generation 2: \d+ new or updated DOIs? in .*generation 1: \d+ records? could not be fetched/,
    );
    // The record itself twice, and one page of the update.
    expect(await recordsAskedSince(emulator, before)).toBeLessThanOrEqual(2 + PAGE);
    expect(latest(dir).some((line) => line.includes('10.5072/changed'))).toBe(true);

    await emulator.control('faults', { faults: [] });
    const third = await run(emulator, dir);
    expect(third.stderr).toMatch(/complete/);
    expect(third.code).toBe(0);
    expect(latest(dir)).toEqual(await all(emulator));
    expect(await emulator.run(['dois', 'harvest', 'status', '--dir', dir])).toMatchObject({
      code: 0,
    });
  });

  it('is asked for again in spite of a service that throttles', async () => {
    const emulator = await emulate({ records: RECORDS, faults: [POISON] });
    const dir = temporaryDirectory();
    expect(await run(emulator, dir)).toMatchObject({ code: 3 });
    await emulator.control('faults', { faults: ['403@1,2,3'] });
    expect(await emulator.run(harvest(dir, '--jobs', '1'))).toMatchObject({ code: 0 });
  });

  it('stays on record when generations are made into one', async () => {
    const emulator = await emulate({ records: RECORDS, faults: [POISON] });
    const dir = temporaryDirectory();
    await run(emulator, dir);
    await send(emulator, 'PUT', '10.5072/changed', COMPLETE);
    await run(emulator, dir);
    const compact = await emulator.run(['dois', 'harvest', 'compact', '--dir', dir]);
    expect(compact.stderr).toMatch(/still incomplete: \d+ records? could not be fetched/);
    expect(compact.code).toBe(0);
    expect(partsIn(dir).every((name) => name.startsWith('g0003-'))).toBe(true);
    expect(await emulator.run(['dois', 'harvest', 'status', '--dir', dir])).toMatchObject({
      code: 3,
    });

    await emulator.control('faults', { faults: [] });
    expect(await run(emulator, dir)).toMatchObject({ code: 0 });
    expect(latest(dir)).toEqual(await all(emulator));
  });
});

describe('a sum that is wrong although every window is right by itself', () => {
  it('is made right by fetching the windows whose counts have moved', async () => {
    const emulator = await emulate({ records: RECORDS });
    const dir = temporaryDirectory();
    expect(await run(emulator, dir)).toMatchObject({ code: 0 });
    const name = partsIn(dir)[0] as string;
    const kept = `${linesOf(dir, name).slice(1).join('\n')}\n`;
    writeFileSync(join(dir, 'data', name), kept);
    editLedger(dir, ({ generations: [generation] }) => {
      const window = generation?.windows[0];
      if (generation === undefined || window === undefined) throw new Error('no window');
      delete generation.finishedAt;
      const fewer = window.records - 1;
      const bytes = Buffer.byteLength(kept);
      Object.assign(window, { bytes, records: fewer, unique: fewer, count: fewer });
    });
    const status = await emulator.run(['dois', 'harvest', 'status', '--dir', dir]);
    expect(status).toMatchObject({ code: 3 });
    expect(status.stdout).toMatch(/the service counts 280 DOIs, and 279 are here/);

    expect(await run(emulator, dir)).toMatchObject({ code: 0 });
    expect(latest(dir)).toEqual(await all(emulator));
  });
});
