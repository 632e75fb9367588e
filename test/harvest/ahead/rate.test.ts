import { describe, expect, it } from 'vitest';
import { simulateList } from './simulated-list.ts';

const BEGIN = Date.UTC(2011, 0);
const END = Date.UTC(2026, 5);

/** Numbers from 0 to 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const inSeconds = (times: Float64Array) => times.map((time) => Math.floor(time / 1000) * 1000).sort();

/** Each year has as many records. */
function evenly(count: number): Float64Array {
  const random = numbers(1);
  const at = (n: number) => BEGIN + ((END - BEGIN) * (n + random())) / count;
  return inSeconds(Float64Array.from({ length: count }, (_, n) => at(n)));
}

/** Each year has more records than the one before it. */
function growing(count: number): Float64Array {
  const random = numbers(2);
  return inSeconds(Float64Array.from({ length: count }, () => BEGIN + (END - BEGIN) * random() ** 0.25));
}

/** Up to 5000 records at a time, in one second or in steps. */
function inBursts(count: number): Float64Array {
  const random = numbers(3);
  const times: number[] = [];
  while (times.length < count) {
    const start = BEGIN + random() * (END - BEGIN);
    const step = [0, 1000, 10_000][Math.floor(random() * 3)] as number;
    const burst = Math.ceil(random() ** 3 * 5000);
    for (let n = 0; n < burst && times.length < count; n += 1) times.push(start + n * step);
  }
  return inSeconds(Float64Array.from(times));
}

const around = (ms: number) => {
  const random = numbers(4);
  return () => ms * (1.02 + random() / 20);
};

describe('a list that is asked for ahead of its walk', () => {
  // Times the ideal, the slots of the rate limit and one answer, on a clock that measures nothing else.
  it.each([
    ['a million records', evenly(1_000_000), 1000, 1.05],
    ['300,000 records', evenly(300_000), 1000, 1.08],
    ['100,000 records', evenly(100_000), 1000, 1.16],
    ['99,000 records', evenly(99_000), 1000, 1.16],
    ['60,000 records', evenly(60_000), 1000, 1.25],
    ['100,000 records, answered at once', evenly(100_000), 300, 1.06],
    ['100,000 records, answered slowly', evenly(100_000), 3000, 1.4],
    ['150,000 records, answered slowly', evenly(150_000), 3000, 1.6],
    ['300,000 records, answered slowly', evenly(300_000), 3000, 1.35],
    ['a million records, more in each year', growing(1_000_000), 1000, 1.12],
    ['99,000 records, more in each year', growing(99_000), 1000, 1.25],
    ['99,000 records, more in each year, answered slowly', growing(99_000), 3000, 1.7],
    ['300,000 records in bursts', inBursts(300_000), 1000, 1.6],
  ])('keeps to the rate limit with %s', async (_, created, ms, times) => {
    const { records, requests, pages, mostBytes, timesIdeal } = await simulateList(created, around(ms));
    expect(records).toBe(created.length);
    expect(timesIdeal).toBeLessThan(times);
    // One in ten, and more of a list of a hundred pages.
    expect(requests).toBeLessThanOrEqual(pages + Math.max(20, pages / 10));
    expect(mostBytes).toBeLessThan(70 * 1024 * 1024);
  });
});
