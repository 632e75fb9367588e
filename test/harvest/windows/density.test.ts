import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_TIME, type Span } from '../../../src/harvest/walk/creation-time.ts';
import { Density, type YearCount, yearCounts } from '../../../src/harvest/windows/density.ts';

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const NOW = Date.parse('2026-07-01T00:00:00.000Z');
const year = (number: number) =>
  Date.parse(`${String(number).padStart(4, '0')}-01-01T00:00:00.000Z`);
const years = (from: number, to: number) => ({ from: year(from), to: year(to) });

const densityOf = (total: number, counts: readonly YearCount[] = [], oldest?: number) =>
  new Density({ total, years: counts, oldest, now: NOW });
const yearOf = (time: number | undefined) => new Date(time ?? Number.NaN).getUTCFullYear();

describe('a density without years', () => {
  it('spreads all records from 2000, or from the oldest one, to now', () => {
    const density = densityOf(1000);
    expect(density.estimate(ALL_TIME)).toBeCloseTo(1000);
    expect(density.estimate({ from: null, to: year(2000) })).toBe(0);
    expect(density.estimate({ from: NOW + 2 * DAY, to: null })).toBe(0);
    expect(density.estimate(years(2010, 2011))).toBeCloseTo(1000 / 26.5, 0);
    expect(yearOf(density.cut(ALL_TIME, 0.5))).toBe(2013);
    expect(yearOf(densityOf(1000, [], year(2020)).cut(ALL_TIME, 0.5))).toBe(2023);
  });

  it('cuts an open span further out where its records are said to be', () => {
    const density = densityOf(1000);
    density.learn({ from: null, to: year(2000) }, 900);
    density.learn({ from: year(2000), to: null }, 100);
    expect(yearOf(density.cut({ from: null, to: year(2000) }, 0.5))).toBe(1000);
  });
});

describe('a density of years', () => {
  it('puts further records before the earliest of ten years', () => {
    const density = densityOf(
      3000,
      Array.from({ length: 10 }, (_, index) => ({ year: 2026 - index, count: 100 })),
    );
    expect(density.estimate({ from: null, to: year(2017) })).toBeCloseTo(2000);
    expect(density.estimate(years(2020, 2021))).toBeCloseTo(100);
    expect(density.estimate(ALL_TIME)).toBeCloseTo(3000);
  });

  it('has no record in a year that is not listed, nor after now', () => {
    const counts = [
      { year: 2026, count: 30 },
      { year: 2011, count: 10 },
    ];
    const density = densityOf(40, counts);
    expect(density.estimate(years(2012, 2026))).toBeCloseTo(0);
    expect(density.estimate({ from: null, to: year(2011) })).toBeCloseTo(0);
    expect(density.estimate({ from: NOW + DAY, to: null })).toBeCloseTo(0);
    expect(yearOf(density.cut(ALL_TIME, 0.5))).toBe(2026);
  });

  it.each([
    ['with more records than there are', [{ year: 2024, count: 1e15 }]],
    ['without a record', [{ year: 2024, count: 0 }]],
  ])('ignores years %s', (_, counts) => {
    const density = densityOf(100, counts);
    expect(density.estimate(ALL_TIME)).toBeCloseTo(100);
    expect(density.cut(ALL_TIME, 0.5)).toBe(densityOf(100).cut(ALL_TIME, 0.5));
  });
});

describe('learn', () => {
  // Counts overlap: the estimate agrees with all of them, but for less than a tenth of the records.
  const near = (estimate: number, count: number) =>
    expect(Math.abs(estimate - count)).toBeLessThan(100);

  it('moves the next cut to where the records are', () => {
    const density = densityOf(1000);
    density.learn({ from: null, to: year(2025) }, 10);
    expect(density.cut(ALL_TIME, 0.5)).toBeGreaterThan(year(2025));
    expect(density.estimate(ALL_TIME)).toBeCloseTo(1000);
  });

  it('lets what is not counted share what is left of the counts around it', () => {
    const density = densityOf(1000, [{ year: 2020, count: 1000 }]);
    const month = (number: number) => Date.UTC(2020, number);
    density.learn({ from: month(3), to: month(6) }, 700);
    const before = density.estimate({ from: null, to: month(3) });
    const behind = density.estimate({ from: month(6), to: null });
    expect(density.estimate({ from: month(3), to: month(6) })).toBeCloseTo(700);
    near(before + behind, 300);
    expect(behind / before).toBeCloseTo((month(12) - month(6)) / (month(3) - month(0)), 0);
    density.learn({ from: month(6), to: null }, 290);
    near(density.estimate({ from: null, to: month(3) }), 10);
  });

  it('keeps what has been read', () => {
    const density = densityOf(1000, [{ year: 2020, count: 1000 }]);
    const read = { from: year(2020), to: Date.UTC(2020, 1) };
    density.markRead(read, 400);
    density.learn({ from: year(2020), to: Date.UTC(2020, 6) }, 500);
    expect(density.estimate(read)).toBe(400);
    near(density.estimate({ from: Date.UTC(2020, 1), to: Date.UTC(2020, 6) }), 100);
    near(density.estimate(ALL_TIME), 1000);
  });

  it('takes all counts at once in place of earlier ones', () => {
    const density = densityOf(1000, [{ year: 2020, count: 1000 }]);
    const at = year(2015);
    density.learnAll([
      { from: null, to: at, count: 900 },
      { from: at, to: null, count: 600 },
    ]);
    expect(density.estimate({ from: null, to: at })).toBeCloseTo(900);
    expect(density.estimate({ from: at, to: null })).toBeCloseTo(600);
  });
});

describe('follow', () => {
  const counts = [{ year: 2020, count: 10_000 }];
  const at = Date.UTC(2020, 4);
  const rest = { from: at, to: null };
  const read = () => {
    const density = densityOf(10_000, counts);
    density.markRead({ from: year(2020), to: at }, 1000);
    return density;
  };

  it('finds a burst behind a page, up to where its records would end', () => {
    const density = read();
    const burst = density.burstAfter(rest, SECOND, true);
    expect(burst?.to).toBe(at + 9000 * SECOND);
    expect(burst?.count).toBeCloseTo(9000);
    expect(burst?.until).toBe(year(2021));
    expect(density.cut(rest, 0.4)).toBeLessThan(at + 9000 * SECOND);
    expect(density.estimate(rest)).toBeCloseTo(9000);
  });

  it('takes it for ended where that is more likely', () => {
    const density = read();
    expect(density.burstAfter(rest, SECOND, false)).toBeDefined();
    expect(density.cut(rest, 0.5)).toBeGreaterThan(at + 9000 * SECOND);
  });

  it('expects most records behind a second that is full of them', () => {
    const density = read();
    expect(density.burstAfter(rest, 0, true)?.to).toBe(at + SECOND);
    expect(density.estimate({ from: at, to: at + SECOND })).toBeLessThan(4500);
    expect(density.estimate(rest)).toBeCloseTo(9000);
  });

  it.each([
    ['whose records come as slowly as all do', 2500 * SECOND],
    ['without creation times', Number.NaN],
  ])('finds none behind a page %s', (_, step) => {
    const density = read();
    const before = density.cut(rest, 0.3);
    expect(density.burstAfter(rest, step, true)).toBeUndefined();
    expect(density.cut(rest, 0.3)).toBe(before);
  });

  it('finds none where nothing is left', () => {
    expect(read().burstAfter({ from: at, to: at }, SECOND, true)).toBeUndefined();
  });
});

describe('cut', () => {
  it('is at whole seconds, and undefined where there is none', () => {
    const density = densityOf(1000);
    const span = (to: number) => ({ from: NOW, to: NOW + to });
    expect(density.cut(span(SECOND), 0.5)).toBeUndefined();
    expect(density.cut(span(SECOND + 1), 0.5)).toBe(NOW + SECOND);
    expect(density.cut({ from: NOW + 1, to: NOW + 1500 }, 0.5)).toBe(NOW + SECOND);
    expect(density.cut({ from: NOW + 1, to: NOW + 999 }, 0.5)).toBeUndefined();
  });

  it('ends where the records end, although sums of fractions are not exact', () => {
    const density = densityOf(1000, [], year(2011));
    for (let n = 1; n <= 60; n += 1) {
      const to = year(2011) + n * 50 * DAY;
      density.learn({ from: to - 50 * DAY, to }, 1000 / n);
      expect(density.cut({ from: year(2011) + n * 1234, to: null }, 1)).toBeLessThan(NOW + 2 * DAY);
    }
  });

  const span = fc.tuple(fc.nat(2e12), fc.nat(1e11), fc.nat(3)).map(([from, width, open]) => ({
    from: open & 1 ? null : from,
    to: open & 2 ? null : from + width + 1,
  }));
  const counts = fc.uniqueArray(
    fc.record({ year: fc.integer({ min: 1, max: 9998 }), count: fc.nat(1000) }),
    {
      selector: (entry) => entry.year,
      maxLength: 12,
    },
  );
  const told = fc.array(
    fc.tuple(fc.constantFrom('learn', 'markRead', 'burstAfter'), span, fc.nat(1000)),
    {
      maxLength: 8,
    },
  );

  it('is inside of any span, and the estimates of the parts add up to the whole', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const property = fc.property(
      counts,
      fc.nat(100_000),
      told,
      span,
      share,
      (known, total, all, asked, at) => {
        const density = densityOf(total, known);
        for (const [what, about, number] of all) {
          if (what === 'burstAfter') density.burstAfter(about, number, number % 2 === 0);
          else density[what as 'learn' | 'markRead'](about, number);
          if (what === 'markRead') expect(density.estimate(about)).toBeCloseTo(number, 3);
        }
        expectCut(density, asked, at);
      },
    );
    fc.assert(property);
  });
});

function expectCut(density: Density, { from, to }: Span, share: number): void {
  const cut = density.cut({ from, to }, share);
  const first = from === null ? Number.NEGATIVE_INFINITY : (Math.floor(from / SECOND) + 1) * SECOND;
  if (cut === undefined) {
    expect(first).toBeGreaterThanOrEqual(to ?? Number.POSITIVE_INFINITY);
    return;
  }
  expect(Math.abs(cut % SECOND)).toBe(0);
  expect(cut).toBeGreaterThanOrEqual(first);
  expect(cut).toBeLessThan(to ?? Number.POSITIVE_INFINITY);
  const parts = density.estimate({ from, to: cut }) + density.estimate({ from: cut, to });
  expect(parts).toBeGreaterThanOrEqual(0);
  expect(parts).toBeCloseTo(density.estimate({ from, to }), 3);
}

const entries = (length: number) =>
  Array.from({ length }, (_, n) => ({ id: String(1900 + n), title: 'any', count: n }));

describe('yearCounts', () => {
  it('reads the facet of creation years', () => {
    const created = entries(100);
    const counts = yearCounts({ total: 8, created });
    expect(counts).toEqual(created.map(({ id, count }) => ({ year: Number(id), count })));
  });

  it.each([
    ['no meta', undefined],
    ['no facet', { total: 3 }],
    ['an object', { created: { '2019': 3 } }],
    ['a negative count', { created: [{ id: '2019', count: -1 }] }],
    ['a count as text', { created: [{ id: '2019', count: '1' }] }],
    ['a month', { created: [{ id: '2019-01', count: 1 }] }],
    ['the year 0', { created: [{ id: '0000', count: 1 }] }],
    ['the year 9999, after which there is none', { created: [{ id: '9999', count: 1 }] }],
    ['a number as id', { created: [{ id: 2019, count: 1 }] }],
    ['null', { created: [null] }],
  ])('takes none of a facet with %s', (_what, meta) => {
    expect(yearCounts(meta)).toEqual([]);
  });
});
