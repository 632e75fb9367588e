import type { PageNumbers } from '../walk/creation-time.ts';
import type { Window } from './window.ts';

/** Target fill of the parts of a window that is too large. */
export const FILL_SHARE = 0.9;
// A part is this much shorter than whole pages: one record too many costs a request.
const SLACK_PAGES = 0.2;
// Share of the pages that cuts may waste: the last page of a window is not full.
const WASTE_SHARE = 0.15;
// Pages that may be wasted in any list, so that each job gets a window.
const FREE_WASTE_PAGES = 15;
// Fraction of the buffer for windows after the first.
const BEHIND_SHARE = 0.5;
// A window is cut if it exceeds its target length by this factor.
const LONG_FACTOR = 2;
// Windows that wait for a job: a cut takes effect with the next answer.
const RESERVE_WINDOWS = 3;

/** The requests that cuts waste: the last page of each window is not full. */
export class Waste {
  readonly #pageSize: number;
  readonly #most: number;
  #soFar = 0;

  /** @param total the number of all records. */
  constructor(total: number, pageSize: number) {
    this.#pageSize = pageSize;
    this.#most = FREE_WASTE_PAGES + WASTE_SHARE * (total / pageSize);
  }

  /** Counts what a used page wasted. */
  onPage(page: PageNumbers): void {
    if (page.isLast) this.#soFar += Math.max(0, 1 - page.count / this.#pageSize);
  }

  /** The most parts to cut off a window: its share, by records left, of the waste that is left. */
  mostParts(window: Window, windows: readonly Window[]): number {
    let spare = this.#most - this.#soFar;
    let left = 0;
    for (const each of windows) {
      // A cut makes the fill of the last page unknown.
      spare -= each === window ? 1 : this.#expected(each);
      left += each.left;
    }
    return Math.floor((spare * window.left) / left);
  }

  /** The empty share of a window's last page; all of it if the window has not been counted. */
  #expected({ state, isCounted, count }: Window): number {
    if (state === 'ended') return 0;
    return isCounted ? 1 - ((count / this.#pageSize) % 1) : 1;
  }
}

/** A window to cut, and its surroundings, in pages that are not requested yet. */
interface Situation {
  /** Pages of the window within reach. */
  readonly pages: number;
  /** Pages of all windows within reach. */
  readonly inReach: number;
  /** Pages of the windows in front of it. */
  readonly before: number;
  readonly jobs: number;
  /** Jobs that have nothing to do. */
  readonly idle: number;
  /** The most parts to cut off. */
  readonly most: number;
}

/**
 * The lengths in pages of all parts but the last, where all pages that are left may be requested at
 * once. A long window also gets parts for later jobs: it cannot be cut again before each part is
 * counted.
 */
export function equalLengths({ pages, inReach, jobs, most }: Situation): readonly number[] {
  const fair = Math.max(1, inReach / jobs);
  const parts = 1 + Math.min(most, Math.max(1, Math.round(pages / fair) - 1));
  return new Array<number>(parts - 1).fill(wholePages(pages / parts));
}

/** The same for a list in which `room` more pages may wait: parts next to the walk are shorter. */
export function growingLengths(situation: Situation, room: number): readonly number[] {
  const { pages, before, jobs, idle, most } = situation;
  const lengthAt = (at: number) => wholePages((at + BEHIND_SHARE * room) / jobs);
  if (pages < LONG_FACTOR * lengthAt(before)) return [];
  const lengths: number[] = [];
  for (
    let at = before;
    at < before + pages && lengths.length < Math.min(most, idle + RESERVE_WINDOWS);
  ) {
    const length = lengthAt(at);
    lengths.push(length);
    at += length;
  }
  return lengths;
}

/** Rounds up to whole pages, less a little, so that the last page of a part is full. */
function wholePages(pages: number): number {
  return Math.max(1, Math.ceil(pages)) - SLACK_PAGES;
}
