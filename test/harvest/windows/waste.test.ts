import { describe, expect, it } from 'vitest';
import { ALL_TIME } from '../../../src/harvest/walk/creation-time.ts';
import { Waste } from '../../../src/harvest/windows/waste.ts';
import { Window } from '../../../src/harvest/windows/window.ts';

const windowOf = (count: number, isCounted = true) =>
  new Window({ from: null, to: 5000 }, count, isCounted);
const PAGE = { total: 1000, first: 0, middle: 0, last: 0, isLast: false };

/** How many parts may be cut off a window of ten pages after some happening. */
function partsAfter(happens: (waste: Waste<Window>) => void, others: Window[] = []): number {
  const waste = new Waste<Window>(1000, 100);
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
    expect(new Waste<Window>(1000, 100).mostParts(nearlyFull, [nearlyFull])).toBe(before);
  });

  it('are shared with other windows, by their records', () => {
    const other = windowOf(1000);
    expect(partsAfter(() => undefined, [other])).toBeLessThanOrEqual(before / 2);
    expect(partsAfter(() => undefined, [windowOf(990, false)])).toBeLessThan(before / 2);
    other.state = 'ended';
    expect(partsAfter(() => undefined, [other])).toBeGreaterThanOrEqual(before - 1);
  });
});
