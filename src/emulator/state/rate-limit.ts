import type { Clock } from './clock.ts';

/** The most requests that one client address may send in a window of time. */
export interface RateLimitOptions {
  readonly requests: number;
  readonly windowMs: number;
}

/** Counts requests in fixed windows; the window of an address begins with its first request. */
export class RateLimit {
  readonly #limit: RateLimitOptions;
  readonly #clock: Clock;
  readonly #windows = new Map<string, { opened: number; requests: number }>();

  constructor(limit: RateLimitOptions, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Counts a request. If it is above the limit, returns the seconds until the window ends. */
  refuse(address: string): number | undefined {
    const now = this.#clock.now();
    let window = this.#windows.get(address);
    if (window === undefined || now - window.opened >= this.#limit.windowMs) {
      window = { opened: now, requests: 0 };
      this.#windows.set(address, window);
    }
    window.requests++;
    if (window.requests <= this.#limit.requests) return undefined;
    return Math.ceil((window.opened + this.#limit.windowMs - now) / 1000);
  }
}
