import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_TIME, contains, type Span } from '../../../src/harvest/walk/creation-time.ts';
import {
  type CountedSpan,
  planWindows as plannedBy,
} from '../../../src/harvest/windows/plan-windows.ts';
import { runs } from '../../helpers/runs.ts';

const NOW = Date.parse('2026-08-15T12:34:56.789Z');
const SECOND = 1000;
const countIn = (times: readonly number[], span: Span) =>
  times.filter((time) => contains(span, time)).length;

/** The plan for a service that is asked by `count`, and how often it was asked. */
async function planWindows(
  count: (span: Span) => Promise<number>,
  options: Omit<Parameters<typeof plannedBy>[1], 'total' | 'years'>,
) {
  let counts = 0;
  const ask = (span: Span) => {
    counts += 1;
    return count(span);
  };
  const plan = await plannedBy(ask, { ...options, total: await ask(ALL_TIME), years: [] });
  return { ...plan, counts };
}

/**
 * Windows cover all time exactly once when they are in order, have no gap and are open at both
 * ends.
 */
function expectCover(windows: readonly CountedSpan[]): void {
  expect(windows[0]?.from).toBe(null);
  expect(windows.at(-1)?.to).toBe(null);
  const froms = windows.slice(1).map(({ from }) => from);
  expect(froms).not.toContain(null);
  expect(froms).toEqual(windows.slice(0, -1).map(({ to }) => to));
  const isEmpty = ({ from, to }: Span) => from !== null && to !== null && to <= from;
  expect(windows.filter(isEmpty)).toEqual([]);
}

const secondOf = (time: number) => Math.floor(time / SECOND) * SECOND;
const seconds = (min: number, max: number) => fc.integer({ min, max }).map(secondOf);
const usual = seconds(Date.UTC(2004, 0), NOW);
const someTimes = fc.oneof(
  { weight: 6, arbitrary: usual },
  seconds(Date.parse('0001-01-01T00:00:00Z'), Date.UTC(2000, 0) + 3000),
  seconds(NOW, NOW + 200_000_000),
  seconds(NOW, Date.UTC(9999, 10)),
  fc.constantFrom(
    0,
    Date.UTC(2000, 0),
    Date.UTC(2000, 0) - SECOND,
    secondOf(NOW),
    secondOf(NOW) + 86_400_000,
  ),
);
/** Ties, bursts of neighbouring seconds, and years without a record. */
const distributions = fc
  .array(
    fc.record({
      time: someTimes,
      ties: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 10, max: 40 })),
      step: fc.constantFrom(0, 0, SECOND, 2 * SECOND, 1000 * SECOND, 7_200_000),
    }),
    { maxLength: 15 },
  )
  .map((groups) =>
    groups.flatMap(({ time, ties, step }) =>
      Array.from({ length: ties }, (_, i) => time + i * step),
    ),
  );
const options = fc.record({
  most: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 60 })),
  jobs: fc.integer({ min: 1, max: 8 }),
  now: fc.constant(NOW),
});

describe('planWindows', () => {
  it('covers every record exactly once, in windows that are small enough', async () => {
    await fc.assert(
      fc.asyncProperty(distributions, options, async (times, { most, jobs, now }) => {
        const plan = await planWindows(async (span) => countIn(times, span), { most, jobs, now });
        const { windows } = plan;
        expect(plan.understood).toBe(true);
        expectCover(windows);
        expect(windows.filter(({ from }) => (from ?? 0) % SECOND !== 0)).toEqual([]);
        const holding = times.map(
          (time) => windows.filter((window) => contains(window, time)).length,
        );
        expect(holding.filter((count) => count !== 1)).toEqual([]);
        expect(windows.map(({ count }) => count)).toEqual(
          windows.map((window) => countIn(times, window)),
        );
        for (const window of windows) {
          const found = new Set(times.filter((time) => contains(window, time)));
          if (window.count > most) expect(found.size).toBe(1);
          if (window.count > most && window.from !== null && window.to !== null)
            expect(window.to - window.from).toBe(SECOND);
          // An empty window exists only between seconds that hold too much.
          if (window.count === 0 && windows.length > 1) {
            const i = windows.indexOf(window);
            for (const next of [windows[i - 1], windows[i + 1]])
              if (next !== undefined) expect(next.count).toBeGreaterThan(most);
          }
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it.each([
    ['no record', []],
    ['one record', [NOW]],
    ['as many as a window may hold', Array.from({ length: 10 }, (_, i) => NOW - i * 1e10)],
  ])('asks once for %s', async (_, times) => {
    const plan = await planWindows(async (span) => countIn(times, span), {
      most: 10,
      now: NOW,
      jobs: 4,
    });
    expect(plan).toEqual({
      windows: [{ from: null, to: null, count: times.length }],
      understood: true,
      counts: 1,
    });
  });

  it('lets a second stand alone', async () => {
    const tie = Date.parse('2015-06-03T04:05:06Z');
    const times = Array.from({ length: 5000 }, () => tie);
    const plan = await planWindows(async (span) => countIn(times, span), {
      most: 1000,
      now: NOW,
      jobs: 4,
    });
    expect(plan.windows).toEqual([
      { from: null, to: tie, count: 0 },
      { from: tie, to: tie + SECOND, count: 5000 },
      { from: tie + SECOND, to: null, count: 0 },
    ]);
    expect(plan.counts).toBeLessThan(170);
  });

  it('takes less than two counts for each window where records are spread evenly', async () => {
    const times = Array.from({ length: 20_000 }, (_, i) => Date.UTC(2011, 0) + i * 24_000_000);
    const plan = await planWindows(async (span) => countIn(times, span), {
      most: 200,
      now: NOW,
      jobs: 4,
    });
    expect(plan.windows.length).toBeLessThan(160);
    expect(plan.counts).toBeLessThan(2 * plan.windows.length);
  });

  describe('does not trust a service', () => {
    const times = Array.from({ length: 300 }, (_, i) => Date.UTC(2010, 0) + i * 1_000_000_000);
    const plan = (count: (span: Span) => number) =>
      planWindows(async (span) => count(span), { most: 20, now: NOW, jobs: 4 });
    const fallback = { windows: [{ from: null, to: null }], understood: false };

    it('that ignores the query', async () => {
      const { counts, ...rest } = await plan(() => 300);
      expect(rest).toEqual({
        windows: [{ from: null, to: null, count: 300 }],
        understood: false,
      });
      expect(counts).toBeLessThan(60);
    });
    it('that finds nothing for a query', async () => {
      expect(await plan(({ from, to }) => (from === null && to === null ? 300 : 0))).toMatchObject(
        fallback,
      );
    });
    it('that knows records without a creation time', async () => {
      expect(
        await plan(
          (span) => countIn(times, span) + (span.from === null && span.to === null ? 1 : 0),
        ),
      ).toMatchObject(fallback);
    });
  });

  it('accepts a total that grows meanwhile, wherever records appear', async () => {
    const arrivals = fc.array(fc.oneof(fc.constant(NOW), usual), { minLength: 1, maxLength: 10 });
    const rhythm = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(
        distributions,
        options,
        arrivals,
        rhythm,
        async (first, rest, later, every) => {
          const times = [...first];
          let asked = 0;
          const plan = await planWindows(async (span) => {
            const before = countIn(times, span);
            await Promise.resolve();
            asked += 1;
            // A limit: a plan with windows of one record would never end.
            if (asked % every === 0 && asked < 400) times.push(later[asked % later.length] ?? NOW);
            return asked % 2 === 0 ? before : countIn(times, span);
          }, rest);
          expect(plan.understood).toBe(true);
          expectCover(plan.windows);
          const isWrong = (window: CountedSpan) =>
            window.count < countIn(first, window) || window.count > countIn(times, window);
          expect(plan.windows.filter(isWrong)).toEqual([]);
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('limits how many counts run at once, and stops at the first failure', async () => {
    const times = Array.from({ length: 300 }, (_, i) => Date.UTC(2010, 0) + i * 1_000_000_000);
    let [asked, running, most] = [0, 0, 0];
    const slowly = async (span: Span) => {
      asked += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      return countIn(times, span);
    };
    await planWindows(slowly, { most: 10, now: NOW, jobs: 3 });
    expect(most).toBe(3);

    asked = 0;
    const failing = async (span: Span) => {
      const count = await slowly(span);
      if (asked >= 20) throw new Error('no network');
      return count;
    };
    await expect(planWindows(failing, { most: 10, now: NOW, jobs: 3 })).rejects.toThrow(
      'no network',
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(asked).toBeLessThanOrEqual(24);
  });
});
