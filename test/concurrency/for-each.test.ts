import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forEachLimited } from '../../src/concurrency/for-each.ts';

describe('forEachLimited', () => {
  it('begins every item once, in order, with a limited number at once', async () => {
    const begun: number[] = [];
    let active = 0;
    let most = 0;
    await forEachLimited([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      begun.push(item);
      active += 1;
      most = Math.max(most, active);
      await setImmediate();
      active -= 1;
    });
    expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('throws the first failure after all that was under way, and begins nothing more', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const run = forEachLimited([1, 2, 3, 4], 2, async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('one');
      await setImmediate();
      ended.push(item);
    });
    await expect(run).rejects.toThrow('one');
    expect(begun).toEqual([1, 2]);
    expect(ended).toEqual([2]);
  });
});
