import fc from 'fast-check';
import { afterAll, expect, vi } from 'vitest';
import { runs } from './helpers/runs.ts';
import { removeDirectoryOfFile } from './helpers/temporary.ts';

afterAll(removeDirectoryOfFile);
// The next file of this process is read before its first test puts the environment back.
afterAll(() => vi.unstubAllEnvs());

// Without this tester, toMatchObject accepts any string where a test expects a regular expression.
expect.addEqualityTesters([
  (actual, expected) => {
    if (!(expected instanceof RegExp) || actual instanceof RegExp) return undefined;
    if (typeof actual !== 'string') return false;
    return new RegExp(expected.source, expected.flags.replace(/[gy]/g, '')).test(actual);
  },
]);

// Properties that name no number of runs.
fc.configureGlobal({ numRuns: runs(100) });
