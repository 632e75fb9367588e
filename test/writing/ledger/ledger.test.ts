import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerHeader, LineResult } from '../../../src/writing/ledger/entry.ts';
import { BulkLedger } from '../../../src/writing/ledger/ledger.ts';
import { LineIndex, LineStatus } from '../../../src/writing/ledger/line-index.ts';
import { lacks } from '../../helpers/platform.ts';
import { runs } from '../../helpers/runs.ts';
import { sharedDirectory } from '../../helpers/temporary.ts';

const folder = sharedDirectory();

let files = 0;
function newPath(): string {
  files += 1;
  return join(folder, `${files}.ledger`);
}

const HEADER: LedgerHeader = {
  format: 'doi-cli bulk ledger',
  version: 2,
  command: 'create',
  baseUrl: 'https://api.test.datacite.org',
  account: 'demo.repo',
  event: null,
  seed: 'seed',
  begun: '2026-05-01T00:00:00.000Z',
};
const of = '00000000000000ff';
const reservation = (line: number, doi = `10.5072/${line}`) => ({
  line,
  of,
  doi,
  generated: true,
  at: '2026-05-01T00:00:00.000Z',
});
const result = (line: number, change: Partial<LineResult> = {}): LineResult => ({
  line,
  doi: `10.5072/${line}`,
  state: 'draft',
  outcome: 'created',
  errors: [],
  ...change,
});
const wrong = [{ path: 'url', message: 'is blank' }];

async function opened(path: string, header = HEADER): Promise<BulkLedger> {
  const ledger = await BulkLedger.open(path);
  await ledger.claim(header).catch(async (error: unknown) => {
    await ledger.close();
    throw error;
  });
  return ledger;
}

it('an index takes less than 60 bytes for a line', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const bytesOfLine = () => {
    const before = used();
    const index = new LineIndex();
    for (let line = 1; line <= 200_000; line += 1) index.setHash(line, BigInt(line));
    return (used() - before) / index.last;
  };
  // The arrays double, and smaller ones may not be collected yet. Other tests of this process leave
  // something behind.
  expect(Math.min(bytesOfLine(), bytesOfLine(), bytesOfLine())).toBeLessThan(60);
});

describe('a ledger', () => {
  it('knows the state of every line when it is opened again', async () => {
    const path = newPath();
    const first = await opened(path);
    await Promise.all([1, 2, 3, 4, 5, 3000].map((line) => first.reserve(reservation(line))));
    first.settle({ line: 1, of, result: result(1) });
    first.settle({
      line: 2,
      of,
      result: result(2, { outcome: 'failed', state: null, errors: wrong }),
    });
    first.settle({
      line: 3,
      of,
      result: result(3, { outcome: 'failed', errors: wrong }),
      doubt: true,
    });
    first.settle({ line: 4, of, result: result(4, { errors: wrong }) });
    await first.close();
    const second = await opened(path);
    const { index } = second;
    expect([1, 2, 3, 4, 5, 6, 3000, 9999].map((line) => index.of(line).status)).toEqual([
      ...[LineStatus.done, LineStatus.failed, LineStatus.doubtful, LineStatus.wrong],
      ...[LineStatus.doubtful, LineStatus.untouched, LineStatus.doubtful, LineStatus.untouched],
    ]);
    expect([index.of(1).hash, index.of(6).hash, index.last]).toEqual([255n, 0n, 3000]);
    expect(await second.reservation(3000)).toEqual(reservation(3000));
    expect(await second.reservation(6)).toBeUndefined();
    expect((await second.result(4))?.result).toEqual(result(4, { errors: wrong }));
    // The latest entry counts.
    await second.reserve(reservation(2, '10.5072/other'));
    expect([index.of(2).status, (await second.reservation(2))?.doi]).toEqual([
      LineStatus.doubtful,
      '10.5072/other',
    ]);
    await second.close();
  });

  it('has a DOI on disk before it may be sent', async () => {
    const path = newPath();
    const ledger = await opened(path);
    const many = Array.from({ length: 50 }, (_, line) => ledger.reserve(reservation(line + 1)));
    for (const [place, one] of many.entries()) {
      await one;
      expect(readFileSync(path, 'utf8')).toContain(`"10.5072/${place + 1}"`);
    }
    await ledger.close();
  });

  it('is readable wherever a crash has cut it off, and continues from there', async () => {
    const path = newPath();
    const ledger = await opened(path);
    for (const line of [1, 2, 3]) {
      await ledger.reserve(reservation(line, `10.5072/é${line}`));
      ledger.settle({ line, of, result: result(line) });
    }
    await ledger.close();
    const whole = readFileSync(path);
    const lines = whole.toString().split('\n');
    await fc.assert(
      fc.asyncProperty(
        // No crash cuts into the first line: the file appears with it.
        fc.integer({ min: whole.indexOf('\n') + 1, max: whole.length }),
        fc.nat({ max: 3000 }),
        async (cut, zeros) => {
          const torn = newPath();
          writeFileSync(torn, Buffer.concat([whole.subarray(0, cut), Buffer.alloc(zeros)]));
          const again = await opened(torn);
          const kept = whole.subarray(0, cut).toString().split('\n').length - 1;
          for (const line of [1, 2, 3]) {
            const begun = kept > line * 2 - 1 ? LineStatus.doubtful : 0;
            const expected = kept > line * 2 ? LineStatus.done : begun;
            expect(again.index.of(line).status).toBe(expected);
          }
          await again.reserve(reservation(4));
          await again.close();
          const now = readFileSync(torn, 'utf8').split('\n');
          expect(now.slice(0, -2)).toEqual(lines.slice(0, Math.max(1, kept)));
          expect(JSON.parse(now.at(-2) ?? '')).toEqual({
            ...reservation(4),
            check: expect.any(String),
          });
          expect(now.at(-1)).toBe('');
          await (await opened(torn)).close();
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('that is damaged in the middle is refused', async () => {
    const path = newPath();
    const ledger = await opened(path);
    await ledger.reserve(reservation(1));
    await ledger.reserve(reservation(2));
    await ledger.close();
    const text = readFileSync(path, 'utf8');
    const [, good = ''] = text.split('\n');
    for (const bad of [
      '{"line":1}',
      'x',
      '{"line":0,"of":"00","doi":"a","generated":true,"at":"b"}',
    ]) {
      writeFileSync(path, text.replace(good, bad));
      await expect(BulkLedger.open(path)).rejects.toMatchObject({
        kind: 'usage',
        message: `${path} is damaged in line 2, at byte ${text.indexOf(good)}; nothing was sent`,
      });
    }
  });

  it('that lacks, repeats or moves a line is refused, although each line is whole', async () => {
    const path = newPath();
    const ledger = await opened(path);
    for (const line of [1, 2, 3]) {
      await ledger.reserve(reservation(line));
      ledger.settle({ line, of, result: result(line) });
    }
    await ledger.close();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const moved = (from: number, to: number) => lines.with(from, lines[to] ?? '');
    const cases: readonly (readonly [readonly string[], number])[] = [
      ...[1, 2, 3, 4, 5].map((at) => [lines.toSpliced(at, 1), at + 1] as const),
      [lines.toSpliced(1, 4), 2],
      [lines.toSpliced(3, 0, lines[2] ?? ''), 4],
      [moved(3, 5).with(5, lines[3] ?? ''), 4],
      [lines.with(0, lines[0]?.replace('"seed":"seed"', '"seed":"else"') ?? ''), 1],
    ];
    for (const [changed, at] of cases) {
      writeFileSync(path, changed.map((line) => `${line}\n`).join(''));
      await expect(BulkLedger.open(path)).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringContaining(`is damaged in line ${at}, `),
      });
    }
  });

  it('that is empty or ends within its first line is refused, because none ever is', async () => {
    const path = newPath();
    await (await opened(path)).close();
    const whole = readFileSync(path);
    const torn = newPath();
    for (const size of [0, 1, 40, whole.length - 1]) {
      writeFileSync(torn, whole.subarray(0, size));
      await expect(BulkLedger.open(torn)).rejects.toMatchObject({ kind: 'usage' });
      expect(readFileSync(torn)).toEqual(whole.subarray(0, size));
    }
  });

  it('keeps its own seed and time', async () => {
    const path = newPath();
    await (await opened(path)).close();
    const again = await opened(path, {
      ...HEADER,
      seed: 'other',
      begun: '2027-01-01T00:00:00.000Z',
    });
    expect([again.seed, again.begun]).toEqual([HEADER.seed, Date.parse(HEADER.begun)]);
    await again.close();
  });

  const refusesAfter = async (change: (path: string) => void) => {
    const path = newPath();
    const ledger = await opened(path);
    await ledger.reserve(reservation(1));
    change(path);
    const error = { kind: 'incomplete', message: expect.stringContaining(`${path} was `) };
    await expect(ledger.reserve(reservation(2))).rejects.toMatchObject(error);
    await expect(ledger.close()).rejects.toMatchObject(error);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').not.toContain('"line":2');
  };
  it.each([
    ['written to', (path: string) => appendFileSync(path, '{}\n')],
    ['emptied', (path: string) => writeFileSync(path, '')],
  ])('that another process has %s takes no more entries', (_, change) => refusesAfter(change));
  it.skipIf(lacks('openFiles')).each([
    ['removed', (path: string) => rmSync(path)],
    [
      'replaced',
      (path: string) => {
        writeFileSync(`${path}.new`, readFileSync(path));
        renameSync(`${path}.new`, path);
      },
    ],
  ])('that another process has %s takes no more entries', (_, change) => refusesAfter(change));

  it('leaves other files alone', async () => {
    for (const text of ['hello', 'hello\n', '{"a":1}\n', '{"format":"other"', '\0\0']) {
      const path = newPath();
      writeFileSync(path, text);
      await expect(BulkLedger.open(path)).rejects.toMatchObject({
        kind: 'usage',
        message: `${path} is not a ledger`,
      });
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    await expect(BulkLedger.open(folder)).rejects.toMatchObject({ kind: 'output' });
  });

  it.each([
    ['command', { command: 'update' as const }],
    ['base URL', { baseUrl: 'https://api.datacite.org' }],
    ['account', { account: 'other.repo' }],
    ['event', { event: 'publish' }],
  ])('of a run with another %s is refused', async (what, change) => {
    const path = newPath();
    await (await opened(path)).close();
    await expect(opened(path, { ...HEADER, ...change })).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`belongs to a run with another ${what}`),
    });
    await (await opened(path)).close();
  });

  it('of another version is refused, and an unused one leaves no file', async () => {
    const path = newPath();
    writeFileSync(path, `${JSON.stringify({ ...HEADER, version: 3 })}\n`);
    await expect(opened(path)).rejects.toMatchObject({
      message: expect.stringContaining('damaged in line 1'),
    });
    const unused = newPath();
    await (await BulkLedger.open(unused)).close();
    expect(existsSync(unused)).toBe(false);
  });

  it('takes no answer after it was closed', async () => {
    const path = newPath();
    const ledger = await opened(path);
    await ledger.close();
    const before = readFileSync(path, 'utf8');
    ledger.settle({ line: 1, of, result: result(1) });
    await ledger.close();
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
});
