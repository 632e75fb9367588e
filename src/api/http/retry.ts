import { CliError, isOutage } from '../../errors.ts';
import { BadBody, WebPage } from './body.ts';
import type { Call } from './call.ts';
import { type ErrorResponse, isThrottling, isTransient, responseError } from './error-response.ts';
import { ProxyError, TooLarge, WrongProtocol } from './network-error.ts';

// The first wait is at most this long; the limit doubles with each attempt.
const BASE_MS = 500;
const MAX_BACKOFF_MS = 30_000;
// The service counts requests over five minutes (service.md, E6), so a longer wait gains nothing.
const MAX_RETRY_AFTER_MS = 300_000;
// For a header that cannot be read.
const UNKNOWN_RETRY_AFTER_MS = 10_000;
// Another attempt does not correct a wrong address; a web page may be maintenance.
const WEB_PAGE_RETRIES = 2;
const UNREACHED_RETRIES = 1;

/** An attempt that ended without a usable answer, or with an error response. */
export interface Failure {
  readonly reason: string;
  /** True if the request certainly never reached the service. */
  readonly unsent: boolean;
  /** Whether the host has answered any request in this run. */
  readonly reached: boolean;
  readonly response?: ErrorResponse;
  readonly cause?: Error;
}

export interface Retry {
  readonly host: string;
  readonly failure: Failure;
  readonly isThrottled: boolean;
  readonly delayMs: number;
  /** The number of the next attempt, from 2, and the maximum of attempts. */
  readonly attempt: number;
  readonly attempts: number;
  /** Milliseconds from the start of the call to the next attempt. */
  readonly waitedMs: number;
}

/** The failed attempts of one call; decides whether another attempt may help and is safe. */
export class RetryState<T> {
  readonly #call: Call<T>;
  /** Attempts after the first, unless the call has its own number. */
  readonly #retries: number;
  /** The number of failed attempts. */
  attempts = 0;
  /** The number of throttled attempts, which do not count against `call.retries`. */
  #throttled = 0;
  /** Whether an earlier attempt may have taken effect: a 404 may then come from our own DELETE. */
  #inDoubt = false;

  constructor(call: Call<T>, retries: number) {
    this.#call = call;
    this.#retries = retries;
  }

  /**
   * Records a failed attempt, and throws when the request must not be sent again.
   * @returns the value of a call that took effect although its answer was lost.
   */
  async onFailure(failure: Failure): Promise<{ readonly value: T } | undefined> {
    this.attempts += 1;
    const lost = isAnswerLost(failure);
    const ambiguous = lost || (this.#inDoubt && failure.response?.status === 404);
    this.#inDoubt ||= lost;
    const resolved = ambiguous ? await resolveLostAnswer(this.#call) : 'unknown';
    if (typeof resolved === 'object') return resolved;
    if (isThrottling(failure.response)) this.#throttled += 1;
    if (this.#isLast(failure) || !mayRepeat(this.#call, failure, resolved)) {
      throw failureError(
        this.#call,
        failure,
        this.attempts,
        lost || (ambiguous && resolved === 'unknown'),
      );
    }
    return undefined;
  }

  #isLast(failure: Failure): boolean {
    // The same answer would be too large again.
    return failure.cause instanceof TooLarge || this.attempts >= this.maxAttempts(failure);
  }

  /** The maximum of attempts, first one included, after this failure. */
  maxAttempts(failure: Failure): number {
    const retries = Math.min(this.#retries, limitOf(failure));
    return 1 + Math.min(retries, (this.#call.retries ?? retries) + this.#throttled);
  }
}

/**
 * The maximum of retries. A host that has never answered is probably wrong, or the network is down.
 */
function limitOf({ cause, unsent, reached }: Failure): number {
  if (cause instanceof WrongProtocol) return 0;
  if (cause instanceof WebPage) return WEB_PAGE_RETRIES;
  return unsent && !reached ? UNREACHED_RETRIES : Number.POSITIVE_INFINITY;
}

/** True if the request may have taken effect without an answer to prove it (service.md, E11). */
function isAnswerLost({ unsent, response }: Failure): boolean {
  if (response === undefined) return !unsent;
  const { status } = response;
  // A redirect may come from a proxy, or from the service after it did the work.
  return status === 408 || status >= 500 || (status >= 300 && status < 400);
}

/** Finds out whether a request took effect: its value, `no-effect`, or `unknown`. */
async function resolveLostAnswer<T>(
  call: Call<T>,
): Promise<{ readonly value: T } | 'no-effect' | 'unknown'> {
  if (call.resolveLostAnswer === undefined) return 'unknown';
  try {
    return (await call.resolveLostAnswer()) ?? 'no-effect';
  } catch (error) {
    // The call's own failure matters more, unless the credentials became invalid or the run was
    // stopped.
    if (error instanceof CliError && isOutage(error)) return 'unknown';
    throw error;
  }
}

function mayRepeat(
  { method, idempotent }: Call<unknown>,
  { unsent, response }: Failure,
  resolved: 'no-effect' | 'unknown',
): boolean {
  if (response !== undefined && !isTransient(response)) return false;
  // A throttled request was not carried out; for a POST, only the service's own 429 proves that.
  if (method === 'PUT' && (resolved === 'no-effect' || isThrottling(response))) return true;
  return (
    idempotent || method === 'GET' || method === 'DELETE' || unsent || response?.status === 429
  );
}

function failureError(
  { method, url }: Call<unknown>,
  failure: Failure,
  attempts: number,
  inDoubt: boolean,
): CliError {
  const { reason, unsent, response, cause } = failure;
  if (response !== undefined) return responseError(response, method !== 'GET' && inDoubt);
  const attemptsText = attempts === 1 ? '' : ` (${attempts} attempts)`;
  const doubt = unsent || method === 'GET' ? '' : '; the request may have been carried out';
  const unusable = cause instanceof BadBody || cause instanceof TooLarge;
  const what = unusable ? 'no usable answer' : 'no answer';
  return new CliError('unavailable', `${what} from ${url.host}: ${reason}${attemptsText}${doubt}`, {
    hint: hintFor(unsent, cause),
    cause,
  });
}

function hintFor(unsent: boolean, cause: Error | undefined): string {
  if (cause instanceof TooLarge)
    return 'check --base-url and the proxy, or ask for fewer records with --page-size';
  if (cause instanceof ProxyError) return 'check HTTPS_PROXY and NO_PROXY with: doi-cli doctor';
  const isWrongAddress = cause instanceof WebPage || cause instanceof WrongProtocol;
  return unsent || isWrongAddress ? 'check the network and --base-url' : 'try again later';
}

/**
 * The wait before the next attempt, in milliseconds: exponential back-off with full jitter, so that
 * clients that failed together do not return together; at least the service's Retry-After, up to
 * five minutes.
 * @param attempt how many attempts have failed, from 1.
 * @param random a number from 0 to 1.
 */
export function retryDelayMs(
  attempt: number,
  random: number,
  retryAfterMs: number | undefined,
): number {
  const backoff = random * Math.min(MAX_BACKOFF_MS, BASE_MS * 2 ** (attempt - 1));
  return Math.round(Math.max(backoff, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/**
 * A `Retry-After` header (seconds or HTTP date) in milliseconds from `now`, with fractions rounded
 * up; for any other text, ten seconds.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const [, seconds] = /^\s*(\d+(?:[.,]\d+)?)\s*(?:s|sec|seconds?)?\s*$/i.exec(value) ?? [];
  if (seconds !== undefined) return Math.ceil(Number(seconds.replace(',', '.'))) * 1000;
  // JavaScript reads almost any text with a digit as a date.
  const date = /^[a-z]{3,9},? |^\d{4}-\d\d-\d\dT/i.test(value.trim())
    ? Date.parse(value)
    : Number.NaN;
  return Number.isNaN(date) ? UNKNOWN_RETRY_AFTER_MS : Math.max(0, date - now);
}
