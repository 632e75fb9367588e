import { expect } from 'vitest';

// toMatchObject takes any string where a regular expression is expected; here it has to match.
expect.addEqualityTesters([
  (actual, expected) => {
    if (!(expected instanceof RegExp) || typeof actual !== 'string') return undefined;
    return new RegExp(expected.source, expected.flags.replace(/[gy]/g, '')).test(actual);
  },
]);
