import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { coalesced, forEachLimited, once, Semaphore } from '../../src/concurrency/promises.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('coalesced', () => {
  it('runs once at a time, and calls during a run share the next one', async () => {
    const finish: (() => void)[] = [];
    const run = coalesced(() => new Promise((resolve) => finish.push(resolve)));
    const first = run();
    await settled();
    const [second, third] = [run(), run()];
    await settled();
    expect(finish.length).toBe(1);
    finish[0]?.();
    await first;
    await settled();
    expect(finish.length).toBe(2);
    finish[1]?.();
    await Promise.all([second, third]);
  });

  it('reports a failure to the callers of that run only', async () => {
    let runs = 0;
    const run = coalesced(async () => {
      runs += 1;
      await settled();
      if (runs === 1) throw new Error('one');
    });
    const first = run();
    await settled();
    const second = run();
    await expect(first).rejects.toThrow('one');
    await second;
    expect(runs).toBe(2);
  });
});

describe('once', () => {
  it('runs a single time, also if that fails', async () => {
    let runs = 0;
    const run = once(async () => {
      runs += 1;
      await settled();
      throw new Error('no');
    });
    const calls = [run(), run()];
    for (const call of [...calls, run()]) await expect(call).rejects.toThrow('no');
    expect(runs).toBe(1);
  });
});

describe('forEachLimited', () => {
  it('begins every item once, in order, with a limited number at once', async () => {
    const begun: number[] = [];
    let active = 0;
    let most = 0;
    await forEachLimited([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      begun.push(item);
      active += 1;
      most = Math.max(most, active);
      await turn();
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
      await turn();
      ended.push(item);
    });
    await expect(run).rejects.toThrow('one');
    expect(begun).toEqual([1, 2]);
    expect(ended).toEqual([2]);
  });
});

describe('Semaphore', () => {
  it('lets a limited number go on at once, and the others in the order of asking', async () => {
    const slots = new Semaphore(2);
    const begun: number[] = [];
    const gives: (() => void)[] = [];
    for (let index = 0; index < 5; index += 1) {
      void slots.acquire().then((give) => {
        begun.push(index);
        gives[index] = give;
      });
    }
    await settled();
    expect(begun).toEqual([0, 1]);
    gives[1]?.();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    gives[0]?.();
    gives[2]?.();
    await settled();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('counts a slot that is given back twice once', async () => {
    const slots = new Semaphore(1);
    const give = await slots.acquire();
    give();
    give();
    await slots.acquire();
    let second = false;
    void slots.acquire().then(() => {
      second = true;
    });
    await settled();
    expect(second).toBe(false);
  });
});
