import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Timeline, yearCounts } from '../../../src/harvest/plan/timeline.ts';

const NOW = Date.parse('2026-07-01T00:00:00.000Z');
const ALL = { from: null, to: null };
const year = (number: number) => Date.parse(`${number}-01-01T00:00:00.000Z`);
const yearSpan = (number: number) => ({ from: year(number), to: year(number + 1) });

describe('an even timeline', () => {
  it('spreads all records from 2000 to now', () => {
    const timeline = Timeline.even(1000, NOW);
    expect(timeline.estimate(ALL)).toBe(1000);
    expect(timeline.estimate({ from: null, to: year(2000) })).toBe(0);
    expect(timeline.estimate({ from: NOW + 2 * 86_400_000, to: null })).toBe(0);
    expect(timeline.estimate(yearSpan(2010))).toBeCloseTo(1000 / 26.5, 0);
  });

  it('cuts in the middle of that time', () => {
    const cut = Timeline.even(1000, NOW).cut(ALL, 0.5) ?? 0;
    expect(new Date(cut).getUTCFullYear()).toBe(2013);
  });

  it('cuts an open span further out where its records are said to be', () => {
    const timeline = Timeline.even(1000, NOW);
    const old = { from: null, to: year(2000) };
    timeline.learn(old, 900);
    timeline.learn({ from: year(2000), to: null }, 100);
    const cut = timeline.cut(old, 0.5) ?? 0;
    expect(cut).toBeLessThan(year(2000));
    expect(new Date(cut).getUTCFullYear()).toBe(1000);
  });
});

describe('a timeline of years', () => {
  const ten = Array.from({ length: 10 }, (_, index) => ({ year: 2026 - index, count: 100 }));

  it('puts further records before the earliest of ten years', () => {
    const timeline = Timeline.fromYears(ten, 3000, NOW);
    expect(timeline.estimate({ from: null, to: year(2017) })).toBeCloseTo(2000);
    expect(timeline.estimate(yearSpan(2020))).toBeCloseTo(100);
    expect(timeline.estimate(ALL)).toBeCloseTo(3000);
  });

  it('has no record in a year that is not listed', () => {
    const timeline = Timeline.fromYears(
      [
        { year: 2011, count: 10 },
        { year: 2020, count: 30 },
      ],
      40,
      NOW,
    );
    expect(timeline.estimate({ from: year(2012), to: year(2020) })).toBe(0);
    expect(timeline.estimate({ from: null, to: year(2011) })).toBe(0);
    const cut = timeline.cut(ALL, 0.5) ?? 0;
    expect(new Date(cut).getUTCFullYear()).toBe(2020);
  });

  it('ends the current year now', () => {
    const timeline = Timeline.fromYears([{ year: 2026, count: 100 }], 100, NOW);
    expect(timeline.estimate({ from: NOW + 86_400_000, to: null })).toBe(0);
  });

  it('believes the total where the years differ from it', () => {
    expect(Timeline.fromYears([{ year: 2020, count: 7 }], 100, NOW).estimate(yearSpan(2020))).toBeCloseTo(
      100,
    );
    expect(Timeline.fromYears([{ year: 2020, count: 70 }], 10, NOW).estimate(ALL)).toBeCloseTo(10);
  });

  it('is even without years', () => {
    expect(Timeline.fromYears([], 100, NOW).cut(ALL, 0.5)).toBe(Timeline.even(100, NOW).cut(ALL, 0.5));
    expect(Timeline.fromYears([{ year: 2020, count: 0 }], 100, NOW).estimate(ALL)).toBe(100);
  });
});

describe('cut', () => {
  it('ends where the records end, although sums of fractions are not exact', () => {
    const timeline = Timeline.even(1000, NOW, year(2011));
    for (let n = 1; n <= 60; n += 1) {
      const to = year(2011) + n * 50 * 86_400_000;
      timeline.learn({ from: to - 50 * 86_400_000, to }, 1000 / n);
      expect(timeline.cut({ from: year(2011) + n * 1234, to: null }, 1)).toBeLessThan(NOW + 2 * 86_400_000);
    }
  });
});

describe('learn', () => {
  it('moves the next cut to where the records are', () => {
    const timeline = Timeline.even(1000, NOW);
    timeline.learn({ from: null, to: year(2025) }, 10);
    timeline.learn({ from: year(2025), to: null }, 990);
    expect(timeline.cut(ALL, 0.5)).toBeGreaterThan(year(2025));
    expect(timeline.estimate(ALL)).toBeCloseTo(1000);
  });
});

describe('cut', () => {
  it('is undefined for a span of one millisecond', () => {
    const timeline = Timeline.even(1000, NOW);
    expect(timeline.cut({ from: NOW, to: NOW + 1 }, 0.5)).toBeUndefined();
    expect(timeline.cut({ from: NOW, to: NOW + 2 }, 0.5)).toBe(NOW + 1);
  });

  const span = fc.tuple(fc.nat(2e12), fc.nat(1e11), fc.nat(3)).map(([from, width, open]) => ({
    from: open & 1 ? null : from,
    to: open & 2 ? null : from + width + 1,
  }));
  const years = fc.uniqueArray(fc.record({ year: fc.integer({ min: 1, max: 9998 }), count: fc.nat(1000) }), {
    selector: (entry) => entry.year,
    maxLength: 12,
  });

  it('is inside of any span, and the estimate of the parts is that of the whole', () => {
    const property = fc.property(
      years,
      fc.nat(100_000),
      fc.array(fc.tuple(span, fc.nat(1000)), { maxLength: 8 }),
      span,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (buckets, total, learnt, asked, share) => {
        const timeline = Timeline.fromYears(buckets, total, NOW);
        for (const [known, count] of learnt) {
          timeline.learn(known, count);
          expect(timeline.estimate(known)).toBeCloseTo(count, 3);
        }
        const cut = timeline.cut(asked, share);
        if (asked.from !== null && asked.to !== null && asked.to - asked.from <= 1) {
          expect(cut).toBeUndefined();
          return;
        }
        expect(Number.isSafeInteger(cut)).toBe(true);
        expect(cut).toBeGreaterThan(asked.from ?? Number.NEGATIVE_INFINITY);
        expect(cut).toBeLessThan(asked.to ?? Number.POSITIVE_INFINITY);
        const before = timeline.estimate({ ...asked, to: cut ?? null });
        const after = timeline.estimate({ ...asked, from: cut ?? null });
        expect(before + after).toBeCloseTo(timeline.estimate(asked), 3);
      },
    );
    fc.assert(property);
  });
});

describe('yearCounts', () => {
  it('reads the facet of creation years', () => {
    const created = [
      { id: '2026', title: '2026', count: 3 },
      { id: '2019', title: '2019', count: 5 },
    ];
    expect(yearCounts({ total: 8, created })).toEqual([
      { year: 2026, count: 3 },
      { year: 2019, count: 5 },
    ]);
  });

  it.each([
    ['no meta', undefined],
    ['no facet', { total: 3 }],
    [
      'too many years',
      { created: Array.from({ length: 101 }, (_, n) => ({ id: String(1900 + n), count: 1 })) },
    ],
    ['an object', { created: { '2019': 3 } }],
    ['a negative count', { created: [{ id: '2019', count: -1 }] }],
    ['a count as text', { created: [{ id: '2019', count: '1' }] }],
    ['a month', { created: [{ id: '2019-01', count: 1 }] }],
    ['the year 0', { created: [{ id: '0000', count: 1 }] }],
    ['a number as id', { created: [{ id: 2019, count: 1 }] }],
    [
      'a year twice',
      {
        created: [
          { id: '2019', count: 1 },
          { id: '2019', count: 2 },
        ],
      },
    ],
    ['null', { created: [null] }],
  ])('takes none of a facet with %s', (_what, meta) => {
    expect(yearCounts(meta)).toEqual([]);
  });
});
