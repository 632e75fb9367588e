import { BEHIND, LONG, RESERVE, SLACK } from './tuning.ts';

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
