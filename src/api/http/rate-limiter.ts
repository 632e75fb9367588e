/** At most `requests` within any span of `windowMs` milliseconds. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

/** The clock and the random numbers that waits depend on. */
export interface WaitHost {
  /** Milliseconds of a clock that may be set, even backwards. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

// Slots are further apart than the limit demands, by this share: two requests sent a window apart
// may arrive closer together. In a window of five minutes the margin is 2.4 seconds.
const SAFETY_MARGIN = 0.008;
// Slots missed by late timers are made up for, up to this time: small delays must not add up, but a
// machine that wakes from sleep must not send a burst.
const CATCH_UP_MS = 100;
// Throttling halves the rate, down to a sixteenth of the full rate.
const MIN_SHARE = 1 / 16;
// Some answers are throttled by chance or because of other clients. Throttling halves the rate only
// if more than one in nine answers is throttled. Three in a row suffice, or the first one if no
// request has succeeded yet.
const MOST_EXCESS = 3;
const EXCESS_BEFORE = MOST_EXCESS - 1;
const CHANCE = 1 / 8;
// After a sixteenth of a window's requests succeeded, a reduced rate grows by a sixteenth of the
// full rate: from half to full takes half a window's requests.
const RECOVERY_STEPS = 16;
// The first wait after throttling without a Retry-After; each further one is twice as long.
const FIRST_BACKOFF_MS = 1000;
// The service counts requests over five minutes (service.md, E6), so no wait needs to be longer.
const MAX_HOLD_MS = 300_000;
// Machines behind one address get the same Retry-After: this jitter spreads their return.
const RETRY_AFTER_JITTER_MS = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The service's limit of requests within five minutes from one IP address (service.md, E6). */
export function serviceRate(options: {
  readonly authenticated: boolean;
  readonly mailto: boolean;
  readonly testSystem: boolean;
  /** Whether the requests ask for other formats than JSON, which have a separate limit. */
  readonly formats?: boolean;
}): Rate {
  const requests = requestsPerWindow(options);
  return { requests: options.formats ? Math.min(requests, 1000) : requests, windowMs: 300_000 };
}

function requestsPerWindow({
  authenticated,
  mailto,
  testSystem,
}: Parameters<typeof serviceRate>[0]): number {
  if (testSystem) return 750;
  if (authenticated) return 3000;
  return mailto ? 1000 : 500;
}

// The service asks for a lower rate when about 100,000 records or more are written in a day
// (service.md, E8).
const MANY_WRITTEN_RECORDS = 100_000;
const MODEST_RATE: Rate = { requests: 500, windowMs: 300_000 };

/** The rate limit of a run, by the number of records that it writes. */
export function writeRate(records: number): Rate | 'service' {
  return records > MANY_WRITTEN_RECORDS ? MODEST_RATE : 'service';
}

/**
 * Gives requests their turns in the order of acquire(), and delays all of them while the service
 * throttles. Turns are evenly spaced, at the latest once half of the rate is used. No span of
 * `windowMs` has more than `requests` turns, however late timers are.
 */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #host: WaitHost;
  #paces: boolean;
  /** The waiting callers of acquire(), in order. */
  readonly #waiting = new Set<() => void>();
  #serving = false;
  /** Ends the current sleep when no caller waits any more. */
  #wakeUp = new AbortController();

  #lastReading: number;
  #elapsed = 0;
  /**
   * The earliest time of the next turn. It is absolute, so that a late timer delays only one turn.
   */
  #slot = 0;
  /** A ring buffer of the times of the latest turns, as many as the rate allows in a window. */
  readonly #startTimes: number[] = [];
  #turns = 0;
  /** The current rate as a share of the full rate. */
  #share = 1;
  #successes = 0;
  /** How many times in a row the service throttled requests sent after a wait. */
  #consecutiveThrottlings = 0;
  /** Whether no request was sent since the service throttled. */
  #heldBack = false;
  /** The number of throttled answers, less an eighth of the others. */
  #excess = EXCESS_BEFORE;
  /** Whether the rate was halved since the last request was sent. */
  #halved = false;

  /**
   * @param paces false to delay requests only after throttling, or once half of the rate is used.
   */
  constructor(rate: Rate, host: WaitHost, paces = true) {
    this.#rate = rate;
    this.#host = host;
    this.#paces = paces;
    this.#lastReading = host.now();
  }

  /** Requests per second; while requests are held back, the rate afterwards. */
  get current(): number {
    return 1000 / this.#interval();
  }

  get paces(): boolean {
    return this.#paces;
  }

  /** The share of the rate that the requests of the last window have used, from 0 to 1. */
  get used(): number {
    const since = this.#now() - this.#rate.windowMs;
    return this.#startTimes.filter((time) => time > since).length / this.#rate.requests;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when the caller may send a request, at once. @throws the signal's reason. */
  acquire(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#mayHurry()) {
        this.#countTurn(this.#now());
        return resolve();
      }
      this.#pace();
      const begin = () => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      const abandon = () => {
        this.#waiting.delete(begin);
        // The timer would keep the process alive.
        if (this.#waiting.size === 0) this.#wakeUp.abort();
        reject(signal.reason);
      };
      signal.addEventListener('abort', abandon, { once: true });
      // Unused slots are lost.
      if (this.#waiting.size === 0) this.#slot = Math.max(this.#slot, this.#now());
      this.#waiting.add(begin);
      if (!this.#serving) this.#serve().catch(reject);
    });
  }

  /**
   * Holds all requests back for the time that the service asks for, else for a growing time, and
   * halves the rate if throttling is frequent. Answers to requests that were sent together halve it
   * once.
   * @returns how long requests are held back from now, in milliseconds.
   */
  onThrottled(retryAfterMs: number | undefined): number {
    this.#pace();
    // If no request was sent since, this answer reports the same overload.
    const sameExcess = this.#heldBack;
    if (!sameExcess) {
      this.#heldBack = true;
      this.#consecutiveThrottlings += 1;
      this.#halved = false;
    }
    if (!this.#halved) this.#excess += 1;
    if (this.#excess >= MOST_EXCESS) {
      this.#excess = 0;
      this.#halved = true;
      this.#successes = 0;
      this.#share = Math.max(MIN_SHARE, this.#share / 2);
    }
    // `Retry-After: 0` counts as an absent header.
    if (sameExcess && !retryAfterMs) return this.#held();
    const hold = retryAfterMs
      ? Math.min(retryAfterMs, MAX_HOLD_MS) + this.#host.random() * RETRY_AFTER_JITTER_MS
      : Math.min(MAX_HOLD_MS, FIRST_BACKOFF_MS * 2 ** (this.#consecutiveThrottlings - 1)) *
        (0.5 + this.#host.random() / 2);
    this.#slot = Math.max(this.#slot, this.#now() + hold);
    return this.#held();
  }

  #held(): number {
    return Math.max(0, this.#slot - this.#now());
  }

  /** Call this for every answer that is not throttled: a reduced rate recovers. */
  onSuccess(): void {
    this.#excess = Math.max(0, this.#excess - CHANCE);
    // While requests are held back, answers belong to earlier requests.
    if (this.#heldBack) return;
    // The wait was long enough. Resetting later would let occasional 403s add up to waits of
    // minutes.
    this.#consecutiveThrottlings = 0;
    if (this.#share === 1) return;
    this.#successes += 1;
    if (this.#successes * RECOVERY_STEPS < this.#rate.requests) return;
    this.#successes = 0;
    this.#share = Math.min(1, this.#share + 1 / RECOVERY_STEPS);
  }

  /** Delays requests from now on. Earlier requests count. */
  #pace(): void {
    if (this.#paces) return;
    this.#paces = true;
    this.#slot = this.#now() + this.#interval();
  }

  /** Gives one waiting caller its turn in each slot, until no caller waits. */
  async #serve(): Promise<void> {
    this.#serving = true;
    try {
      for (;;) {
        const [next] = this.#waiting;
        if (next === undefined) return;
        const now = this.#now();
        const early = Math.max(this.#slot, this.#windowOpens()) - now;
        if (early > 0) {
          await this.#sleep(early);
          continue;
        }
        this.#slot = Math.max(this.#slot, now - CATCH_UP_MS) + this.#interval();
        this.#countTurn(now);
        this.#heldBack = false;
        this.#waiting.delete(next);
        next();
      }
    } finally {
      this.#serving = false;
    }
  }

  /**
   * Whether a request may be sent at once: true while less than half of the window's budget is
   * used.
   */
  #mayHurry(): boolean {
    if (this.#paces) return false;
    const { requests, windowMs } = this.#rate;
    const half = this.#turns - Math.ceil(requests / 2);
    return half < 0 || this.#now() - (this.#startTimes[half % requests] ?? 0) >= windowMs;
  }

  #countTurn(now: number): void {
    this.#startTimes[this.#turns % this.#rate.requests] = now;
    this.#turns += 1;
  }

  async #sleep(ms: number): Promise<void> {
    this.#wakeUp = new AbortController();
    const { signal } = this.#wakeUp;
    try {
      await this.#host.sleep(Math.min(Math.ceil(ms), MAX_TIMER_MS), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #windowOpens(): number {
    const oldest = this.#startTimes[this.#turns % this.#rate.requests];
    return oldest === undefined ? 0 : oldest + this.#rate.windowMs;
  }

  /** The time between turns. The remaining turns of the first window last until its end. */
  #interval(): number {
    const { requests } = this.#rate;
    const windowMs = (1 + SAFETY_MARGIN) * this.#rate.windowMs;
    const even = windowMs / requests / this.#share;
    const [first] = this.#startTimes;
    const left = requests - this.#turns;
    if (first === undefined || left <= 0) return even;
    return Math.max(even, (first + windowMs - this.#now()) / left);
  }

  /** Milliseconds since the start. A clock set back stands still, or slots would be hours away. */
  #now(): number {
    const reading = this.#host.now();
    this.#elapsed += Math.max(0, reading - this.#lastReading);
    this.#lastReading = reading;
    return this.#elapsed;
  }
}
