import { describe, expect, it } from 'vitest';
import { rising, shapes, skewed, slowing, varying } from './shapes.ts';
import { simulate, type WalkSettings } from './simulated-walks.ts';

// More would hide that a list waits for its reader.
const MOST_BYTES = 70 * 1024 * 1024;
const COUNT = 100_000;

interface Case {
  readonly what: string;
  readonly mostTimes: number;
  created(): Float64Array;
  settings?(): WalkSettings;
}

const CASES: readonly Case[] = [
  { what: 'spread evenly', mostTimes: 1.12, created: () => shapes.even(COUNT) },
  { what: 'more in each year', mostTimes: 1.2, created: () => shapes.growing(COUNT) },
  { what: 'most in a day', mostTimes: 1.35, created: () => shapes.day(COUNT) },
  { what: 'most in an hour', mostTimes: 1.35, created: () => shapes.hour(COUNT) },
  { what: 'in ten bursts', mostTimes: 1.3, created: () => shapes.bursts(COUNT) },
  { what: 'in seconds of 3000', mostTimes: 1.45, created: () => shapes.ties(COUNT) },
  { what: 'in batches, one a day', mostTimes: 1.7, created: () => shapes.batches(COUNT) },
  { what: 'half of them in one second', mostTimes: 5, created: () => shapes.half(COUNT) },
  { what: 'in bursts of any size', mostTimes: 1.6, created: () => shapes.mixed(COUNT) },
  ...(['even', 'growing', 'day', 'hour', 'bursts', 'ties', 'mixed'] as const).map(
    (shape): Case => ({
      what: `of the shape ${shape}, whose years are not counted`,
      mostTimes: 1.35,
      created: () => shapes[shape](COUNT),
      settings: () => ({ hasFacets: false }),
    }),
  ),
  {
    what: 'of a few months, within a second',
    mostTimes: 1.2,
    created: () => shapes.months(20_000),
    settings: () => ({ size: 100, rate: { requests: 40, windowMs: 1000 }, latency: () => 200 }),
  },
  {
    what: 'whose answers take from 0.6 to 1.4 s, and some fail',
    mostTimes: 1.6,
    created: () => shapes.even(COUNT),
    settings: () => ({ latency: varying(1000, 0.4), fails: (request) => request % 200 === 150 }),
  },
  {
    // The first answer alone decides how many requests are sent at once: here it is a fast one.
    what: 'whose answers take from half to twice as long',
    mostTimes: 2.5,
    created: () => shapes.even(COUNT),
    settings: () => ({ latency: skewed(1000) }),
  },
  {
    what: 'of a service that becomes slower',
    mostTimes: 2.2,
    created: () => shapes.even(COUNT),
    settings: () => ({ latency: rising(1000, 2) }),
  },
  { what: 'a million of them', mostTimes: 1.06, created: () => shapes.even(1_000_000) },
];

describe.each(['list', 'copy'] as const)('a %s', (mode) => {
  // Times the ideal, the slots of the rate limit and one answer, on a clock that measures nothing
  // else.
  it.each(CASES)(
    'of records, $what, keeps near the rate limit',
    async ({ mostTimes, created, settings }) => {
      const { wrong, pages, requests, timesIdeal, mostBytes } = await simulate(
        mode,
        created(),
        settings?.(),
      );
      expect(wrong).toBe(0);
      expect(timesIdeal).toBeLessThan(mostTimes);
      // Less would mean that the simulated service lets more through than its limit.
      expect(timesIdeal).toBeGreaterThan(0.99);
      expect(requests).toBeLessThanOrEqual(1.15 * pages + 16);
      expect(mostBytes).toBeLessThan(MOST_BYTES);
    },
  );

  it('leaves a service alone that slows down under load', async () => {
    const latency = slowing(1000, 6);
    const { wrong, pages, requests, timesIdeal, open } = await simulate(mode, shapes.even(COUNT), {
      latency,
    });
    expect(wrong).toBe(0);
    expect(timesIdeal).toBeLessThan(2);
    expect(requests).toBeLessThanOrEqual(1.15 * pages + 16);
    // A job of a copy goes on to the end of its window.
    expect(open).toBeLessThanOrEqual(mode === 'list' ? 7 : 13);
  });
});
