/** How long to wait before another attempt. */

// The first wait is at most this long, and each further one at most twice as long as the one before it.
const BASE_MS = 500;
const LONGEST_MS = 30_000;
// The service counts requests over five minutes (observed): nobody gains by waiting longer than that.
const LONGEST_RETRY_AFTER_MS = 300_000;

/**
 * The wait before attempt `attempt + 1`: exponential back-off with full jitter, so that many clients that
 * failed together do not come back together; at least what the service asked for, up to five minutes.
 * @param attempt how many attempts have failed, from 1.
 * @param random a number from 0 to 1.
 */
export function retryDelayMs(attempt: number, random: number, retryAfterMs: number | undefined): number {
  const backoff = random * Math.min(LONGEST_MS, BASE_MS * 2 ** (attempt - 1));
  return Math.round(Math.max(backoff, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}

/** The `Retry-After` header, whole seconds or an HTTP date, in milliseconds from `now`; undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
