import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Generation, LedgerWindow } from '../../../src/harvest/store/ledger-data.ts';
import { buildReceipt, writeReceipt } from '../../../src/harvest/store/receipt.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { ledgerData, ledgerWindow } from './samples.ts';

const finished = { done: true, sha256: 'a'.repeat(64) };
const windows = (): LedgerWindow[] => [
  ledgerWindow({ ...finished, count: 3, records: 3, unique: 3, bytes: 300 }),
  ledgerWindow({ index: 1, done: true }),
  ledgerWindow({ ...finished, index: 2, count: 4, records: 4, unique: 4, bytes: 400 }),
];

function receiptOf(change: Partial<Generation> = {}, changeWindow: Partial<LedgerWindow> = {}) {
  const data = ledgerData(...windows());
  const [generation] = data.generations;
  if (!generation) throw new Error('no generation');
  Object.assign(
    generation,
    { finishedAt: '2026-01-02T00:00:00.000Z', totalAtEnd: 7, retries: 5 },
    change,
  );
  Object.assign(generation.windows[2] ?? {}, changeWindow);
  return buildReceipt(data, generation);
}

describe('a receipt', () => {
  it('tells what a complete generation holds', () => {
    expect(receiptOf()).toEqual({
      verdict: 'complete',
      reasons: [],
      query: {
        baseUrl: 'https://api.example.org',
        params: [['client-id', 'demo.repo']],
        account: null,
      },
      shard: null,
      generation: 1,
      kind: 'full',
      since: null,
      asOf: null,
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-02T00:00:00.000Z',
      totalAtStart: 7,
      totalAtEnd: 7,
      records: 7,
      uniqueDois: 7,
      bytes: 700,
      comparison: null,
      retries: 5,
      gaps: [],
      parts: [
        {
          name: 'g0001-w00000.ndjson',
          records: 3,
          uniqueDois: 3,
          bytes: 300,
          sha256: 'a'.repeat(64),
        },
        {
          name: 'g0001-w00002.ndjson',
          records: 4,
          uniqueDois: 4,
          bytes: 400,
          sha256: 'a'.repeat(64),
        },
      ],
    });
  });

  it.each<[string, Partial<Generation>, Partial<LedgerWindow>, string[]]>([
    ['a window that is not done', {}, { done: false }, ['1 of 3 windows not yet fetched']],
    ['few records', { totalAtStart: 30 }, { done: false }, ['7 of 30 DOIs fetched (23 %)']],
    ['a run that has not ended', { finishedAt: undefined as never }, {}, ['the run has not ended']],
    [
      'no count at the end',
      { totalAtEnd: undefined as never },
      {},
      ['the service has not been asked for its count at the end'],
    ],
    [
      'a part not read back',
      {},
      { sha256: undefined as never },
      ['not every part file has been read back'],
    ],
    [
      'too few',
      { totalAtEnd: 8, totalAtStart: 8 },
      {},
      ['the service counts 8 DOIs, and 7 are here'],
    ],
    [
      'too few, moving',
      { totalAtEnd: 8, totalAtStart: 10 },
      {},
      ['the service counts 8 to 10 DOIs, and 7 are here'],
    ],
    [
      'too many',
      { totalAtEnd: 6, totalAtStart: 5 },
      {},
      ['the service counts 5 to 6 DOIs, and 7 are here'],
    ],
    ['doubled records', { totalAtEnd: 6 }, { unique: 3 }, ['1 repeated record in the part files']],
    [
      'a gap',
      { totalAtEnd: 8, totalAtStart: 8 },
      { gaps: [{ after: '10.5072/a', cursor: 'x', reason: '500' }] },
      ['1 record could not be fetched from the service: the next after 10.5072/a'],
    ],
    [
      'what the run has found',
      { problems: ['windows do not add up'] },
      {},
      ['windows do not add up'],
    ],
  ])('is incomplete with %s', (_, change, changeWindow, reasons) => {
    const receipt = receiptOf(change, changeWindow);
    expect(receipt).toMatchObject({ verdict: 'incomplete', reasons });
    if (changeWindow.gaps) expect(receipt.gaps).toEqual([{ ...changeWindow.gaps[0], window: 2 }]);
  });

  it.each([
    [5, 9],
    [9, 5],
    [7, 8],
  ])('is complete while the total moves from %i to %i', (totalAtStart, totalAtEnd) => {
    expect(receiptOf({ totalAtStart, totalAtEnd }).verdict).toBe('complete');
  });

  it('is JSON on disk', async () => {
    const path = join(temporaryDirectory(), 'receipt-g0001.json');
    await writeReceipt(path, receiptOf());
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(receiptOf());
  });
});
