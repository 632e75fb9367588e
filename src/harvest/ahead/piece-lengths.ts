import { wholePages } from '../plan/cuts.ts';

// Pages of a segment, at most: the pages behind it wait for those in front of it.
const MOST_PAGES = 20;
// A cut costs half a page on average.
const LEAST_PAGES = 4;
// The same where jobs have nothing else to do.
const SMALLEST_PAGES = 1.5;
// Of the jobs: if no more of them have nothing to do, a cut is not worth its cost.
const SPARE = 0.2;
// A segment is cut if it is this many times longer than it should be.
const LONG = 1.6;
// A segment may have a little more pages than its job can ask for while the walk comes nearer.
const GROWTH = 1.2;
// Segments are half fetched on average: of this many times what fits, four fifths wait.
const SHARE = 1.6;

interface Situation {
  /** The pages of a segment that are left. */
  readonly pages: number;
  /** The pages between the walk and the segment. */
  readonly distance: number;
  readonly jobs: number;
  /** The jobs that have nothing to do. */
  readonly spare: number;
  /** How many pages may wait at once. */
  readonly capacity: number;
  /** Whether all pages of the list that are left may wait at once. */
  readonly fits: boolean;
}

/** How many pages to cut off a segment for each piece but the last; none where it is not to be cut. */
export function pieceLengths(situation: Situation): readonly number[] {
  const { pages, distance, jobs, spare, capacity, fits } = situation;
  const most = Math.max(LEAST_PAGES, Math.min(MOST_PAGES, (SHARE * capacity) / jobs));
  // While a job asks for one page, the walk takes as many as there are jobs: a segment is to end in time.
  const lengthAt = (at: number) => Math.min(most, Math.max(LEAST_PAGES, (GROWTH * at) / jobs));
  if (!fits && pages > LONG * lengthAt(distance)) {
    const lengths: number[] = [];
    let at = distance;
    do {
      const length = wholePages(lengthAt(at));
      lengths.push(length);
      at += length;
    } while (lengths.length <= spare);
    return lengths;
  }
  const parts = Math.min(spare + 1, Math.floor(pages / SMALLEST_PAGES));
  if (spare <= SPARE * jobs || parts < 2) return [];
  return Array.from({ length: parts - 1 }, () => wholePages(pages / parts));
}
