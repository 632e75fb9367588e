/** So many requests within any span of so many milliseconds. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

interface RateLimiterHost {
  /** Milliseconds of a clock that may be set, also backwards. */
  now(): number;
  /** Resolves after so many milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

// Slots lie this much further apart than the limit demands. A request takes its time to the service, and not
// always the same: two of them a window apart here may be closer together there. In a window of five minutes
// this is worth 2.4 seconds.
const SAFETY_MARGIN = 0.008;
// Slots that were missed are made up for when timers were late by no more than this: the grain of timers and a
// busy main thread must not add up, but a machine that was asleep must not wake up with a burst.
const CATCH_UP_MS = 100;
// Throttling halves the rate, down to a sixteenth of the full one.
const LOWEST_SHARE = 1 / 16;
// A reduced rate grows by a sixteenth of the full one after a sixteenth of a window's requests succeeded: half
// the rate becomes the full one again after half a window's requests.
const STEPS = 16;
// The wait after throttling without a Retry-After: at first this long, doubled each time it happens again.
const FIRST_BACKOFF_MS = 1000;
// The service counts requests over five minutes (observed): no wait needs to be longer.
const LONGEST_HOLD_MS = 300_000;
// Machines behind one address are told the same Retry-After: they come back spread over this time.
const RETRY_AFTER_JITTER_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The rate limit of the service: requests within five minutes from one IP address (observed). Credentials and
 * a mailto address raise it; the test system has one of its own.
 */
export function serviceRate(options: {
  readonly authenticated: boolean;
  readonly mailto: boolean;
  readonly testSystem: boolean;
}): Rate {
  const { authenticated, mailto, testSystem } = options;
  const requests = testSystem ? 750 : authenticated ? 3000 : mailto ? 1000 : 500;
  return { requests, windowMs: 300_000 };
}

/**
 * Gives each request its turn: in the order of asking, evenly paced, and all of them held back together when the
 * service throttles. In no span of `windowMs` do more than `requests` turns begin, whatever timers do.
 */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #host: RateLimiterHost;
  /** In order. */
  readonly #waiting = new Set<() => void>();
  #serving = false;
  /** Ends the sleep in which nobody waits any more. */
  #alarm = new AbortController();

  #lastReading: number;
  #elapsed = 0;
  /** The earliest time of the next turn. Slots are absolute, so that a late timer delays one turn only. */
  #slot = 0;
  /** When the latest turns began, as many as the rate allows in a window; a ring. */
  readonly #begun: number[] = [];
  #turns = 0;
  /** The part of the full rate that is used now. */
  #share = 1;
  #successes = 0;
  /** How often in a row the service throttled what was sent after a wait. */
  #consecutiveThrottlings = 0;
  /** Whether nothing was sent since the service throttled. */
  #heldBack = false;

  constructor(rate: Rate, host: RateLimiterHost) {
    this.#rate = rate;
    this.#host = host;
    this.#lastReading = host.now();
  }

  /** Requests per second now; while the service makes all wait, those that follow. */
  get current(): number {
    return 1000 / this.#interval();
  }

  /**
   * Resolves when a request may be sent, which should be done at once.
   * @throws the signal's reason; the turn goes to the next one then.
   */
  acquire(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const begin = () => {
        signal.removeEventListener('abort', give);
        resolve();
      };
      const give = () => {
        this.#waiting.delete(begin);
        // The timer would keep the process alive.
        if (this.#waiting.size === 0) this.#alarm.abort();
        reject(signal.reason);
      };
      signal.addEventListener('abort', give, { once: true });
      // Slots that nobody wanted are gone.
      if (this.#waiting.size === 0) this.#slot = Math.max(this.#slot, this.#now());
      this.#waiting.add(begin);
      if (!this.#serving) this.#serve().catch(reject);
    });
  }

  /**
   * To be called for a 429, and for a 403 that is not JSON: holds all back for the time the service asks for,
   * else for one that grows, and halves the rate. Answers to requests sent together count once.
   */
  onThrottled(retryAfterMs: number | undefined): void {
    // If nothing new was sent, this answer tells of the same excess.
    const again = this.#heldBack;
    if (!again) {
      this.#heldBack = true;
      this.#consecutiveThrottlings += 1;
      this.#successes = 0;
      this.#share = Math.max(LOWEST_SHARE, this.#share / 2);
    }
    // "Retry-After: 0" says nothing.
    if (again && !retryAfterMs) return;
    const hold = retryAfterMs
      ? Math.min(retryAfterMs, LONGEST_HOLD_MS) + this.#host.random() * RETRY_AFTER_JITTER_MS
      : Math.min(LONGEST_HOLD_MS, FIRST_BACKOFF_MS * 2 ** (this.#consecutiveThrottlings - 1)) *
        (0.5 + this.#host.random() / 2);
    this.#slot = Math.max(this.#slot, this.#now() + hold);
  }

  /** To be called for every answer that is no throttling: lets a reduced rate recover. */
  onSuccess(): void {
    // While all are held back, answers belong to requests from before.
    if (this.#heldBack) return;
    // The wait was long enough. Were it forgotten later, now and then a 403 would add up to waits of minutes.
    this.#consecutiveThrottlings = 0;
    if (this.#share === 1) return;
    this.#successes += 1;
    if (this.#successes * STEPS < this.#rate.requests) return;
    this.#successes = 0;
    this.#share = Math.min(1, this.#share + 1 / STEPS);
  }

  /** Wakes those who wait, one for each slot, until nobody is left. */
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
        this.#begun[this.#turns % this.#rate.requests] = now;
        this.#turns += 1;
        this.#heldBack = false;
        this.#waiting.delete(next);
        next();
      }
    } finally {
      this.#serving = false;
    }
  }

  async #sleep(ms: number): Promise<void> {
    this.#alarm = new AbortController();
    const { signal } = this.#alarm;
    try {
      await this.#host.sleep(Math.min(Math.ceil(ms), LONGEST_TIMER_MS), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** From when on a turn would be one of at most `requests` in its window. */
  #windowOpens(): number {
    const oldest = this.#begun[this.#turns % this.#rate.requests];
    return oldest === undefined ? 0 : oldest + this.#rate.windowMs;
  }

  #interval(): number {
    return ((1 + SAFETY_MARGIN) * this.#rate.windowMs) / this.#rate.requests / this.#share;
  }

  /** Milliseconds since the beginning. A clock that is set back stands still: slots would be hours away. */
  #now(): number {
    const reading = this.#host.now();
    this.#elapsed += Math.max(0, reading - this.#lastReading);
    this.#lastReading = reading;
    return this.#elapsed;
  }
}
