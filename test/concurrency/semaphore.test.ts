import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/concurrency/semaphore.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

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
