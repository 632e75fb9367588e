import { describe, expect, it } from 'vitest';
import { understandsTimes } from '../../../src/harvest/windows/understands-times.ts';

describe('a service whose whole has 100 records', () => {
  it.each([
    ['as many on both sides of a time', [30, 70], 100, true],
    ['too few records', [30, 69], 100, false],
    ['all records on each side', [100, 100], 100, false],
    ['none on either', [0, 0], 100, false],
    ['some of the records that were added since', [30, 73], 105, true],
    ['fewer records, because some were hidden since', [30, 65], 95, true],
    ['more records than now and before', [30, 77], 105, false],
  ])('and %s is judged by counts', async (_, [before, after], now, understands) => {
    const count = async ({ from, to }: { from: number | null; to: number | null }) =>
      (to !== null ? before : from !== null ? after : now) ?? 0;
    expect(await understandsTimes(count, 5000, 100)).toBe(understands);
  });
});
