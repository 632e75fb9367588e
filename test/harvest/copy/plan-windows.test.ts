import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/emulator/state/query.ts';
import { planWindows as plannedBy, type Window } from '../../../src/harvest/copy/plan-windows.ts';
import { ALL_TIME, createdClause, type Span } from '../../../src/harvest/walk/creation-time.ts';
import { combinedQuery } from '../../../src/harvest/walk/query-params.ts';

const NOW = Date.parse('2026-08-15T12:34:56.789Z');
const inside = (time: number, { from, to }: Span) =>
  (from === null || time >= from) && (to === null || time < to);
const countIn = (times: readonly number[], span: Span) => times.filter((time) => inside(time, span)).length;
const sumOf = (windows: readonly Window[]) => windows.reduce((sum, { count }) => sum + count, 0);

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

/** Windows cover all time exactly once when they are in order, have no gap and are open at both ends. */
function expectCover(windows: readonly Window[]): void {
  expect(windows[0]?.from).toBe(null);
  expect(windows.at(-1)?.to).toBe(null);
  const froms = windows.slice(1).map(({ from }) => from);
  expect(froms).not.toContain(null);
  expect(froms).toEqual(windows.slice(0, -1).map(({ to }) => to));
  const isEmpty = ({ from, to }: Span) => from !== null && to !== null && to <= from;
  expect(windows.filter(isEmpty)).toEqual([]);
}

const usual = fc.integer({ min: Date.UTC(2004, 0), max: NOW });
const someTimes = fc.oneof(
  { weight: 6, arbitrary: usual },
  fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.UTC(2000, 0) + 3 }),
  fc.integer({ min: NOW, max: NOW + 200_000_000 }),
  fc.integer({ min: NOW, max: Date.UTC(9999, 10) }),
  fc.constantFrom(0, Date.UTC(2000, 0), Date.UTC(2000, 0) - 1, NOW, NOW + 86_400_000),
);
/** Ties, bursts of neighbouring milliseconds, and years without a record. */
const distributions = fc
  .array(
    fc.record({
      time: someTimes,
      ties: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 10, max: 40 })),
      step: fc.constantFrom(0, 0, 1, 2, 1000, 7_200_000),
    }),
    { maxLength: 15 },
  )
  .map((groups) =>
    groups.flatMap(({ time, ties, step }) => Array.from({ length: ties }, (_, i) => time + i * step)),
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
        expect(plan).toMatchObject({ understood: true, total: times.length });
        expectCover(windows);
        const holding = times.map((time) => windows.filter((window) => inside(time, window)).length);
        expect(holding.filter((count) => count !== 1)).toEqual([]);
        expect(windows.map(({ count }) => count)).toEqual(windows.map((window) => countIn(times, window)));
        for (const window of windows) {
          const found = new Set(times.filter((time) => inside(time, window)));
          if (window.count > most) expect(found.size).toBe(1);
          if (window.count > most && window.from !== null && window.to !== null)
            expect(window.to - window.from).toBe(1);
          // An empty window exists only between milliseconds that hold too much.
          if (window.count === 0 && windows.length > 1) {
            const i = windows.indexOf(window);
            for (const next of [windows[i - 1], windows[i + 1]])
              if (next !== undefined) expect(next.count).toBeGreaterThan(most);
          }
        }
      }),
      { numRuns: 120 },
    );
  });

  it.each([
    ['no record', []],
    ['one record', [NOW]],
    ['as many as a window may hold', Array.from({ length: 10 }, (_, i) => NOW - i * 1e10)],
  ])('asks once for %s', async (_, times) => {
    const plan = await planWindows(async (span) => countIn(times, span), { most: 10, now: NOW, jobs: 4 });
    expect(plan).toEqual({
      windows: [{ from: null, to: null, count: times.length }],
      total: times.length,
      understood: true,
      counts: 1,
    });
  });

  it('lets a millisecond stand alone', async () => {
    const tie = Date.parse('2015-06-03T04:05:06.007Z');
    const times = Array.from({ length: 5000 }, () => tie);
    const plan = await planWindows(async (span) => countIn(times, span), { most: 1000, now: NOW, jobs: 4 });
    expect(plan.windows).toEqual([
      { from: null, to: tie, count: 0 },
      { from: tie, to: tie + 1, count: 5000 },
      { from: tie + 1, to: null, count: 0 },
    ]);
    expect(plan.counts).toBeLessThan(170);
  });

  it('takes less than two counts for each window where records are spread evenly', async () => {
    const times = Array.from({ length: 20_000 }, (_, i) => Date.UTC(2011, 0) + i * 24_000_000);
    const plan = await planWindows(async (span) => countIn(times, span), { most: 200, now: NOW, jobs: 4 });
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
        total: 300,
        understood: false,
      });
      expect(counts).toBeLessThan(60);
    });
    it('that finds nothing for a query', async () => {
      expect(await plan(({ from, to }) => (from === null && to === null ? 300 : 0))).toMatchObject(fallback);
    });
    it('that knows records without a creation time', async () => {
      expect(
        await plan((span) => countIn(times, span) + (span.from === null && span.to === null ? 1 : 0)),
      ).toMatchObject(fallback);
    });
    it('that includes the end of a range', async () => {
      const dense = Array.from({ length: 300 }, (_, i) => NOW + i);
      expect(
        await plan((span) => countIn(dense, { from: span.from, to: span.to === null ? null : span.to + 1 })),
      ).toMatchObject(fallback);
    });
    it('that fails in one place deep inside only, and asks for nothing more', async () => {
      let asked = 0;
      const wrong = Date.UTC(2012, 0);
      const result = await plan((span) => {
        asked += 1;
        const narrow = span.from !== null && span.to !== null && span.to - span.from < 5e10;
        return countIn(times, span) + (narrow && inside(wrong, span) ? 1 : 0);
      });
      expect(result).toMatchObject(fallback);
      const before = asked;
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(asked - before).toBeLessThanOrEqual(4);
    });
  });

  it('accepts a total that grows meanwhile, wherever records appear', async () => {
    const arrivals = fc.array(fc.oneof(fc.constant(NOW), usual), { minLength: 1, maxLength: 10 });
    const rhythm = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(distributions, options, arrivals, rhythm, async (first, rest, later, every) => {
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
        const isWrong = (window: Window) =>
          window.count < countIn(first, window) || window.count > countIn(times, window);
        expect(plan.windows.filter(isWrong)).toEqual([]);
        expect(plan.total).toBeGreaterThanOrEqual(sumOf(plan.windows));
        expect(plan.total).toBeLessThanOrEqual(times.length);
      }),
      { numRuns: 60 },
    );
  });

  it('counts a cut again when one record came while another went', async () => {
    const base = Array.from({ length: 40 }, (_, i) => Date.UTC(2010, 0) + i * 1e10);
    let times = [...base];
    let asked = 0;
    const plan = await planWindows(
      async (span) => {
        asked += 1;
        // Between two counts, the first record, already counted, disappears, and one not yet counted appears.
        if (asked === 4) times = [...base.slice(1), NOW];
        return countIn(times, span);
      },
      { most: 10, now: NOW, jobs: 1 },
    );
    expect(plan).toMatchObject({ understood: true, total: 40 });
    expect(plan.windows.map((window) => countIn(times, window))).toEqual(
      plan.windows.map(({ count }) => count),
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
    await expect(planWindows(failing, { most: 10, now: NOW, jobs: 3 })).rejects.toThrow('no network');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(asked).toBeLessThanOrEqual(24);
  });
});

describe('createdClause', () => {
  const [from, to] = [Date.UTC(2024, 0), Date.UTC(2024, 1)];
  it.each([
    [{ from, to }, 'created:[2024-01-01T00:00:00.000Z TO 2024-02-01T00:00:00.000Z}'],
    [{ from: null, to }, 'created:[* TO 2024-02-01T00:00:00.000Z}'],
    [{ from, to: null }, 'created:[2024-01-01T00:00:00.000Z TO *]'],
    [{ from: null, to: null }, undefined],
  ])('%o', (span, clause) => {
    expect(createdClause(span)).toBe(clause);
  });
  it('is understood by the emulator together with a query', () => {
    const query = combinedQuery(
      'state:findable',
      createdClause({ from, to }),
      createdClause({ from, to: null }),
    );
    expect(parseQuery(query ?? '')).toEqual({
      ranges: { created: { from: from / 1000, to: to / 1000 } },
      terms: [{ field: 'state', value: 'findable' }],
      rest: [],
    });
  });
});

describe('combinedQuery', () => {
  it('puts the query into parentheses', () => {
    expect(combinedQuery('a OR b', 'created:[* TO *]')).toBe('(a OR b) AND created:[* TO *]');
    expect(combinedQuery('a', 'b:1', undefined, 'c:1')).toBe('(a) AND b:1 AND c:1');
  });
  it('leaves alone what stands alone', () => {
    expect(combinedQuery('a OR b', undefined)).toBe('a OR b');
    expect(combinedQuery(undefined, 'b:1')).toBe('b:1');
    expect(combinedQuery('  ', 'b:1', 'c:1')).toBe('b:1 AND c:1');
    expect(combinedQuery('', undefined)).toBe(undefined);
  });
  it.each([
    'a AND (b OR (c))',
    'title:"a ) ( [ } b"',
    'title:"a \\" ) b"',
    'a\\) b\\( \\" \\[ \\\\',
    'updated:[2024-01-01 TO 2024-02-01}',
    'x:{1 TO 2] OR (y:{1 TO 2} AND z:[1 TO 2])',
    'x:["a ] b" TO "c"] (d)',
    'x:[( TO a\\] (b)',
    'x:"\\\\" (a)',
    'titles.title:"two\nlines" \\\n',
    'doi:10.5438\\/0012',
  ])('accepts %s', (query) => {
    expect(combinedQuery(query, 'b:1')).toBe(`(${query}) AND b:1`);
  });
  it.each([
    ['a) OR (b', ') at character 2 has no counterpart'],
    ['(a', '( at character 1 has no counterpart'],
    ['((a) b', '( at character 1 has no counterpart'],
    ['a "b', '" at character 3 has no counterpart'],
    ['a "b\\"', '" at character 3 has no counterpart'],
    ['x:[1 TO 2', '[ at character 3 has no counterpart'],
    ['x:{1 TO "2}', '{ at character 3 has no counterpart'],
    ['(x:[1 TO 2)', '[ at character 4 has no counterpart'],
    ['x:1 TO 2]', '] at character 9 has no counterpart'],
    ['a}', '} at character 2 has no counterpart'],
    ['a \\(b)', ') at character 6 has no counterpart'],
    ['a\\', '\\ at character 2 escapes nothing'],
  ])('refuses %s', (query, problem) => {
    expect(() => combinedQuery(query, 'b:1')).toThrow(`the query is not balanced: ${problem}`);
  });
  it('takes little time for a long query', () => {
    const start = performance.now();
    expect(() => combinedQuery('['.repeat(100_000))).toThrow('not balanced');
    expect(() => combinedQuery('x:["'.repeat(25_000))).toThrow('not balanced');
    expect(() => combinedQuery(`${'('.repeat(100_000)}`)).toThrow('not balanced');
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
