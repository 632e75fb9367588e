import type { Timeline } from '../plan/timeline.ts';
import type { Segment } from './segment.ts';

const SECOND_MS = 1000;
// Of the requests: how many may bring less than half a page.
const WASTE = 0.04;
const FREE_WASTE = 3;
// How many times closer together records are in a burst.
const BURST = 8;

/** Decides where segments are cut, by what is known of the time line. */
export class Cuts {
  readonly #timeline: Timeline;
  readonly #pageSize: number;
  #pages = 0;
  #wasted = 0;

  constructor(timeline: Timeline, pageSize: number) {
    this.#timeline = timeline;
    this.#pageSize = pageSize;
  }

  /** Takes a page; `isFirst` of its segment, which was cut off for it. */
  learn(segment: Segment, isFirst: boolean): void {
    this.#pages += 1;
    const { total } = segment;
    if (total === undefined) return;
    if (isFirst && total < this.#pageSize / 2) this.#wasted += 1;
    this.#timeline.learn(segment.span, total);
  }

  /** About how many pages of a segment are still to be asked for. */
  pagesLeft(segment: Segment): number {
    if (segment.next === null) return 0;
    const { total, records } = segment;
    const left = total === undefined ? this.#timeline.estimate(segment.rest) : total - records;
    return Math.max(segment.isUnasked ? 1 : 0, left / this.#pageSize);
  }

  /**
   * Where to cut what is left of a segment, so that the pieces hold about these numbers of pages, and the last
   * one the others. There may be fewer cuts, also none. They are at whole seconds, because the service shows
   * no fractions of them (service.md, P17).
   */
  of(segment: Segment, pieces: readonly number[]): readonly number[] {
    if (this.#wasted > FREE_WASTE + WASTE * this.#pages) return [];
    const { total, last } = segment;
    if (total === undefined || Number.isNaN(last)) return [];
    const left = total - segment.records;
    const to = segment.span.to ?? Number.POSITIVE_INFINITY;
    const cuts: number[] = [];
    let [share, after] = [0, last];
    for (const pages of pieces) {
      share += (pages * this.#pageSize) / left;
      if (share >= 1) break;
      const cut = this.#cut(segment, left, share);
      const second = cut === undefined ? to : Math.ceil(Math.max(cut, after + 1) / SECOND_MS) * SECOND_MS;
      if (second >= to) break;
      cuts.push(second);
      after = second;
    }
    return cuts;
  }

  #cut(segment: Segment, left: number, share: number): number | undefined {
    const { rest, density } = segment;
    const even = this.#timeline.cut(rest, share);
    const end = this.#timeline.cut(rest, 1);
    if (even === undefined || end === undefined || rest.from === null) return even;
    // Where the records at hand are much closer together, either all that are left are, or only these: a cut in
    // the middle of the two orders of magnitude is the best guess for both.
    const width = density * left;
    if (!(width < (end - rest.from) / BURST)) return even;
    return rest.from + Math.sqrt(Math.max(1, even - rest.from) * Math.max(1, width * share));
  }
}
