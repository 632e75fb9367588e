import { describe, expect, it } from 'vitest';
import { pieceLengths } from '../../../src/harvest/ahead/piece-lengths.ts';

const situation = { pages: 500, distance: 60, jobs: 12, spare: 3, capacity: 100, fits: false };

const lengths = (changed: object) => pieceLengths({ ...situation, ...changed });

describe('a segment is cut', () => {
  it.each([
    ['into longer pieces the further it is from the walk', { distance: 60 }, [5.9, 6.9, 7.9, 8.9]],
    ['into short pieces next to the walk', { distance: 0, spare: 1 }, [3.9, 3.9]],
    ['into pieces that fit into memory together', { distance: 5000, capacity: 75 }, [9.9, 9.9, 9.9, 9.9]],
    ['into pieces of twenty pages at most', { distance: 5000, capacity: 5000, spare: 0 }, [19.9]],
    ['once where one job has nothing to do', { distance: 100, spare: 0 }, [9.9]],
    ['into equal pieces of whole pages where all may wait', { fits: true, pages: 10 }, [2.9, 2.9, 2.9]],
    ['nowhere where it is short enough', { pages: 9, spare: 0 }, []],
    ['nowhere where almost all jobs are busy', { fits: true, spare: 2 }, []],
    ['nowhere where hardly a page for each is left', { fits: true, pages: 2.9 }, []],
  ])('%s', (_, changed, expected) => {
    expect(lengths(changed)).toEqual(expected.map((length) => expect.closeTo(length)));
  });
});
