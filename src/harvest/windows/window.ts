import type { Span } from '../walk/creation-time.ts';

// The smallest difference, as a share of a burst's records, by which a count confirms the burst.
const TELLING = 0.05;

const SECOND_MS = 1000;

/**
 * The earliest time at which a window can be cut behind another: the service shows no fractions of
 * seconds (service.md, P17).
 */
export function secondAfter(time: number): number {
  return (Math.floor(time / SECOND_MS) + 1) * SECOND_MS;
}

/** What the later half of a page suggests: many records within a short time behind it. */
export interface Burst {
  /** When it would end, in milliseconds. */
  readonly to: number;
  /**
   * How many records it would have: those up to a later time, of which the service has counted
   * them.
   */
  readonly count: number;
  readonly until: number;
}

/** A span of creation times, walked by a cursor of its own. */
export class Window implements Span {
  readonly from: number | null;
  to: number | null;
  /** The number of its records: the service's count, or an estimate. */
  count: number;
  /** Whether the service has named the count since the window was cut. */
  isCounted: boolean;
  /** How many of its records have been read. */
  held = 0;
  /** The creation time of the latest one, in milliseconds; NaN if unknown. */
  latest = Number.NaN;
  /**
   * The same of the latest one that has arrived, and may not be written yet: no cut is before it.
   */
  arrived = Number.NaN;
  /**
   * `coming` before it may be taken; `free` for a job; `taken` by one; `ended` behind its last
   * page.
   */
  state: 'coming' | 'free' | 'taken' | 'ended' = 'free';
  /** Whether a page of it is under way. */
  isAsking = false;
  /** Behind the latest record; undefined if that shows none. */
  burst: Burst | undefined;
  /** The first count after a cut that is above it says that the burst has gone on. */
  burstThreshold: number | undefined;

  constructor({ from, to }: Span, count: number, isCounted = false) {
    this.from = from;
    this.to = to;
    this.count = count;
    this.isCounted = isCounted;
  }

  /** The records that are left to read. */
  get left(): number {
    return this.state === 'ended' ? 0 : Math.max(0, this.count - this.held);
  }

  /** The span of the records that are left; those of its first second may have been read. */
  get rest(): Span {
    const known = [this.latest, this.arrived].filter((time) => !Number.isNaN(time));
    return { from: known.length === 0 ? this.from : Math.max(...known), to: this.to };
  }

  /** Whether there is a second to cut it at. */
  get isCuttable(): boolean {
    const { from } = this.rest;
    const isPlaced = this.held === 0 || !Number.isNaN(this.latest);
    return isPlaced && (from === null || this.to === null || secondAfter(from) < this.to);
  }
}

/**
 * The count of a window that is cut, above which the burst behind its latest record has gone on;
 * undefined if none tells.
 */
export function burstThreshold(
  { burst, rest: { from }, held }: Window,
  cut: number,
): number | undefined {
  if (burst === undefined || from === null) return undefined;
  const shareBefore = (end: number) => Math.min(1, (cut - from) / (end - from));
  const [ifSo, ifNot] = [shareBefore(burst.to), shareBefore(burst.until)];
  return ifSo - ifNot < TELLING ? undefined : held + (burst.count * (ifSo + ifNot)) / 2;
}
