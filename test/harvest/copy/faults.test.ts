import { describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { ledgerIn, linesIn, newDirectory, receiptIn, sortedLines } from '../copy-on-disk.ts';

const RECORDS = 280;
const PAGE = 20;

/**
 * One window and one job: the first request is the count, the second one fetches the first page.
 */
function harvest(emulator: TestEmulator, dir: string, ...more: readonly string[]) {
  const own = ['--page-size', String(PAGE), '--jobs', '1', '--retries', '3'];
  return emulator.run(['dois', 'harvest', '--dir', dir, ...own, ...more]);
}

async function expectAll(emulator: TestEmulator, dir: string): Promise<void> {
  await emulator.control('faults', { faults: [] });
  const { code, stdout } = await emulator.run(['dois', 'list', '--all']);
  expect(code).toBe(0);
  expect(linesIn(dir)).toEqual(sortedLines(stdout));
  expect(receiptIn(dir)).toMatchObject({
    verdict: 'complete',
    gaps: [],
    records: sortedLines(stdout).length,
  });
}

async function sizesAsked({ log }: TestEmulator): Promise<number[]> {
  return (await log()).map(({ path }) =>
    Number(new URL(path, 'http://x').searchParams.get('page[size]')),
  );
}

describe('a harvest is complete', () => {
  it.each(
    // test/api/http has every fault of a connection.
    `500@3,9 truncate-gzip@8 lose@2,9 empty-page@2,7 duplicate@3+ repeat-cursor@5,6,7
      restart-cursor@3,8,12 foreign-next@3,4`.split(/\s+/),
  )('in one run in spite of %s', async (fault) => {
    const emulator = await emulate({ records: RECORDS, faults: [fault] });
    const dir = newDirectory();
    expect(await harvest(emulator, dir)).toMatchObject({ code: 0 });
    expect((await emulator.log()).some((entry) => 'fault' in entry && entry.fault === fault)).toBe(
      true,
    );
    await expectAll(emulator, dir);
  });

  it('in one run when everything strikes at once', async () => {
    const faults = ['502', 'reset', 'truncate', 'restart-cursor', 'lose', 'duplicate'].map(
      (kind) => `${kind}:0.05`,
    );
    const emulator = await emulate({ records: RECORDS, faults });
    const dir = newDirectory();
    expect(await harvest(emulator, dir, '--page-size', '8')).toMatchObject({ code: 0 });
    await expectAll(emulator, dir);
  });
});

describe('a harvest ends with a reason, and is completed by the next run,', () => {
  it.each([
    ['lose', 3, /holds \d+ records, and the service counts \d+/],
    ['empty-page', 3, /holds 0 records, and the service counts \d+/],
    ['repeat-cursor', 3, /a cursor for the second time/],
    ['restart-cursor', 3, /seen before|second time|gone back/],
    ['foreign-next', 3, /leads to another host, http:\/\/foreign.example; nothing was sent there/],
    ['anonymous@5', 4, /answered as if it were anonymous/],
    ['502@6+', 5, /HTTP 502/],
  ])('when it is struck by %s', async (fault, code, reason) => {
    const emulator = await emulate({ records: RECORDS, faults: [fault] });
    const dir = newDirectory();
    const struck = await harvest(emulator, dir);
    expect(struck.stderr).toMatch(reason);
    expect(struck.code).toBe(code);
    await emulator.control('faults', { faults: [] });
    expect(await harvest(emulator, dir)).toMatchObject({ code: 0 });
    await expectAll(emulator, dir);
  });

  it('keeping what it had', async () => {
    const emulator = await emulate({ records: RECORDS, faults: ['anonymous@15'] });
    const dir = newDirectory();
    expect(await harvest(emulator, dir)).toMatchObject({ code: 4 });
    const windows = ledgerIn(dir).generations[0]?.windows ?? [];
    const had = windows.reduce((sum, { records }) => sum + records, 0);
    expect(had).toBeGreaterThan(0);
    const before = (await sizesAsked(emulator)).filter((size) => size === PAGE).length;
    expect(await harvest(emulator, dir)).toMatchObject({ code: 0 });
    const after = (await sizesAsked(emulator)).filter((size) => size === PAGE).length;
    expect(after - before).toBeLessThanOrEqual((RECORDS - had) / PAGE + windows.length);
    await expectAll(emulator, dir);
  });
});

describe('a poison page', () => {
  // harvest/walk/window-walk.test.ts has other places of such a record.
  it('that fails with more than 9 records is asked for in smaller ones, which grow again', async () => {
    const sizes = [1000, 250, 50, 10, 1];
    const emulator = await emulate({ records: 2500, faults: ['poison-cursor:300:9'] });
    const dir = newDirectory();
    expect(await harvest(emulator, dir, '--page-size', '1000')).toMatchObject({ code: 0 });
    const asked = (await sizesAsked(emulator)).filter((each) => each > 0);
    expect([...new Set(asked)]).toEqual(sizes);
    const smallest = asked.lastIndexOf(sizes.at(-1) ?? 0);
    expect(asked.slice(smallest)).toEqual(expect.arrayContaining(sizes));
    expect(asked.at(-1)).toBe(1000);
    // Steps of one record lead out of ten, steps of ten out of fifty …
    expect(asked.length).toBeLessThan(100);
    await expectAll(emulator, dir);
  });

  it('of a record that cannot be fetched at all is a gap', async () => {
    const emulator = await emulate({ records: RECORDS, faults: ['poison-cursor:120:0'] });
    const dir = newDirectory();
    const { code, stderr } = await harvest(emulator, dir);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /\d+ records? could not be fetched from the service: (the next after 10\.|the first of)/,
    );
    const receipt = receiptIn(dir);
    expect(receipt.verdict).toBe('incomplete');
    expect(receipt.gaps).toHaveLength(1);
    const lost = receipt.gaps[0]?.records ?? 0;
    expect(lost).toBeGreaterThan(0);
    // Records of the same millisecond may be lost with it.
    expect(lost).toBeLessThan(60);
    expect(receipt.records).toBe(RECORDS - lost);
    expect(receipt.reasons).toHaveLength(1);

    await emulator.control('faults', { faults: [] });
    expect(await harvest(emulator, dir)).toMatchObject({ code: 0 });
    await expectAll(emulator, dir);
  });
});
