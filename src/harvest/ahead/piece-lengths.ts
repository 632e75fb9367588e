import { wholePages } from '../plan/cuts.ts';

// Pages of a segment, at most: the pages behind it wait for those in front of it.
const MOST_PAGES = 20;
// Of a segment that is cut because jobs have nothing else to do.
const SMALLEST_PAGES = 1.5;
// Of the jobs: if no more of them have nothing to do, a cut is not worth its cost.
const SPARE = 0.2;
// A segment is cut if it is this many times longer than it should be.
const LONG = 2.5;
// Of the room for pages that wait: how much the pages behind a segment may take while the walk waits for its end.
const BEHIND = 0.5;

export interface Situation {
  /** The pages of a segment that are left. */
  readonly pages: number;
  /** The pages between the walk and the segment. */
  readonly distance: number;
  readonly jobs: number;
  /** For how many jobs, or how many more of them, there should be segments. */
  readonly spare: number;
  /** How many pages may wait at once, and how many more than now. */
  readonly capacity: number;
  readonly room: number;
  /** How long pieces have to be so that their last pages, which are not full, cost no more than they may. */
  readonly least: number;
  /** The pages of all segments that are still to be asked for. */
  readonly left: number;
  /** Whether all pages of the list that are left may wait at once. */
  readonly fits: boolean;
}

/** How many pages to cut off a segment for each piece but the last; none where it is not to be cut. */
export function pieceLengths(situation: Situation): readonly number[] {
  const { pages, distance, jobs, spare, capacity, room, least, left, fits } = situation;
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
  const fair = Math.max(SMALLEST_PAGES, left / jobs);
  const parts = Math.min(spare + 1, Math.floor(pages / fair));
  if (spare <= SPARE * jobs || parts < 2) return [];
  return Array.from({ length: parts - 1 }, () => wholePages(pages / parts));
}
