import { wholePages } from '../plan/cuts.ts';

// Pages of a segment, at most: the pages behind it wait for those in front of it.
const MOST_PAGES = 20;
// Of a page: how much shorter than whole pages a piece is. Estimates are wrong, and one more page costs an answer.
const LEAST_SLACK = 0.05;
const MOST_SLACK = 0.5;
// A segment is cut if it is this many times longer than it should be.
const LONG = 2.5;
// Of the room for pages that wait: how much the pages behind a segment may take while the walk waits for its end.
const BEHIND = 0.5;

export interface Situation {
  readonly pages: number;
  /** The pages between the walk and the segment. */
  readonly distance: number;
  readonly jobs: number;
  /** How many requests begin within an answer. */
  readonly perAnswer: number;
  /** For how many more jobs there should be segments, where not all pages may wait. */
  readonly spare: number;
  /** How many pages may wait at once, and how many more than now. */
  readonly capacity: number;
  readonly room: number;
  /** How long pieces have to be so that their last pages, which are not full, cost no more than they may. */
  readonly least: number;
  /** How many pages of all segments are still to be asked for, without those under way. */
  readonly requests: number;
  /** Whether all pages of the list that are left may wait at once. */
  readonly fits: boolean;
}

/** How many pages to cut off a segment for each piece but the last; none where it is not to be cut. */
export function pieceLengths(situation: Situation): readonly number[] {
  const { pages, distance, jobs, perAnswer, spare, capacity, room, least, requests, fits } = situation;
  if (!fits) {
    const most = Math.min(MOST_PAGES, capacity / jobs);
    // While a job asks for one page, the walk takes as many as there are jobs: a segment is to end in time.
    const lengthAt = (at: number) => Math.max(least, Math.min(most, (at + BEHIND * room) / jobs));
    if (pages <= LONG * lengthAt(distance)) return [];
    const lengths: number[] = [];
    let at = distance;
    do {
      const length = wholePages(lengthAt(at));
      lengths.push(length);
      at += length;
    } while (lengths.length < spare);
    return lengths;
  }
  return lengthsInTime(pages, requests, perAnswer);
}

/**
 * A segment takes as many answers as it has pages, and the others as many as the rate limit calls for. A segment that
 * would end after them is cut, into pieces that end with them.
 */
function lengthsInTime(pages: number, requests: number, perAnswer: number): readonly number[] {
  // Pieces are asked for one after the other, and the last request is followed by its answer.
  const mostAt = (place: number) => Math.max(1, Math.floor(1 + (requests - place) / perAnswer));
  if (Math.ceil(pages) <= mostAt(0)) return [];
  const most: number[] = [];
  while (sumOf(most) < pages + LEAST_SLACK * most.length) most.push(mostAt(most.length));
  const whole = most.map((length) => Math.ceil((length * pages) / sumOf(most)));
  const slack = Math.min(MOST_SLACK, (sumOf(whole) - pages) / whole.length);
  return whole.slice(0, -1).map((length) => length - slack);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
