import { describe, expect, it } from 'vitest';
import { Trust } from '../../../src/harvest/windows/trust.ts';
import { type Burst, Window } from '../../../src/harvest/windows/window.ts';

const NOON = Date.UTC(2020, 5, 1, 12);
const MINUTE = 60_000;
const BURST: Burst = { to: NOON + 10 * MINUTE, count: 5000, until: NOON + 10_000 * MINUTE };

/** A window of which 1000 records have been read up to noon, and the burst behind them is cut at five past. */
function cutWindow(trust: Trust, burst: Burst | undefined): Window {
  const window = new Window({ from: null, to: null }, 6000, true);
  Object.assign(window, { held: 1000, latest: NOON, burst });
  trust.expect(window, NOON + 5 * MINUTE);
  return window;
}

/** The trust after cuts in front of which lay so many records that had not been read. */
function trustAfter(...counts: readonly number[]): number {
  const trust = new Trust();
  for (const count of counts) trust.learn(cutWindow(trust, BURST), 1000 + count);
  return trust.share;
}

describe('the trust in bursts', () => {
  it('grows where a burst has gone on, and falls where it has ended', () => {
    const [begin, more, less] = [trustAfter(), trustAfter(2500), trustAfter(3)];
    expect(more).toBeGreaterThan(begin);
    expect(less).toBeLessThan(begin);
    expect(trustAfter(2500, 2500)).toBeGreaterThanOrEqual(more);
    expect(trustAfter(3, 3)).toBeLessThanOrEqual(less);
    expect(trustAfter(2500, 3)).toBeLessThan(more);
  });

  it('is never sure, whatever is counted', () => {
    for (const count of [0, 2500, 5000, 1e9, -1000]) {
      const share = trustAfter(...new Array<number>(50).fill(count));
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(1);
    }
  });

  it('learns from the first count of a window only', () => {
    const trust = new Trust();
    const window = cutWindow(trust, BURST);
    trust.learn(window, 1000 + 2500);
    const { share } = trust;
    trust.learn(window, 1000);
    expect(trust.share).toBe(share);
  });

  it.each([
    ['without a burst', undefined],
    ['whose cut tells nothing, as the burst would end where all records do', { ...BURST, until: BURST.to }],
  ])('learns nothing from a window %s', (_, burst) => {
    const trust = new Trust();
    trust.learn(cutWindow(trust, burst), 1000);
    expect(trust.share).toBe(new Trust().share);
  });
});
