import { describe, expect, it } from 'vitest';
import { pieceLengths } from '../../../src/harvest/ahead/piece-lengths.ts';

const situation = {
  pages: 500,
  distance: 60,
  jobs: 12,
  spare: 4,
  capacity: 108,
  room: 60,
  least: 0,
  left: 600,
  fits: false,
};

const lengths = (changed: object) => pieceLengths({ ...situation, ...changed });

describe('a segment is cut', () => {
  it.each([
    ['into longer pieces the further it is from the walk', {}, [7.9, 8.9, 8.9, 8.9]],
    ['into short pieces next to the walk', { distance: 0, spare: 2 }, [2.9, 2.9]],
    ['into shorter pieces the less memory is left', { distance: 24, room: 0, spare: 2 }, [1.9, 2.9]],
    ['into pieces that fit into memory together', { distance: 5000, capacity: 75, spare: 2 }, [6.9, 6.9]],
    ['into pieces of twenty pages at most', { distance: 5000, capacity: 5000, spare: 1 }, [19.9]],
    ['into pieces that waste no more than they may', { least: 11, spare: 2 }, [10.9, 10.9]],
    ['once where no job is without a segment', { spare: 0 }, [7.9]],
    [
      'into equal pieces of whole pages where all may wait',
      { fits: true, pages: 10, left: 20 },
      [1.9, 1.9, 1.9, 1.9],
    ],
    ['into no more pieces than give each its share', { fits: true, pages: 10, left: 48 }, [4.9]],
    ['nowhere where it is short enough', { pages: 18, spare: 0 }, []],
    ['nowhere where almost all jobs are busy', { fits: true, spare: 2 }, []],
    ['nowhere where hardly a page for each is left', { fits: true, pages: 2.9, left: 20 }, []],
  ])('%s', (_, changed, expected) => {
    expect(lengths(changed)).toEqual(expected.map((length) => expect.closeTo(length)));
  });
});
