import type { Span } from '../walk/creation-time.ts';

const SECOND_MS = 1000;
// A count shows that a burst continues only by at least this share of its records.
const TELLING_SHARE = 0.05;

/** The earliest cut after a time: the service shows no fractions of seconds (service.md, P17). */
export function secondAfter(time: number): number {
  return (Math.floor(time / SECOND_MS) + 1) * SECOND_MS;
}

/** A guess from the later half of a page: many records within a short time after it. */
export interface Burst {
  /** The end of the burst in milliseconds. */
  readonly to: number;
  /** The records up to `until`, a later time up to which the service has counted. */
  readonly count: number;
  readonly until: number;
}

/** A span of creation times, walked by a cursor of its own, and what its walk needs: `data`. */
export class Window<Data = unknown> implements Span {
  readonly from: number | null;
  to: number | null;
  /** The number of its records: the service's count, or an estimate. */
  count: number;
  /** Whether the service has counted it since it was last cut. */
  isCounted: boolean;
  /** The number of its records that have been read. */
  read = 0;
  /** The creation time of the latest record read, in milliseconds; NaN if unknown. */
  latest = Number.NaN;
  /** The same of the latest record received, which may not be written yet: no cut is before it. */
  arrived = Number.NaN;
  /** `coming` before jobs may take it; `free`; `taken` by a job; `ended` after the last page. */
  state: 'coming' | 'free' | 'taken' | 'ended' = 'free';
  /** Whether one of its pages is being requested. */
  isAsking = false;
  /** After the latest record; undefined if the pages show no burst. */
  burst: Burst | undefined;
  /** If the first count after a cut is greater, the burst has continued. */
  burstThreshold: number | undefined;
  readonly data: Data;

  constructor({ from, to }: Span, count: number, data: Data, isCounted = false) {
    this.from = from;
    this.to = to;
    this.count = count;
    this.data = data;
    this.isCounted = isCounted;
  }

  /** The number of records left to read. */
  get left(): number {
    return this.state === 'ended' ? 0 : Math.max(0, this.count - this.read);
  }

  /** The span of the records left to read; some in its first second may have been read. */
  get rest(): Span {
    const known = [this.latest, this.arrived].filter((time) => !Number.isNaN(time));
    return { from: known.length === 0 ? this.from : Math.max(...known), to: this.to };
  }

  /** Whether it contains a whole second to cut it at. */
  get isCuttable(): boolean {
    const { from } = this.rest;
    const isPlaced = this.read === 0 || !Number.isNaN(this.latest);
    return isPlaced && (from === null || this.to === null || secondAfter(from) < this.to);
  }
}

/**
 * The count of a window after a cut, above which the burst after its latest record has continued;
 * undefined if no count would show it.
 */
export function burstThreshold(
  { burst, rest: { from }, read }: Window,
  cut: number,
): number | undefined {
  if (burst === undefined || from === null) return undefined;
  const shareBefore = (end: number) => Math.min(1, (cut - from) / (end - from));
  const ifBurst = shareBefore(burst.to);
  const ifEven = shareBefore(burst.until);
  return ifBurst - ifEven < TELLING_SHARE
    ? undefined
    : read + (burst.count * (ifBurst + ifEven)) / 2;
}
