import { describe, expect, it } from 'vitest';
import { FirstCut } from '../../../src/harvest/windows/first-cut.ts';

const PARTS = [{}, {}, {}];

/** A cut of 100 records whose windows are counted, and how often the whole is counted again. */
function counted(counts: readonly (number | undefined)[], recount: () => Promise<number>) {
  let recounts = 0;
  const cut = new FirstCut(PARTS, 100, () => {
    recounts += 1;
    return recount();
  });
  for (const [index, count] of counts.entries()) cut.counted(PARTS[index] as object, count);
  return { cut, recounts: () => recounts };
}

const stays = async () => 100;

describe('a first cut', () => {
  it('is understood where its windows have as many records as the whole, without a further count', async () => {
    const { cut, recounts } = counted([30, 0, 70], stays);
    expect(await cut.understood).toBe(true);
    expect(recounts()).toBe(0);
  });

  it.each([
    ['too few records', [30, 0, 69], 100, false],
    ['too many records', [30, 1, 70], 100, false],
    ['each all records', [100, 100, 100], 100, false],
    ['records that were added since', [30, 5, 70], 105, true],
    ['some of the records that were added since', [30, 3, 70], 105, true],
    ['fewer records, because some were hidden since', [30, 0, 65], 95, true],
    ['more records than now and before', [30, 7, 70], 105, false],
    ['fewer records than now and before', [30, 0, 60], 95, false],
  ])('whose windows have %s is judged by a further count', async (_, counts, now, isUnderstood) => {
    const { cut, recounts } = counted(counts, async () => now);
    expect(await cut.understood).toBe(isUnderstood);
    expect(recounts()).toBe(1);
  });

  it('is not understood where the further count fails', async () => {
    const { cut } = counted([30, 0, 71], () => Promise.reject(new Error('HTTP 503')));
    expect(await cut.understood).toBe(false);
  });

  it('is not understood where a count is unusable', async () => {
    expect(await counted([30, undefined], stays).cut.understood).toBe(false);
  });

  it('awaits each window until its first count', async () => {
    const { cut } = counted([30, 0], stays);
    expect(PARTS.map((part) => cut.awaits(part))).toEqual([false, false, true]);
    // A later count of the same window, which was cut since.
    cut.counted(PARTS[0] as object, 5);
    cut.counted({}, 5);
    cut.counted(PARTS[2] as object, 70);
    expect(await cut.understood).toBe(true);
  });

  it('is not understood once an answer shows so, whatever is counted later', async () => {
    const { cut } = counted([30, 0], stays);
    cut.fail();
    expect(PARTS.map((part) => cut.awaits(part))).toEqual([false, false, false]);
    cut.counted(PARTS[2] as object, 70);
    expect(await cut.understood).toBe(false);
  });
});
