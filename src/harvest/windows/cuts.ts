import type { PageNumbers } from '../walk/creation-time.ts';
import type { Window } from './window.ts';

/** How full the parts of a window that is too large are meant to be. */
export const FILL = 0.9;
// Of a page: a part is this much shorter than whole pages, because one record more costs a request.
const SLACK = 0.2;
// Of the pages: the most requests that cuts may add, because the last page of a window is not full.
const WASTE = 0.15;
// In pages, in addition: where there are few pages, each job still needs a window.
const FREE_WASTE = 15;
// The share of the waiting pages that may belong to later windows until the first one ends.
const BEHIND = 0.5;
// A window is cut if it is this many times longer than it should be.
const LONG = 2;
// Windows that wait for a job: a cut takes effect with the next answer.
const RESERVE = 3;

/** The requests that cuts waste: the last page of each window is not full. */
export class Waste {
  readonly #pageSize: number;
  readonly #most: number;
  #soFar = 0;

  /** @param total the number of all records. */
  constructor(total: number, pageSize: number) {
    this.#pageSize = pageSize;
    this.#most = FREE_WASTE + WASTE * (total / pageSize);
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

/** Rounds up to whole pages, less a little, so that the last page of a part is full. */
function wholePages(pages: number): number {
  return Math.max(1, Math.ceil(pages)) - SLACK;
}
