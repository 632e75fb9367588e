import { wholeSecond } from '../plan/cuts.ts';
import type { Timeline } from '../plan/timeline.ts';
import type { Segment } from './segment.ts';

// Of the pages of the list: how many more requests the cuts may take, because the last page of a piece is not full.
const WASTE = 0.075;
const FREE_WASTE = 2;
// A list of at most this many pages may waste more: each job needs a piece.
const FEW_PAGES = 100;
const WASTE_OF_FEW = 16;
// Of a page: the unfilled part of a last page, until its count tells. Pieces of a little less than whole pages have less
// than half.
const EXPECTED = 0.4;
// How evenly the rest is spread over the pages that are left: at first it may go twice as fast.
const EVEN = 0.5;
// What is known before the first pieces are counted weighs as much as this many of them.
const ASSUMED = 4;
const LEAST_WASTE = 0.1;
// How many times closer together records are in a burst.
const BURST = 8;

export class Cuts {
  readonly #timeline: Timeline;
  readonly #pageSize: number;
  readonly #allowed: number;
  /** The unfilled parts of the last pages of all pieces. */
  #wasted = 0;
  #counted = 0;

  /** @param total the records of the list. */
  constructor(timeline: Timeline, pageSize: number, total: number) {
    this.#timeline = timeline;
    this.#pageSize = pageSize;
    const pages = total / pageSize;
    this.#allowed = pages > FEW_PAGES ? FREE_WASTE + WASTE * pages : WASTE_OF_FEW;
  }

  /** Takes the first page since a cut. @param left the records that the cut has left to the segment. */
  learn(segment: Segment, left: number): void {
    if (segment.total === undefined) return;
    this.#counted += 1;
    this.#wasted += this.#unfilled(left) - EXPECTED;
    this.#timeline.learn(segment.span, segment.total);
  }

  /** How many pages a piece needs, so that the cuts of all pages that are left waste no more than they may. */
  least(pagesLeft: number): number {
    const each = (this.#wasted + ASSUMED * EXPECTED) / (this.#counted + ASSUMED);
    const left = Math.max(0, this.#allowed - this.#wasted);
    return (EVEN * Math.max(LEAST_WASTE, each) * pagesLeft) / left;
  }

  /** About how many pages of a segment are still to be asked for. */
  pagesLeft(segment: Segment): number {
    if (segment.next === null) return 0;
    const { total, records } = segment;
    const left = total === undefined ? this.#timeline.estimate(segment.rest) : total - records;
    return Math.max(segment.isUnasked ? 1 : 0, left / this.#pageSize);
  }

  /** Whether all pages of a segment have been asked for. */
  isAsked(segment: Segment): boolean {
    return segment.next === null || (segment.underWay !== undefined && this.pagesLeft(segment) <= 1);
  }

  /**
   * Where to cut what is left of a segment, so that the pieces hold about these numbers of pages, and the last
   * one the others. There may be fewer cuts, also none.
   */
  of(segment: Segment, pieces: readonly number[]): readonly number[] {
    const { total, last } = segment;
    if (total === undefined || Number.isNaN(last) || segment.pages < segment.patience) return [];
    const left = total - segment.records;
    const to = segment.span.to ?? Number.POSITIVE_INFINITY;
    const cuts: number[] = [];
    let [share, after] = [0, last];
    if (this.#wasted > this.#allowed) return [];
    for (const pages of this.#widths(segment).isBurst ? pieces.slice(0, 1) : pieces) {
      share += (pages * this.#pageSize) / left;
      if (share >= 1) break;
      const cut = this.#cut(segment, share);
      const second = cut === undefined ? to : wholeSecond(Math.max(cut, after + 1));
      if (second >= to) break;
      cuts.push(second);
      after = second;
    }
    // Its last page becomes that of the last piece.
    if (cuts.length > 0) this.#wasted += (cuts.length + 1) * EXPECTED - this.#unfilled(left);
    return cuts;
  }

  /** The part of a last page that these records leave empty: behind a full page comes an empty one. */
  #unfilled(records: number): number {
    return 1 - (Math.max(0, records) % this.#pageSize) / this.#pageSize;
  }

  #cut(segment: Segment, share: number): number | undefined {
    const { rest } = segment;
    const even = this.#timeline.cut(rest, share);
    const { isBurst, near } = this.#widths(segment);
    if (even === undefined || rest.from === null || !isBurst) return even;
    return rest.from + Math.sqrt(Math.max(1, even - rest.from) * Math.max(1, near * share));
  }

  /**
   * Whether the records at hand are much closer together than the others are taken to be: then either all that
   * are left are, or only these, and a cut in the middle of the two orders of magnitude is the best guess.
   */
  #widths({ rest, density, total = 0, records }: Segment): {
    readonly isBurst: boolean;
    readonly near: number;
  } {
    const near = density * (total - records);
    const end = this.#timeline.cut(rest, 1) ?? Number.NaN;
    return { near, isBurst: near < (end - (rest.from ?? Number.NaN)) / BURST };
  }
}
