import { type Rate, RateLimiter, type WaitHost } from '../../../src/api/http/rate-limiter.ts';

const RETRY_MS = 1000;
const never = () => new AbortController().signal;

/** The records created at `from` or later and before `to`, in milliseconds; null is no bound. */
export type SimulatedSpan = { readonly from: number | null; readonly to: number | null };

export interface SimulatedPage {
  /** The index of its first record among all records. */
  readonly start: number;
  readonly count: number;
  /** The records in the span, whatever the cursor. */
  readonly total: number;
  /** The cursor of the next page, or null if the page is not full. */
  readonly next: string | null;
  /**
   * Creation times, NaN on an empty page. `middle` is that of record number floor(count / 2) of the
   * page.
   */
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  /** The time from sending the request that succeeded to its answer. */
  readonly ms: number;
}

interface ServiceOptions {
  /** The creation times of all records in milliseconds, in order. */
  readonly created: Float64Array;
  readonly clock: Clock;
  readonly rate: Rate;
  /** The milliseconds until an answer, if so many requests are open, this one included. */
  readonly latency: (open: number) => number;
  /** Whether a request fails; the first request is number 1. */
  readonly fails?: (request: number) => boolean;
}

/** A service that answers with a latency and within its rate limit, on a clock of its own. */
export class SimulatedService {
  readonly limiter: RateLimiter;
  /** The requests sent, failed ones and counts included. */
  requests = 0;
  /** The most requests that were sent and not answered at one time. */
  mostOpen = 0;
  readonly #options: ServiceOptions;
  readonly #times: { readonly sent: number; answered: number }[] = [];
  #open = 0;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.limiter = new RateLimiter(options.rate, options.clock);
  }

  /**
   * A page of a span. Cursor '1' starts at the span's beginning; any other is the index of the next
   * record, and is the same whatever the span's bounds. A failed request is repeated. @throws the
   * signal's reason.
   */
  async page(
    span: SimulatedSpan,
    cursor: string,
    size: number,
    signal = never(),
  ): Promise<SimulatedPage> {
    const { clock, latency, fails } = this.#options;
    await this.limiter.acquire(signal);
    const times = { sent: clock.now(), answered: Number.POSITIVE_INFINITY };
    this.#times.push(times);
    this.requests += 1;
    this.mostOpen = Math.max(this.mostOpen, ++this.#open);
    const failed = fails?.(this.requests);
    try {
      await clock.sleep(latency(this.#open), signal);
    } finally {
      times.answered = clock.now();
      this.#open -= 1;
    }
    if (!failed) return { ...this.#answer(span, cursor, size), ms: clock.now() - times.sent };
    await clock.sleep(RETRY_MS, signal);
    return this.page(span, cursor, size, signal);
  }

  /** An empty page with the total of a span. @throws the signal's reason. */
  count(span: SimulatedSpan, signal = never()): Promise<SimulatedPage> {
    return this.page(span, '1', 0, signal);
  }

  /**
   * The mean number of open requests between two times: by default, in the second half of the time
   * until now.
   */
  openIn(from = this.#options.clock.now() / 2, to = this.#options.clock.now()): number {
    const ms = this.#times.map((at) =>
      Math.max(0, Math.min(to, at.answered) - Math.max(from, at.sent)),
    );
    return ms.reduce((sum, part) => sum + part, 0) / (to - from);
  }

  /**
   * How many times as long as `pages` slots of the rate limit and one answer it has taken until
   * now.
   */
  timesIdeal(pages: number, answerMs: number): number {
    const { clock, rate } = this.#options;
    return clock.now() / ((pages * rate.windowMs) / rate.requests + answerMs);
  }

  /** The ten latest years that have records, the latest first. */
  years(): { year: number; count: number }[] {
    const years: { year: number; count: number }[] = [];
    for (
      let start: number, end = this.#options.created.length;
      end > 0 && years.length < 10;
      end = start
    ) {
      const year = new Date(this.#options.created[end - 1] as number).getUTCFullYear();
      start = this.#indexOf(Date.UTC(year, 0));
      years.push({ year, count: end - start });
    }
    return years;
  }

  #answer(span: SimulatedSpan, cursor: string, size: number): Omit<SimulatedPage, 'ms'> {
    const { created } = this.#options;
    const from = span.from === null ? 0 : this.#indexOf(span.from);
    const to = span.to === null ? created.length : Math.max(from, this.#indexOf(span.to));
    const at = cursor === '1' ? from : Math.max(from, Number(cursor));
    const end = Math.max(at, Math.min(to, at + size));
    const count = end - at;
    const timeOf = (index: number) => (count === 0 ? Number.NaN : (created[index] as number));
    return {
      start: at,
      count,
      total: to - from,
      // A full page has a next page, which may be empty.
      next: size === 0 || count < size ? null : cursorAt(end),
      first: timeOf(at),
      middle: timeOf(at + Math.floor(count / 2)),
      last: timeOf(end - 1),
    };
  }

  /** The index of the first record created at `time` or later. */
  #indexOf(time: number): number {
    let [low, high] = [0, this.#options.created.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#options.created[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A clock that jumps to the next timer once nothing else is left to do. */
export class Clock implements WaitHost {
  #time = 0;
  /** The latest first; of those at the same time, the one set last first. */
  readonly #timers: { readonly at: number; readonly ring: () => void }[] = [];

  readonly now = () => this.#time;
  readonly random = () => 0.5;

  /** Resolves after `ms` milliseconds of this clock. @throws the signal's reason. */
  readonly sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const ring = () => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      const timer = { at: this.#time + Math.max(0, ms), ring };
      const abandon = () => {
        this.#timers.splice(this.#timers.indexOf(timer), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#timers.splice(this.#timers.findLastIndex(({ at }) => at > timer.at) + 1, 0, timer);
    });

  /**
   * Jumps from timer to timer until a promise is settled. @throws if it waits for something that is
   * no timer.
   */
  async runUntil(promise: Promise<unknown>): Promise<void> {
    const settled = Promise.allSettled([promise]);
    for (;;) {
      const idle = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
      if (await Promise.race([settled, idle])) return;
      const next = this.#timers.pop();
      if (next === undefined) throw new Error('nothing is left to wait for');
      this.#time = next.at;
      next.ring();
    }
  }
}

/** The cursor of a position: '1' would be the beginning. */
function cursorAt(position: number): string {
  return position === 1 ? '01' : `${position}`;
}
