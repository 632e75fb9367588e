import { describe, expect, it } from 'vitest';
import { pieceLengths } from '../../../src/harvest/ahead/piece-lengths.ts';

const situation = {
  pages: 500,
  distance: 60,
  jobs: 12,
  perAnswer: 10,
  spare: 4,
  capacity: 108,
  room: 60,
  least: 0,
  requests: 600,
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
      'into pieces that end with the others, shorter ones for those asked for later',
      { fits: true, pages: 99, requests: 100, perAnswer: 30 },
      [...Array<number>(11).fill(3.93), ...Array<number>(18).fill(2.93)],
    ],
    ['so that no answer more is needed', { fits: true, pages: 2.3, requests: 30, perAnswer: 29 }, [1.5]],
    ['into pieces of about the same length', { fits: true, pages: 28, requests: 45, perAnswer: 3 }, [14.5]],
    ['nowhere where it is short enough', { pages: 18, spare: 0 }, []],
    ['nowhere where it ends with the others', { fits: true, pages: 3.9, requests: 30 }, []],
    ['nowhere where a page is left', { fits: true, pages: 0.9, requests: 0 }, []],
  ])('%s', (_, changed, expected) => {
    expect(lengths(changed)).toEqual(expected.map((length) => expect.closeTo(length, 1)));
  });
});
