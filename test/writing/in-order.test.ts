import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InOrder } from '../../src/writing/in-order.ts';

describe('results', () => {
  it('are written in the order of their lines, in whatever order they become known', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 40 }),
        async (scheduler, count, most) => {
          const written: string[] = [];
          const order = new InOrder<string>(async (text) => {
            await null;
            written.push(text);
          }, most);
          let ahead = 0;
          const adding = (async () => {
            for (let line = 0; line < count; line += 1) {
              const result = scheduler.schedule(Promise.resolve(`${line}`));
              await order.push(() => result);
              ahead = Math.max(ahead, line + 1 - written.length);
            }
          })();
          await scheduler.waitFor(adding);
          await scheduler.waitAll();
          await order.end();
          expect(written).toEqual(Array.from({ length: count }, (_, line) => `${line}`));
          expect(ahead).toBeLessThanOrEqual(most);
        },
      ),
    );
  });
  it('end before the first unknown one', async () => {
    const written: string[] = [];
    const order = new InOrder<string>(async (text) => void written.push(text), 10);
    for (const result of ['a', 'b', undefined, 'd']) await order.push(async () => result);
    await order.end();
    expect(written).toEqual(['a', 'b']);
  });
  it('that never become known are given up', async () => {
    const written: string[] = [];
    const order = new InOrder<string>(async (text) => void written.push(text), 2);
    await order.push(async () => 'a');
    const full = order.push(() => new Promise(() => undefined));
    await sleep(1);
    order.abandon();
    await full;
    await order.end();
    expect(written).toEqual(['a']);
  });
  it('that cannot be written report the error', async () => {
    const order = new InOrder<string>(async () => {
      throw new Error('no reader');
    }, 1);
    await expect(order.push(async () => 'a')).rejects.toThrow('no reader');
    await expect(order.push(async () => 'b')).rejects.toThrow('no reader');
    await expect(order.end()).rejects.toThrow('no reader');
  });
});
