import { createReadStream, type ReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError, stopReason } from '../../src/errors.ts';
import { readJsonLines } from '../../src/formats/json/read.ts';
import { InDoubt } from '../../src/writing/create-record.ts';
import { BulkLedger } from '../../src/writing/ledger/ledger.ts';
import { LineIndex } from '../../src/writing/ledger/line-index.ts';
import { InOrder, runBulk } from '../../src/writing/run.ts';
import { survey, surveyedLines } from '../../src/writing/survey.ts';
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

let runs = 0;

/** Starts a run over numbered lines. */
async function start(count: number, jobs: number, work: (line: number) => Promise<void>) {
  runs += 1;
  const path = join(folder, `${runs}.ndjson`);
  writeFileSync(path, Array.from({ length: count }, (_, line) => `${line + 1}\n`).join(''));
  const streams: ReadStream[] = [];
  const input = inputOf(path, streams);
  const ledger = await BulkLedger.open(`${path}.ledger`);
  await ledger.claim({
    ...{ format: 'doi-cli bulk ledger', version: 2, command: 'create' },
    ...{ baseUrl: 'https://api.test.datacite.org', account: 'demo.repo', event: null },
    ...{ seed: 'seed', begun: '2026-05-01T00:00:00.000Z' },
  });
  const stop = new AbortController();
  await survey({
    input,
    index: ledger.index,
    signal: stop.signal,
    doiOf: () => undefined,
    mayChange: false,
  });
  const written: number[] = [];
  const begun: number[] = [];
  const result = { doi: null, state: null, outcome: 'created', errors: [] } as const;
  const done = runBulk({
    ...{ input, index: ledger.index, ledger, jobs, signal: stop.signal, failFast: false },
    apply: async ({ line }) => {
      begun.push(line);
      await work(line);
      return { result: { ...result, line } };
    },
    failed: ({ line }) => ({ ...result, line, outcome: 'failed' }),
    write: async ({ line }) => void written.push(line),
    progress: () => undefined,
  });
  return { done: done.finally(() => ledger.close()), stop, written, begun, streams };
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
    expect(await done).toMatchObject({ created: 50 });
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
    expect(await done).toMatchObject({ created: 8, failed: 4, unavailable: 0, doubtful: 0 });
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
    expect(await done).toMatchObject({ created: 5, failed: 7, unavailable: 6, doubtful: 1 });
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
    writeFileSync(path, 'one\ntwo\nthree\n');
    await survey({
      input,
      index,
      signal: new AbortController().signal,
      doiOf: () => undefined,
      mayChange: false,
    });
    expect(await all(surveyedLines(input, index))).toHaveLength(3);
    writeFileSync(path, text);
    await expect(all(surveyedLines(input, index))).rejects.toMatchObject({
      exitCode: 1,
      message: `${path}:${line} changed while it was read`,
    });
  });
});

describe('results', () => {
  it('are written in the order of their lines, in whatever order they become known', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 40 }),
        async (scheduler, count, most) => {
          const written: string[] = [];
          const order = new InOrder<string>(async (text) => {
            await null;
            written.push(text);
          }, most);
          let ahead = 0;
          const adding = (async () => {
            for (let line = 0; line < count; line += 1) {
              const result = scheduler.schedule(Promise.resolve(`${line}`));
              await order.push(() => result);
              ahead = Math.max(ahead, line + 1 - written.length);
            }
          })();
          await scheduler.waitFor(adding);
          await scheduler.waitAll();
          await order.end();
          expect(written).toEqual(Array.from({ length: count }, (_, line) => `${line}`));
          expect(ahead).toBeLessThanOrEqual(most);
        },
      ),
    );
  });
  it('end before the first unknown one', async () => {
    const written: string[] = [];
    const order = new InOrder<string>(async (text) => void written.push(text), 10);
    for (const result of ['a', 'b', undefined, 'd']) await order.push(async () => result);
    await order.end();
    expect(written).toEqual(['a', 'b']);
  });
  it('that never become known are given up', async () => {
    const written: string[] = [];
    const order = new InOrder<string>(async (text) => void written.push(text), 2);
    await order.push(async () => 'a');
    const full = order.push(() => new Promise(() => undefined));
    await sleep(1);
    order.abandon();
    await full;
    await order.end();
    expect(written).toEqual(['a']);
  });
  it('that cannot be written report the error', async () => {
    const order = new InOrder<string>(async () => {
      throw new Error('no reader');
    }, 1);
    await expect(order.push(async () => 'a')).rejects.toThrow('no reader');
    await expect(order.push(async () => 'b')).rejects.toThrow('no reader');
    await expect(order.end()).rejects.toThrow('no reader');
  });
});
