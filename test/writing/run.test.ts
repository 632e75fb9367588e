import { createReadStream, type ReadStream, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError, stopReason } from '../../src/errors.ts';
import { readJsonLines } from '../../src/formats/json/read.ts';
import { InDoubt } from '../../src/writing/create-record.ts';
import { BulkLedger } from '../../src/writing/ledger/ledger.ts';
import { LineIndex } from '../../src/writing/ledger/line-index.ts';
import type { RunLedger } from '../../src/writing/ledger/run-ledger.ts';
import { runFile } from '../../src/writing/run.ts';
import { RunCounts } from '../../src/writing/run-counts.ts';
import { survey, surveyedLines } from '../../src/writing/survey.ts';
import type { WriteRun } from '../../src/writing/write-run.ts';
import { sharedDirectory } from '../helpers/temporary.ts';

const folder = sharedDirectory();

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const inputOf = (path: string, streams: ReadStream[] = []) => ({
  name: path,
  rows: false,
  records: () => {
    const stream = createReadStream(path);
    streams.push(stream);
    return readJsonLines(stream, path, {});
  },
});

const OPTIONS = { command: 'publish', validate: false } as const;

/** A run whose requests call `work` with the number of their line, and change nothing. */
const runOf = (
  work: (line: number) => Promise<void>,
  ledger: RunLedger,
  signal: AbortSignal,
  jobs: number,
) => {
  const call = async ({ url }: { readonly url: string }) => {
    const line = Number(/\d+$/.exec(url));
    await work(line);
    return { id: `10.5072/${line}`, attributes: { state: 'findable' }, text: '{}' };
  };
  const service = { caller: {}, http: { url: (path: string) => path, call } };
  const host = { now: () => 0, signal };
  const io = { host, redactor: { mask: (text: string) => text }, suggest: () => '' };
  return {
    ...{ io, ledger, jobs, mode: 'send', service: async () => service },
    send: (request: () => Promise<unknown>) => request(),
  } as unknown as WriteRun;
};

let runs = 0;

/** Begins a run over numbered DOIs. */
async function begin(count: number, jobs: number, work: (line: number) => Promise<void>) {
  runs += 1;
  const path = join(folder, `${runs}.ndjson`);
  writeFileSync(path, Array.from({ length: count }, (_, line) => `10.5072/${line + 1}\n`).join(''));
  const streams: ReadStream[] = [];
  const input = inputOf(path, streams);
  const ledger = await BulkLedger.open(`${path}.ledger`);
  await ledger.claim({
    ...{ format: 'doi-cli bulk ledger', version: 2, command: 'publish' },
    ...{ baseUrl: 'https://api.test.datacite.org', account: 'demo.repo', event: null },
    ...{ seed: 'seed', begun: '2026-05-01T00:00:00.000Z' },
  });
  const stop = new AbortController();
  const { signal } = stop;
  const surveyed = await survey({ input, options: OPTIONS, index: ledger.index, signal });
  const begun: number[] = [];
  const begins = async (line: number) => {
    begun.push(line);
    await work(line);
  };
  const lines = runFile(runOf(begins, ledger, signal, jobs), surveyed);
  return { lines, ledger, stop, begun, streams };
}

/** Takes all lines of a run. */
async function start(count: number, jobs: number, work: (line: number) => Promise<void>) {
  const { lines, ledger, ...others } = await begin(count, jobs, work);
  const written: number[] = [];
  const counts = new RunCounts();
  const takeAll = async () => {
    for await (const line of lines) {
      counts.add(line);
      written.push(line.result.line);
    }
    const names = ['unchanged', 'failed', 'unavailable', 'doubtful'] as const;
    return Object.fromEntries(names.map((name) => [name, counts.of(name)]));
  };
  return { done: takeAll().finally(() => ledger.close()), written, ...others };
}

describe('a run over a file', () => {
  it('begins no line too far ahead of an unfinished one, and still ends at a stop', async () => {
    const { done, stop, written, begun, streams } = await start(3000, 2, async (line) => {
      if (line === 11) await new Promise(() => undefined);
    });
    await expect.poll(() => begun.length).toBeGreaterThan(1000);
    await sleep(20);
    expect(begun.length).toBeLessThanOrEqual(10 + 1024);
    stop.abort(stopReason('SIGINT'));
    await expect(done).rejects.toMatchObject({ kind: 'interrupted' });
    expect(written).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await expect.poll(() => streams.map(({ closed }) => closed)).toEqual([true, true]);
  });
  it('carries out no more lines at once than it has jobs', async () => {
    let [now, most] = [0, 0];
    const { done, written } = await start(50, 4, async () => {
      now += 1;
      most = Math.max(most, now);
      await sleep(Math.random() * 3);
      now -= 1;
    });
    expect(await done).toMatchObject({ unchanged: 50 });
    expect(most).toBe(4);
    expect(written).toEqual(Array.from({ length: 50 }, (_, line) => line + 1));
  });
});

describe('an error of a line', () => {
  const failing = (errors: Readonly<Record<number, Error>>, jobs = 1) =>
    start(12, jobs, async (line) => {
      await null;
      const error = errors[line];
      if (error !== undefined) throw error;
    });
  const outage = (kind: 'unavailable' | 'throttled' = 'unavailable') =>
    new CliError(kind, 'the service does not answer');
  const refused = (status: number) => new CliError('credentials', 'no entry', { status });

  it.each([
    ['refused credentials', refused(401)],
    ['a full disk', new CliError('output', 'no room')],
    ['a lost lock', new CliError('incomplete', 'the lock is lost')],
  ])('ends the run if it is %s', async (_, error) => {
    for (const jobs of [1, 3]) {
      const { done, begun, written } = await failing({ 4: error }, jobs);
      await expect(done).rejects.toBe(error);
      expect(Math.max(...begun)).toBeLessThanOrEqual(3 + jobs);
      expect(written).toEqual([1, 2, 3]);
    }
  });
  it.each([
    ['a prefix of another account', refused(403)],
    ['a refusal', new CliError('rejected', 'is wrong', { status: 422 })],
  ])('lets the run continue if it is %s', async (_, error) => {
    const { done, written } = await failing({ 2: error, 3: error, 4: error, 5: error });
    expect(await done).toMatchObject({ unchanged: 8, failed: 4, unavailable: 0, doubtful: 0 });
    expect(written).toHaveLength(12);
  });
  it.each([
    ['no answer', outage()],
    ['too many requests', outage('throttled')],
    ['an answer in doubt', new InDoubt(outage())],
  ])('ends the run if three lines in a row had %s', async (_, error) => {
    const reason = error instanceof InDoubt ? error.reason : error;
    const { done, begun, written } = await failing({ 2: error, 5: error, 6: error, 7: error });
    await expect(done).rejects.toBe(reason);
    expect([begun, written]).toEqual([
      [1, 2, 3, 4, 5, 6, 7],
      [1, 2, 3, 4, 5, 6, 7],
    ]);
  });
  it('lets the run continue if other lines had an answer in between', async () => {
    const { done } = await failing({
      ...{ 1: outage(), 2: outage(), 3: new CliError('rejected', 'is wrong'), 4: outage() },
      ...{ 5: new InDoubt(outage()), 7: outage(), 8: outage() },
    });
    expect(await done).toMatchObject({ unchanged: 5, failed: 7, unavailable: 6, doubtful: 1 });
  });
});

describe('a file that changes after it was checked', () => {
  it.each([
    ['is cut', 'one\ntwo\n', 3],
    ['is cut within a line', 'one\ntwo\nthr', 3],
    ['is emptied', '', 1],
    ['has another line', 'one\nTWO\nthree\n', 2],
    ['has a blank line in place of one', 'one\n\nthree\n', 2],
    ['has one more line', 'one\ntwo\nthree\nfour\n', 4],
  ])('because it %s is an error', async (_, text, line) => {
    const path = join(folder, 'changing.ndjson');
    const [input, index] = [inputOf(path), new LineIndex()];
    const numbered = (lines: string) => lines.replace(/\w+/g, '10.5072/$&');
    writeFileSync(path, numbered('one\ntwo\nthree\n'));
    const { signal } = new AbortController();
    const surveyed = await survey({ input, options: OPTIONS, index, signal });
    expect(await all(surveyedLines(surveyed))).toHaveLength(3);
    writeFileSync(path, numbered(text));
    await expect(all(surveyedLines(surveyed))).rejects.toMatchObject({
      exitCode: 1,
      message: `${path}:${line} changed while it was read`,
    });
  });
});

describe('results', () => {
  it('are in the order of their lines, in whatever order they become known', async () => {
    const delays = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(delays, fc.integer({ min: 1, max: 8 }), async (waits, jobs) => {
        const { done, written } = await start(waits.length, jobs, async (line) => {
          await sleep(waits[line - 1]);
        });
        await done;
        expect(written).toEqual(waits.map((_, line) => line + 1));
      }),
      { numRuns: 20 },
    );
  });
  it('that nobody takes end the run: no line begins, and a line in progress has some time', async () => {
    const finished: number[] = [];
    const { lines, ledger, begun, streams } = await begin(2000, 4, async (line) => {
      if (line === 7) await new Promise(() => undefined);
      await sleep(1);
      finished.push(line);
    });
    const take = async () => {
      for await (const { result } of lines) if (result.line === 4) throw new Error('no reader');
    };
    await expect(take()).rejects.toThrow('no reader');
    const atEnd = begun.length;
    expect(finished).toHaveLength(atEnd - 1);
    await sleep(20);
    expect(begun).toHaveLength(atEnd);
    expect(ledger.index.done).toBe(atEnd - 1);
    await expect.poll(() => streams.map(({ closed }) => closed)).toEqual([true, true]);
    await ledger.close();
  });
  /** The same run again, over lines that are all done. */
  async function again() {
    const path = join(folder, `${runs}.ndjson`);
    const ledger = await BulkLedger.open(`${path}.ledger`);
    const { signal } = new AbortController();
    const options = { input: inputOf(path), options: OPTIONS, index: ledger.index, signal };
    const surveyed = await survey(options);
    const run = runOf(async () => expect.unreachable(), ledger, signal, 2);
    return { ledger, lines: runFile(run, surveyed) };
  }

  it('of an earlier run come from its ledger, without a request', async () => {
    const { done, begun, written } = await start(3, 1, async () => undefined);
    await done;
    const { ledger, lines } = await again();
    expect((await all(lines)).map(({ result, isBefore }) => [result.line, isBefore])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
    expect([begun, written]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await ledger.close();
  });
  it('that the ledger has lost end the run with an error, however many lines are ahead', async () => {
    const { done } = await start(1500, 4, async () => undefined);
    await done;
    const { ledger, lines } = await again();
    truncateSync(ledger.path, 2000);
    await expect(all(lines)).rejects.toThrow(/ledger/);
    await ledger.close();
  });
});
