import { describe, expect, it } from 'vitest';
import { BEGIN, END, shapes, slowing, steady, varying } from './shapes.ts';
import {
  Clock,
  type SimulatedPage,
  SimulatedService,
  type SimulatedSpan,
} from './simulated-service.ts';

const ALL: SimulatedSpan = { from: null, to: null };
const RATE = { requests: 3000, windowMs: 300_000 };

/** Ten records, one a second from second 1. */
const TEN = Float64Array.from({ length: 10 }, (_, n) => 1000 * (n + 1));

interface Settings {
  readonly created?: Float64Array;
  readonly rate?: typeof RATE;
  readonly latency?: (open: number) => number;
  readonly fails?: (request: number) => boolean;
}

function simulated(settings: Settings = {}) {
  const clock = new Clock();
  const service = new SimulatedService({
    created: TEN,
    rate: RATE,
    latency: steady(500),
    clock,
    ...settings,
  });
  const run = async <T>(promise: Promise<T>): Promise<T> => {
    await clock.runUntil(promise);
    return promise;
  };
  return { clock, service, run };
}

async function walk(
  service: SimulatedService,
  span: SimulatedSpan,
  size: number,
): Promise<SimulatedPage[]> {
  const pages: SimulatedPage[] = [];
  for (let cursor: string | null = '1'; cursor !== null; cursor = pages.at(-1)?.next ?? null) {
    pages.push(await service.page(span, cursor, size));
  }
  return pages;
}

describe('the simulated service', () => {
  it('lists records in order, and has a page behind a last page that is full', async () => {
    const { service, run } = simulated();
    const pages = await run(walk(service, ALL, 5));
    expect(pages).toEqual([
      { start: 0, count: 5, total: 10, next: '5', first: 1000, middle: 3000, last: 5000, ms: 500 },
      {
        start: 5,
        count: 5,
        total: 10,
        next: '10',
        first: 6000,
        middle: 8000,
        last: 10_000,
        ms: 500,
      },
      {
        start: 10,
        count: 0,
        total: 10,
        next: null,
        first: Number.NaN,
        middle: Number.NaN,
        last: Number.NaN,
        ms: 500,
      },
    ]);
    expect(service.requests).toBe(3);
  });

  it('goes on behind the first record', async () => {
    const { service, run } = simulated();
    const pages = await run(walk(service, ALL, 1));
    expect(pages.map(({ first }) => first)).toEqual([...TEN, Number.NaN]);
  });

  it('lists a span with its beginning and without its end', async () => {
    const { service, run } = simulated();
    const page = await run(service.page({ from: 3000, to: 7000 }, '1', 100));
    expect(page).toMatchObject({
      count: 4,
      total: 4,
      next: null,
      first: 3000,
      middle: 5000,
      last: 6000,
    });
    const empty = await run(service.page({ from: 7000, to: 3000 }, '1', 100));
    expect(empty).toMatchObject({ count: 0, total: 0, next: null });
  });

  it('goes on from the same record with an earlier end', async () => {
    const { service, run } = simulated();
    const { next } = await run(service.page(ALL, '1', 4));
    const span = { from: null, to: 6001 };
    const page = await run(service.page(span, next ?? '', 4));
    expect(page).toMatchObject({ count: 2, total: 6, next: null, first: 5000, last: 6000 });
    const behind = await run(service.page({ from: null, to: 2000 }, next ?? '', 4));
    expect(behind).toMatchObject({ count: 0, total: 1, next: null });
  });

  it('counts the records of a span', async () => {
    const { service, run } = simulated();
    const counts = await run(
      Promise.all([service.count(ALL), service.count({ from: 10_000, to: null })]),
    );
    expect(counts.map(({ count, total, next }) => ({ count, total, next }))).toEqual([
      { count: 0, total: 10, next: null },
      { count: 0, total: 1, next: null },
    ]);
  });

  it('repeats a failed request after a second, and reports the time of one answer', async () => {
    const { clock, service, run } = simulated({ fails: (request) => request <= 2 });
    const { ms } = await run(service.page(ALL, '1', 100));
    expect({ ms, requests: service.requests, now: clock.now() }).toEqual({
      ms: 500,
      requests: 3,
      now: 3500,
    });
  });

  it('keeps to the rate limit', async () => {
    const { clock, service, run } = simulated({
      rate: { requests: 10, windowMs: 1000 },
      latency: steady(5000),
    });
    const pages = await run(
      Promise.all(Array.from({ length: 100 }, () => service.page(ALL, '1', 1))),
    );
    // The wait for a turn is no part of an answer's time.
    expect(new Set(pages.map(({ ms }) => ms))).toEqual(new Set([5000]));
    // 99 intervals with the limiter's margin, and one answer.
    expect(clock.now()).toBeGreaterThanOrEqual(99 * 100 + 5000);
    expect(service.timesIdeal(100, 5000)).toBeCloseTo(1, 1);
    expect(service.mostOpen).toBeGreaterThanOrEqual(49);
    expect(service.mostOpen).toBeLessThanOrEqual(50);
    expect(service.openIn(5000, 9000)).toBeCloseTo(5000 / 100.8, 0);
  });

  it('ends a request and a wait for its turn with their signal', async () => {
    const { clock, service, run } = simulated();
    const controller = new AbortController();
    const pages = Promise.allSettled(
      [1, 2, 3].map(() => service.page(ALL, '1', 10, controller.signal)),
    );
    await run(clock.sleep(50, new AbortController().signal));
    controller.abort(new Error('enough'));
    const results = await run(pages);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect({ requests: service.requests, now: clock.now() }).toEqual({ requests: 1, now: 50 });
  });

  it('says how many records the ten latest years have', () => {
    const years = [2008, 2011, 2012, 2013, 2014, 2015, 2017, 2018, 2019, 2020, 2021, 2021];
    const { service } = simulated({
      created: Float64Array.from(years, (year) => Date.UTC(year, 0)),
    });
    expect(service.years().map(({ year, count }) => [year, count])).toEqual([
      [2021, 2],
      ...[2020, 2019, 2018, 2017, 2015, 2014, 2013, 2012, 2011].map((year) => [year, 1]),
    ]);
  });

  it('rejects a wait for something that is no timer', async () => {
    const { clock } = simulated();
    await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow(
      'nothing is left to wait for',
    );
  });

  it('lists a million records', async () => {
    const { service, run } = simulated({ created: shapes.even(1_000_000) });
    const pages = await run(walk(service, ALL, 1000));
    expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(1_000_000);
    expect(service.requests).toBe(1001);
  });
});

describe('the clock', () => {
  it('rings in the order of times, and of calls at the same time', async () => {
    const clock = new Clock();
    const { signal } = new AbortController();
    const rung: string[] = [];
    const waits = [30, 10, 20, 10, 30].map(async (ms, n) => {
      await clock.sleep(ms, signal);
      rung.push(`${n} at ${clock.now()}`);
    });
    await clock.runUntil(Promise.all(waits));
    expect(rung).toEqual(['1 at 10', '3 at 10', '2 at 20', '0 at 30', '4 at 30']);
  });
});

describe('shapes', () => {
  const COUNT = 30_500;
  const mostIn = (times: Float64Array, ms: number) => {
    let [most, start] = [0, 0];
    for (let end = 0; end < times.length; end += 1) {
      while ((times[end] as number) - (times[start] as number) >= ms) start += 1;
      most = Math.max(most, end - start + 1);
    }
    return most;
  };

  it.each(Object.entries(shapes))(
    '%s has as many records, in order, in whole seconds',
    (_, shape) => {
      const times = shape(COUNT);
      expect(times).toHaveLength(COUNT);
      expect(times.every((time, n) => n === 0 || time >= (times[n - 1] as number))).toBe(true);
      expect(times.every((time) => time % 1000 === 0 && time >= BEGIN && time < END)).toBe(true);
      expect(shape(COUNT)).toEqual(times);
    },
  );

  it('have as many records as they say in a time', () => {
    const DAY = 86_400_000;
    expect(mostIn(shapes.even(COUNT), DAY)).toBeLessThan(20);
    expect(mostIn(shapes.day(COUNT), DAY)).toBeGreaterThanOrEqual(0.9 * COUNT);
    expect(mostIn(shapes.hour(COUNT), DAY / 24)).toBeGreaterThanOrEqual(0.9 * COUNT);
    expect(mostIn(shapes.bursts(COUNT), 600_000)).toBe(Math.floor(0.099 * COUNT));
    expect(mostIn(shapes.ties(COUNT), 1)).toBe(3000);
    expect(mostIn(shapes.half(COUNT), 1)).toBe(COUNT / 2);
    expect(mostIn(shapes.batches(COUNT), 60_000)).toBe(1000);
    expect(mostIn(shapes.months(COUNT), 153 * DAY)).toBe(COUNT);
    expect(mostIn(shapes.growing(COUNT), 365 * DAY)).toBeGreaterThan(
      2 * mostIn(shapes.even(COUNT), 365 * DAY),
    );
    expect(mostIn(shapes.mixed(COUNT), 50_000_000)).toBeGreaterThan(1000);
  });

  it('have answers that take their time', () => {
    expect([1, 9].map(steady(700))).toEqual([700, 700]);
    expect([1, 8, 16].map(slowing(700, 8))).toEqual([700, 700, 1400]);
    const times = Array.from({ length: 1000 }, () => 1).map(varying(1000, 0.5));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(500);
    expect(Math.min(...times)).toBeLessThan(550);
    expect(Math.max(...times)).toBeGreaterThan(1450);
    expect(Math.max(...times)).toBeLessThanOrEqual(1500);
  });
});
