import type { PageNumbers } from '../walk/creation-time.ts';
import type { Window } from './window.ts';

/** How full the parts of a window that is too large are meant to be. */
export const FILL = 0.9;
// Of a page: a part is this much shorter than whole pages, because one record more costs a request.
const SLACK = 0.2;
// Of the pages: the most requests that cuts may add, because the last page of a window is not full.
const WASTE = 0.15;
// Added to it, in pages: with few pages, each job needs a window all the same.
const FREE_WASTE = 15;
// The share of the waiting pages that later windows may take while the list waits for its end.
const BEHIND = 0.5;
// A window is cut if it is this many times longer than it should be.
const LONG = 2;
// Windows that wait for a job: a cut takes effect with the next answer.
const RESERVE = 3;

/** The requests that cuts waste: unfilled parts of last pages. */
export class Waste<W extends Window> {
  readonly #pageSize: number;
  readonly #most: number;
  #soFar = 0;

  /** @param total the number of all records. */
  constructor(total: number, pageSize: number) {
    this.#pageSize = pageSize;
    this.#most = FREE_WASTE + WASTE * (total / pageSize);
  }

  /** A page is used. */
  onPage(page: PageNumbers): void {
    if (page.isLast) this.#soFar += Math.max(0, 1 - page.count / this.#pageSize);
  }

  /**
   * How many parts may be cut off a window: its share, by the records left, of what all windows may
   * still waste.
   */
  mostParts(window: W, windows: readonly W[]): number {
    let spare = this.#most - this.#soFar;
    let left = 0;
    for (const each of windows) {
      // Once it is cut, nobody knows how full its last page is.
      spare -= each === window ? 1 : this.#expected(each);
      left += each.left;
    }
    return Math.floor((spare * window.left) / left);
  }

  /** The unfilled part of the last page of a window. One that has not been counted may be empty. */
  #expected({ state, isCounted, count }: W): number {
    if (state === 'ended') return 0;
    return isCounted ? 1 - ((count / this.#pageSize) % 1) : 1;
  }
}

/** A window that is to be cut, in pages that are left to ask for. */
interface Situation {
  /** Of the window, as far as they are within reach. */
  readonly pages: number;
  /** Of all windows, as far as they are within reach. */
  readonly inReach: number;
  /** Of the windows in front of it. */
  readonly before: number;
  readonly jobs: number;
  /** Jobs that have nothing to do. */
  readonly idle: number;
  /** The most parts to cut off. */
  readonly most: number;
}

/**
 * How many pages to cut off for each part but the last, where all that is left may be asked for at
 * once. A long window gets parts for the jobs to come as well: it cannot be cut again before each
 * part is counted.
 */
export function equalLengths({ pages, inReach, jobs, most }: Situation): readonly number[] {
  const fair = Math.max(1, inReach / jobs);
  const parts = 1 + Math.min(most, Math.max(1, Math.round(pages / fair) - 1));
  return new Array<number>(parts - 1).fill(wholePages(pages / parts));
}

/**
 * The same for a list where only `room` more pages may wait: windows next to the walk are shorter.
 */
export function growingLengths(situation: Situation, room: number): readonly number[] {
  const { pages, before, jobs, idle, most } = situation;
  const lengthAt = (at: number) => wholePages((at + BEHIND * room) / jobs);
  if (pages < LONG * lengthAt(before)) return [];
  const lengths: number[] = [];
  for (let at = before; at < before + pages && lengths.length < Math.min(most, idle + RESERVE); ) {
    const length = lengthAt(at);
    lengths.push(length);
    at += length;
  }
  return lengths;
}

/**
 * At least this many pages, and a little less than a whole number of them: then the last page of a
 * part is full.
 */
function wholePages(pages: number): number {
  return Math.max(1, Math.ceil(pages)) - SLACK;
}
