import { describe, expect, it } from 'vitest';
import { cutEvenly, cutsOf, type Demand } from '../../../src/harvest/plan/cuts.ts';
import { Timeline } from '../../../src/harvest/plan/timeline.ts';

const HOUR = 3_600_000;
const BEGIN = Date.UTC(2020, 0);
const END = BEGIN + 1000 * HOUR;
const SIZE = 1000;

/** A window of 1,000 hours of which one page is fetched, and one record an hour on average is 20 pages. */
const window = { from: BEGIN, to: END, latest: BEGIN + 50 * HOUR, held: SIZE, left: 19 * SIZE, misses: 0 };
const demand: Demand = {
  idle: 3,
  jobs: 4,
  leftInAll: 19 * SIZE,
  mostLeft: 19 * SIZE,
  spare: 10,
  pageSize: SIZE,
  most: 50_000,
};
const even = () => Timeline.even(20 * SIZE, END, BEGIN);

const cuts = (changedWindow: object = {}, changedDemand: object = {}) =>
  cutsOf({ ...window, ...changedWindow }, even(), { ...demand, ...changedDemand });

describe('a window is cut', () => {
  it('into a fair part of whole pages for each idle job, after its latest record', () => {
    const found = cuts();
    expect(found).toHaveLength(3);
    // A quarter of 19 pages would take five requests, and fill the last page by three quarters.
    const width = ((END - window.latest) * 4.9) / 19;
    for (const [index, cut] of found.entries()) {
      expect(Math.abs(cut - (window.latest + (index + 1) * width))).toBeLessThan(HOUR);
      expect(cut % 1000).toBe(0);
    }
  });

  it.each([
    ['all jobs are busy', {}, { idle: 0 }, 0],
    ['one job is idle', {}, { idle: 1 }, 1],
    ['one more window is worth its waste', {}, { spare: 1 }, 1],
    ['no further window is worth its waste', {}, { spare: 0 }, 0],
    ['less than two pages are left', { left: 1400 }, { mostLeft: 1400, leftInAll: 1400 }, 0],
    ['two pages are left', { left: 2000 }, { mostLeft: 2000, leftInAll: 2000 }, 1],
    ['another window has much more left', { left: 5000 }, { mostLeft: 19_000, leftInAll: 24_000 }, 0],
    ['it holds more than a window may', { left: 99_000 }, { idle: 0, spare: 0 }, 2],
    ['it holds as many as a window may', { left: 49_000 }, { idle: 0 }, 0],
    ['nothing is left', { held: 60_000, left: 0 }, { idle: 3 }, 0],
    ['what is left was created in the second of its latest record', { to: window.latest + 1000 }, {}, 0],
  ])('where %s', (_, changedWindow, changedDemand, pieces) => {
    expect(cuts(changedWindow, changedDemand)).toHaveLength(pieces);
  });

  it('closer and closer to its latest record while the later parts are empty', () => {
    const distance = (misses: number) => ((cuts({ misses })[0] ?? 0) - window.latest) / (END - window.latest);
    expect(distance(1)).toBeCloseTo(1 / 4, 3);
    expect(distance(2)).toBeCloseTo(1 / 16, 3);
    expect(distance(3)).toBeCloseTo(1 / 256, 3);
    // One cut tells enough.
    expect(cuts({ misses: 1 })).toHaveLength(1);
    // At last after the second of the latest record, or nowhere.
    expect(cuts({ misses: 20 })).toEqual([window.latest + 1000]);
    expect(cuts({ misses: 20, to: window.latest + 500 })).toEqual([]);
  });

  it('where the years say that records are', () => {
    const years = [
      { year: 2015, count: 1000 },
      { year: 2024, count: 19_000 },
    ];
    const timeline = Timeline.fromYears(years, 20_000, Date.UTC(2026, 0));
    const all = { ...window, from: null, to: null, latest: Date.UTC(2015, 11, 31) };
    for (const cut of cutsOf(all, timeline, demand)) expect(new Date(cut).getUTCFullYear()).toBe(2024);
  });
});

describe('cutEvenly', () => {
  it('makes fewer pieces of a span that is too narrow', () => {
    expect(cutEvenly(even(), { from: BEGIN, to: BEGIN + 3 }, 10)).toEqual([BEGIN + 1, BEGIN + 2]);
    expect(cutEvenly(even(), { from: BEGIN, to: BEGIN + 1 }, 10)).toEqual([]);
  });
});
