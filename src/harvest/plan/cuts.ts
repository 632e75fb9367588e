import type { Span } from '../walk/creation-time.ts';
import type { Timeline } from './timeline.ts';

interface WalkedWindow extends Span {
  /** The time of the latest record, in milliseconds: the window can be cut after it. */
  readonly latest: number;
  /** Records fetched. */
  readonly held: number;
  /** Records that are left to fetch. */
  readonly left: number;
  /** How many cuts in a row, the last ones, found next to nothing in the later part. */
  readonly misses: number;
}

export interface Demand {
  /** Jobs that have nothing to do. */
  readonly idle: number;
  readonly jobs: number;
  /** Records that are left to fetch in all windows, and in the window that has most. */
  readonly leftInAll: number;
  readonly mostLeft: number;
  /** How many more windows may be made for the sake of idle jobs. */
  readonly spare: number;
  readonly pageSize: number;
  /** The most records of a window. */
  readonly most: number;
}

// A window is cut for an idle job if it has more than this many pages left: less would be one page for each.
const PAGES_WORTH_A_CUT = 1.5;
// How full the parts of a large window should be; fuller ones would too often be cut again.
const FILL = 0.9;
// The most parts of one cut: parts that turn out large are cut again.
const MAX_PIECES = 64;
// Of a page: how wrong the estimate of a piece is where records are spread evenly.
const SLACK = 0.1;

/**
 * Where to cut what is left of a window: at increasing times after its latest record and before its end;
 * nowhere if that is not worth a request. Idle jobs get parts of the windows that have most left, each of a
 * fair size, and a window that holds too many records is cut also without an idle job.
 */
export function cutsOf(window: WalkedWindow, timeline: Timeline, demand: Demand): readonly number[] {
  const { from, to, latest, held, left, misses } = window;
  const pieces = Math.min(
    MAX_PIECES,
    Math.max(piecesForJobs(left, demand), piecesForSize(held + left, demand)),
  );
  if (pieces < 2 || left <= 0) return [];
  timeline.learn({ from, to: latest }, held);
  const rest = { from: latest, to };
  timeline.learn(rest, left);
  if (misses === 0) {
    const share = (wholePages(left / pieces / demand.pageSize) * demand.pageSize) / left;
    const cuts = Array.from({ length: pieces - 1 }, (_, index) => (index + 1) * share)
      .filter((before) => before < 1)
      .map((before) => timeline.cut(rest, before));
    return inSeconds(
      cuts.filter((cut) => cut !== undefined),
      rest,
    );
  }
  // A burst: most of what is left was created soon after the latest record. Steps that grow find a minute in a
  // year with five cuts.
  const cut = timeline.cut(rest, 0.5 ** (2 ** misses));
  return inSeconds(cut === undefined ? [] : [cut], rest);
}

/**
 * At least this many pages, and a little less than a whole number of them: then the last page of a piece is full,
 * and no further page holds a few records.
 */
export function wholePages(pages: number): number {
  return Math.max(1, Math.ceil(pages)) - SLACK;
}

/** A time for a cut: the service shows no fractions of seconds (service.md, P17). */
export function wholeSecond(time: number): number {
  return Math.ceil(time / 1000) * 1000;
}

function inSeconds(cuts: readonly number[], { to }: Span): readonly number[] {
  const seconds = new Set(cuts.map(wholeSecond));
  return [...seconds].filter((cut) => cut < (to ?? Number.POSITIVE_INFINITY));
}

/** Cuts a span into pieces that hold about as many records each; into fewer where it is too narrow. */
export function cutEvenly(timeline: Timeline, span: Span, pieces: number): readonly number[] {
  const cuts = Array.from({ length: pieces - 1 }, (_, index) => timeline.cut(span, (index + 1) / pieces));
  return [...new Set(cuts)].filter((cut) => cut !== undefined);
}

function piecesForJobs(left: number, demand: Demand): number {
  const { idle, jobs, leftInAll, mostLeft, spare, pageSize } = demand;
  // A larger window comes to the end of its page within an answer.
  if (idle < 1 || left <= PAGES_WORTH_A_CUT * pageSize || left < mostLeft / 2) return 1;
  const fair = Math.max(pageSize, leftInAll / jobs);
  return 1 + Math.min(idle, spare, Math.max(1, Math.round(left / fair) - 1));
}

function piecesForSize(records: number, { most }: Demand): number {
  return records <= most ? 1 : Math.ceil(records / (most * FILL));
}
