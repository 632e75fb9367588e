import fc from 'fast-check';
import { expect, it } from 'vitest';
import { number } from '../../src/text/words.ts';

it('separates thousands as Intl does', () => {
  for (const count of [0, 7, 999, 1000, 36_409, 1_000_000, Number.MAX_SAFE_INTEGER]) {
    expect(number(count)).toBe(count.toLocaleString('en-US'));
  }
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(number(count)).toBe(count.toLocaleString('en-US'));
    }),
  );
});
