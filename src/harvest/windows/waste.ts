import type { PageNumbers } from '../walk/page-numbers.ts';
import { FREE_WASTE, WASTE } from './tuning.ts';
import type { Window } from './window.ts';

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
