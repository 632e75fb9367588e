import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type CopyRecord, readCopy, readReceipts } from '../../src/library/index.ts';
import {
  all,
  COMPLETE,
  harvest,
  latest,
  ledgerIn,
  partsIn,
  send,
  threeGenerations,
} from '../harvest/copy-on-disk.ts';
import { emulate } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const read = async (dir: string, since?: string): Promise<CopyRecord[]> => {
  const records: CopyRecord[] = [];
  for await (const record of readCopy(dir, { since })) records.push(record);
  return records;
};
const linesOf = (records: readonly CopyRecord[]) =>
  records.map(({ record }) => Buffer.from(record).toString()).sort();
/** The greatest `finishedAt`. */
const lastOf = (records: readonly CopyRecord[]) =>
  records
    .map(({ finishedAt }) => finishedAt)
    .sort()
    .at(-1);

it('reads the current records of a copy, and what is new since', async () => {
  const emulator = await emulate({ records: 600 });
  const dir = await threeGenerations(emulator, '--gzip');
  const records = await read(dir);
  expect(linesOf(records)).toEqual(latest(dir));
  expect(new Set(records.map(({ generation }) => generation))).toEqual(new Set([1, 3]));
  expect(await read(dir, lastOf(records))).toEqual([]);

  const { id } = JSON.parse((await all(emulator, '--mine'))[0] ?? '') as { id: string };
  expect(await send(emulator, 'PUT', id, COMPLETE)).toBe(200);
  await emulator.run(harvest(dir));
  const since = await read(dir, lastOf(records));
  expect(since.some(({ doi, generation }) => doi === id && generation === 4)).toBe(true);
  expect(since.every(({ generation }) => generation === 4)).toBe(true);

  const times = (await readReceipts(dir)).map(({ finishedAt }) => finishedAt);
  expect(times).toHaveLength(4);
  await run(['dois', 'harvest', 'compact', '--dir', dir]);
  expect(linesOf(await read(dir, times.at(-1) ?? ''))).toEqual(latest(dir));

  for await (const { doi, record } of readCopy(dir, { parse: true })) {
    expect(record.id).toBe(doi);
    break;
  }
});

it('reads everything if an old generation has been fetched again', async () => {
  const emulator = await emulate({ records: 600 });
  const dir = await threeGenerations(emulator);
  const since = lastOf(await read(dir));
  const ledger = ledgerIn(dir);
  Object.assign(ledger.generations[0] ?? {}, { finishedAt: new Date().toISOString() });
  writeFileSync(join(dir, '_harvest', 'ledger.json'), JSON.stringify(ledger));
  expect(linesOf(await read(dir, since))).toEqual(latest(dir));
});

it('refuses a wrong time, and a copy that is not complete or is damaged', async () => {
  const emulator = await emulate({ records: 60 });
  const dir = temporaryDirectory();
  await emulator.run(harvest(dir));
  const failure = async (directory: string, options?: object) => {
    try {
      for await (const _ of readCopy(directory, options)) {
        // Only the error counts.
      }
      return undefined;
    } catch (error) {
      return error;
    }
  };
  expect(await failure(temporaryDirectory())).toMatchObject({ kind: 'usage' });
  for (const since of ['', 'yesterday', '2026-13-01T00:00:00Z'])
    expect(await failure(dir, { since })).toMatchObject({ kind: 'usage' });
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  expect(await failure(dir, { signal: stop.signal })).toMatchObject({ message: 'stopped' });

  const [part = ''] = partsIn(dir);
  const bytes = readFileSync(join(dir, 'data', part));
  writeFileSync(join(dir, 'data', part), bytes.subarray(0, -1));
  expect(await failure(dir)).toMatchObject({ kind: 'incomplete' });
  bytes[bytes.indexOf('"state"') + 1] = 0x53;
  writeFileSync(join(dir, 'data', part), bytes);
  expect(await failure(dir)).toMatchObject({ kind: 'incomplete' });
  const ledger = ledgerIn(dir);
  delete ledger.generations[0]?.finishedAt;
  writeFileSync(join(dir, '_harvest', 'ledger.json'), JSON.stringify(ledger));
  expect(await failure(dir)).toMatchObject({ kind: 'incomplete' });
});
