import { describe, expect, it } from 'vitest';
import { coalesced, once } from '../../src/concurrency/promises.ts';

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
