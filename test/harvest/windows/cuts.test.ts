import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_TIME } from '../../../src/harvest/walk/creation-time.ts';
import { equalLengths, growingLengths, Waste } from '../../../src/harvest/windows/cuts.ts';
import { Window } from '../../../src/harvest/windows/window.ts';

const windowOf = (count: number, isCounted = true) =>
  new Window({ from: null, to: 5000 }, count, undefined, isCounted);
const PAGE = { total: 1000, first: 0, middle: 0, last: 0, isLast: false };

/** How many parts may be cut off a window of ten pages after some happening. */
function partsAfter(happens: (waste: Waste) => void, others: Window[] = []): number {
  const waste = new Waste(1000, 100);
  const window = windowOf(1000);
  happens(waste);
  return waste.mostParts(window, [window, ...others]);
}

describe('the requests that cuts may waste', () => {
  const before = partsAfter(() => undefined);

  it('are fewer behind a last page that is not full', () => {
    const asked = ALL_TIME;
    const ends = (count: number) =>
      partsAfter((waste) => waste.onPage({ ...PAGE, asked, count, isLast: true }));
    expect([ends(100), ends(0)]).toEqual([before, before - 1]);
  });

  it('hold a whole page for the window that is cut, whose last page was nearly full', () => {
    const nearlyFull = windowOf(1090);
    expect(new Waste(1000, 100).mostParts(nearlyFull, [nearlyFull])).toBe(before);
  });

  it('are shared with other windows, by their records', () => {
    const other = windowOf(1000);
    expect(partsAfter(() => undefined, [other])).toBeLessThanOrEqual(before / 2);
    expect(partsAfter(() => undefined, [windowOf(990, false)])).toBeLessThan(before / 2);
    other.state = 'ended';
    expect(partsAfter(() => undefined, [other])).toBeGreaterThanOrEqual(before - 1);
  });
});

const whole = fc.integer({ min: 1, max: 40 });
const situations = fc
  .record({
    pages: fc.double({ min: 1.2, max: 2000, noNaN: true }),
    others: fc.double({ min: 0, max: 2000, noNaN: true }),
    before: fc.double({ min: 0, max: 100, noNaN: true }),
    ...{ jobs: whole, idle: whole, most: whole },
  })
  .map(({ others, ...rest }) => ({ ...rest, inReach: rest.pages + others }));

/** Less than whole pages, by so little that no further record fits. */
function expectWhole(lengths: readonly number[]): void {
  for (const length of lengths) {
    expect(length).toBeGreaterThan(Math.ceil(length) - 0.5);
    expect(length).toBeLessThan(Math.ceil(length));
  }
}

describe('equal lengths', () => {
  it('are nearly whole pages, at least one part and no more than may be cut off', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const lengths = equalLengths(situation);
        expectWhole(lengths);
        expect(new Set(lengths).size).toBe(1);
        expect(lengths.length).toBeLessThanOrEqual(situation.most);
      }),
    );
  });

  it('give each job the same', () => {
    const situation = { pages: 100, inReach: 100, before: 0, jobs: 10, idle: 9, most: 40 };
    const [length = 0, ...others] = equalLengths(situation);
    expect(others.length + 2).toBe(10);
    expect(Math.ceil(length)).toBe(10);
    // Others have as much: half of the jobs are for this one.
    expect(equalLengths({ ...situation, inReach: 200 }).length).toBe(4);
    expect(equalLengths({ ...situation, most: 3 })).toHaveLength(3);
    expect(Math.ceil(equalLengths({ ...situation, most: 3 })[0] ?? 0)).toBe(25);
  });
});

describe('growing lengths', () => {
  it('are nearly whole pages, each as long as the one before it or longer', () => {
    fc.assert(
      fc.property(situations, fc.integer({ min: 1, max: 200 }), (situation, room) => {
        const lengths = growingLengths(situation, room);
        expectWhole(lengths);
        expect(lengths.toSorted((a, b) => a - b)).toEqual(lengths);
        expect(lengths.length).toBeLessThanOrEqual(situation.most);
        // No part begins behind the window's end.
        const begun = lengths.slice(0, -1).reduce((sum, length) => sum + length, 0);
        if (lengths.length > 0) expect(begun).toBeLessThan(situation.pages);
      }),
    );
  });

  it('become longer further from the reader; a short window is not cut', () => {
    const situation = { pages: 500, inReach: 100, before: 0, jobs: 10, idle: 9, most: 40 };
    const near = growingLengths(situation, 100);
    expect(near.at(-1)).toBeGreaterThan(near[0] ?? 0);
    const far = growingLengths({ ...situation, before: 200 }, 100);
    expect(far[0]).toBeGreaterThan(near[0] ?? 0);
    expect(growingLengths({ ...situation, pages: near[0] ?? 0 }, 100)).toEqual([]);
  });
});
