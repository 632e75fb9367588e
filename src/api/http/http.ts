import { CliError, usageError } from '../../errors.ts';
import { BadBody, checkRequestSize, WebPage } from './body.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import { isThrottling, type Mask, type SentCredentials } from './error-response.ts';
import { NetworkError, TooLarge } from './network-error.ts';
import type { RateLimiter, WaitHost } from './rate-limiter.ts';
import { type Failure, parseRetryAfter, type Retry, RetryState, retryDelayMs } from './retry.ts';
import type { SentRequest } from './sent-request.ts';
import { Transport, type WireRequest, type WireResponse } from './transport.ts';

export interface HttpOptions extends WaitHost {
  readonly baseUrl: URL;
  readonly authorization: string | undefined;
  /** Checks every successful answer; undefined for a service without account headers. */
  readonly caller?: Caller | undefined;
  readonly sent?: SentCredentials | undefined;
  readonly userAgent: string;
  readonly proxy?: URL | undefined;
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Delays requests to keep a rate; without it they are sent at once. */
  readonly rateLimiter?: RateLimiter | undefined;
  readonly mask: Mask;
  readonly onRequest?: ((request: SentRequest) => void) | undefined;
  readonly onRetry: (retry: Retry) => void;
  /** See {@link SmallerPages.onAsk}. */
  readonly onSmallerPage?: SmallerPages['onAsk'];
  /** Called when the first answer of the run is late, with its host. */
  readonly onSilence?: (host: string) => void;
  /** Called when an answer is 404. It may throw a better error. */
  readonly onNotFound?: (http: Http, call: Call<unknown>, error: CliError) => Promise<void>;
}

/** How to request a smaller page instead of one that keeps failing. */
export interface SmallerPages {
  /** How many times the page size may be reduced. */
  readonly most: number;
  /** Called before a smaller page is requested, with the problem. */
  readonly onAsk: (size: number, problem: string) => void;
}

type Stops = Pick<WireRequest, 'signal' | 'untilSent'>;

interface HostState {
  readonly transport: Transport;
  /** Whether the host has answered any request. */
  answered: boolean;
}

const JSON_API = 'application/vnd.api+json';
const MAX_REDIRECTS = 5;
const MAX_ERROR_BYTES = 1024 * 1024;
// Until the first answer, the host may be unreachable.
const SILENCE_MS = 3000;

/**
 * Sends requests to one origin, with authentication, time-outs, retries and one typed error per
 * failure.
 */
export class Http {
  readonly baseUrl: URL;
  readonly userAgent: string;
  readonly mask: Mask;
  /** How many attempts have failed. */
  retries = 0;
  /** The time in the latest answer's `Date` header, in milliseconds; NaN if it has none. */
  date = Number.NaN;
  readonly #options: HttpOptions;
  readonly #host: HostState;

  constructor(
    options: HttpOptions,
    host: HostState = {
      transport: new Transport(options.timeoutMs, options.proxy),
      answered: false,
    },
  ) {
    this.baseUrl = options.baseUrl;
    this.userAgent = options.userAgent;
    this.mask = options.mask;
    this.#options = options;
    this.#host = host;
  }

  get smallerPages(): SmallerPages {
    const { retries, onSmallerPage: onAsk = () => undefined } = this.#options;
    return { most: retries, onAsk };
  }

  /** The same connections for requests that another signal stops. */
  stoppedBy(signal: AbortSignal, onRequest = this.#options.onRequest): Http {
    return new Http({ ...this.#options, signal, onRequest }, this.#host);
  }

  /** The URL of an endpoint: `path` below the base URL, and query parameters in this order. */
  url(path: string, params: Iterable<readonly [string, string]> = []): URL {
    const url = new URL(this.baseUrl);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
    for (const [name, value] of params) url.searchParams.append(name, value);
    return url;
  }

  /**
   * Sends a request, and repeats it while that may help and is safe: a POST only if it certainly
   * had no effect.
   */
  async call<T>(call: Call<T>): Promise<T> {
    const { caller, rateLimiter, retries, now } = this.#options;
    checkRequestSize(call.body);
    if (!call.isProbe) await caller?.ready();
    const { signal, unlink } = linked(this.#options.signal, call.signal);
    let failed: RetryState<T> | undefined;
    // An interrupt ends the waits between the attempts of an uninterruptible call, but not a read
    // that checks the effect of a write.
    const isWrite = call.method !== 'GET' && !signal.aborted;
    const stops = call.uninterruptible
      ? { signal: linked().signal, untilSent: isWrite ? signal : undefined }
      : { signal };
    const start = now();
    try {
      for (;;) {
        await rateLimiter?.acquire(signal);
        const outcome = await this.#attempt(call, stops, (failed?.attempts ?? 0) + 1);
        if ('value' in outcome) {
          rateLimiter?.onSuccess();
          return outcome.value;
        }
        this.retries += 1;
        failed ??= new RetryState(call, retries);
        const resolved = await failed.onFailure(outcome);
        if (resolved !== undefined) return resolved.value;
        const delay = this.#delay(outcome, failed.attempts);
        this.#options.onRetry({
          host: call.url.host,
          failure: outcome,
          isThrottled: isThrottling(outcome.response),
          delayMs: delay.ms,
          attempt: failed.attempts + 1,
          attempts: failed.maxAttempts(outcome),
          waitedMs: now() - start + delay.ms,
        });
        if (!delay.isPaced) await this.#options.sleep(delay.ms, signal);
      }
    } catch (error) {
      if (!call.isProbe && error instanceof CliError && error.status === 404)
        await this.#options.onNotFound?.(this, call, error);
      throw error;
    } finally {
      unlink();
    }
  }

  close(): Promise<void> {
    return this.#host.transport.close();
  }

  /**
   * The wait before the next attempt. While the service throttles, the rate limiter delays every
   * request.
   */
  #delay(failure: Failure, attempts: number): { readonly ms: number; readonly isPaced: boolean } {
    const { rateLimiter, random } = this.#options;
    const retryAfterMs = failure.response?.retryAfterMs;
    if (rateLimiter && isThrottling(failure.response)) {
      return { ms: rateLimiter.onThrottled(retryAfterMs), isPaced: true };
    }
    return { ms: retryDelayMs(attempts, random(), retryAfterMs), isPaced: false };
  }

  async #attempt<T>(
    call: Call<T>,
    stops: Stops,
    attempt: number,
  ): Promise<{ readonly value: T } | Failure> {
    const { now, onRequest, onSilence } = this.#options;
    const start = now();
    const silence = this.#host.answered
      ? undefined
      : setTimeout(() => onSilence?.(call.url.host), SILENCE_MS);
    const report = (status: number | undefined, reason?: string) => {
      const problem = reason && this.mask(reason);
      onRequest?.({
        method: call.method,
        url: this.mask(call.url.href),
        status,
        problem,
        ms: now() - start,
        attempt,
      });
    };
    try {
      const response = await this.#send(call, stops);
      const { status } = response;
      this.#host.answered = true;
      clearTimeout(silence);
      this.date = Date.parse(response.header('date') ?? '');
      if (status >= 200 && status < 300) {
        if (/^text\/html\b/.test(response.header('content-type') ?? '')) {
          response.discard();
          throw new WebPage('a web page instead of an answer');
        }
        this.#options.caller?.check(response, call);
        const value = await call.read(response);
        report(status);
        call.onTime?.(now() - start);
        return { value };
      }
      const text = await errorText(response);
      report(status);
      const retryAfterMs = parseRetryAfter(response.header('retry-after'), now());
      const { sent } = this.#options;
      const answer = { status, text, retryAfterMs, mask: this.mask, sent };
      return { reason: `HTTP ${status}`, unsent: false, reached: true, response: answer };
    } catch (error) {
      if (!(error instanceof NetworkError || error instanceof BadBody)) throw error;
      report(undefined, error.message);
      const unsent = error instanceof NetworkError && error.unsent;
      return { reason: error.message, unsent, reached: this.#host.answered, cause: error };
    } finally {
      clearTimeout(silence);
    }
  }

  /**
   * Sends a request. Redirects of a GET are followed within the origin; no other origin receives a
   * request.
   */
  async #send(call: Call<unknown>, stops: Stops): Promise<WireResponse> {
    let url = call.url;
    for (let redirects = 0; ; redirects += 1) {
      if (url.origin !== this.baseUrl.origin) {
        const message = `the service points to another host, ${url.origin}; nothing was sent there`;
        throw new CliError('rejected', message, { hint: 'check --base-url' });
      }
      const { authorization } = this.#options;
      const response = await this.#host.transport.send({
        method: call.method,
        url,
        headers: {
          accept: call.accept ?? JSON_API,
          'user-agent': this.userAgent,
          ...(authorization === undefined ? {} : { authorization }),
          ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? JSON_API }),
          ...call.headers?.(),
        },
        body: call.body,
        ...stops,
      });
      const redirected =
        call.method === 'GET' && [301, 302, 303, 307, 308].includes(response.status);
      const location = redirected ? response.header('location') : undefined;
      if (location === undefined || !URL.canParse(location, url.href)) return response;
      response.discard();
      if (redirects >= MAX_REDIRECTS)
        throw new CliError('rejected', 'the service redirects in a circle');
      url = new URL(location, url);
    }
  }
}

async function errorText(response: WireResponse): Promise<string> {
  try {
    return (await response.body(MAX_ERROR_BYTES)).toString();
  } catch (error) {
    if (error instanceof TooLarge) return '';
    throw error;
  }
}

/**
 * A signal that follows all of `signals`. AbortSignal.any would leak: a long-lived source keeps
 * every signal ever linked to it.
 */
function linked(...signals: readonly (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  unlink: () => void;
} {
  const both = new AbortController();
  const sources = signals.filter((source) => source !== undefined);
  const stop = () => both.abort(sources.find((source) => source.aborted)?.reason);
  for (const source of sources) source.addEventListener('abort', stop);
  if (sources.some((source) => source.aborted)) stop();
  return {
    signal: both.signal,
    unlink: () => {
      for (const source of sources) source.removeEventListener('abort', stop);
    },
  };
}

/** The Authorization header of HTTP Basic (service.md, A1), in UTF-8 (RFC 7617). */
export function basicAuthorization(username: string, password: string): string {
  if (username.includes(':')) throw usageError('a user name cannot contain a colon');
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
