import { setMaxListeners } from 'node:events';
import { CliError, usageError } from '../../errors.ts';
import { BadBody, readText, WebPage } from './body.ts';
import type { Call } from './call.ts';
import { type Failure, failureError, isLost, isThrottled, mayRepeat, settle } from './failure.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Refusal } from './refusal.ts';
import { parseRetryAfter, retryDelayMs } from './retry.ts';
import { createTransport, NetworkError, type Transport, type WireResponse } from './transport.ts';

export interface HttpOptions {
  readonly baseUrl: URL;
  /** The value of the Authorization header; undefined sends none. */
  readonly authorization: string | undefined;
  readonly userAgent: string;
  /** Through which to connect; undefined for none. */
  readonly proxy?: URL | undefined;
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly random: () => number;
  /** Resolves after the given milliseconds, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Gives each request its turn under a rate limit; without one they are sent at once. */
  readonly rateLimiter?: RateLimiter;
  /** Told of each attempt's end. */
  readonly trace: (line: string) => void;
  /** Told of each wait before another attempt. */
  readonly onRetry: (reason: string, delayMs: number) => void;
}

const JSON_API = 'application/vnd.api+json';
const MOST_REDIRECTS = 5;
// The time-out is for silences. An answer that trickles is given up after so many times as long.
const DEADLINE_FACTOR = 10;
// A wrong address does not become right by asking again and again.
const WEB_PAGE_RETRIES = 2;
const MOST_ERROR_BYTES = 256 * 1024;
/**
 * The thin core under every endpoint: authentication bound to the origin of the base URL, time-outs,
 * retries, and one typed error for whatever goes wrong.
 */
export class Http {
  readonly baseUrl: URL;
  /** Attempts that failed so far. */
  retries = 0;
  readonly #options: HttpOptions;
  readonly #transport: Transport;

  constructor(options: HttpOptions) {
    this.baseUrl = options.baseUrl;
    this.#options = options;
    this.#transport = createTransport(options.timeoutMs, options.proxy);
  }

  /** The address of an endpoint: `path` below the base URL, with query parameters in the order given. */
  url(path: string, params: Iterable<readonly [string, string]> = []): URL {
    const url = new URL(this.baseUrl);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
    for (const [name, value] of params) url.searchParams.append(name, value);
    return url;
  }

  /**
   * One request, repeated while that may help and can do no harm: a POST only if it certainly had no effect.
   * @throws {CliError} of every kind that an answer can mean; the signal's reason when stopped.
   */
  async call<T>(call: Call<T>): Promise<T> {
    const { signal, unlink } = linked(this.#options.signal, call.signal);
    // Waits between attempts can be interrupted all the same.
    const sent = call.uninterruptible ? NEVER : signal;
    // Whether an earlier attempt may have done what was asked for: what it deleted would be missing now.
    let doubt = false;
    // Attempts that were throttled, which says nothing about the call: those of few retries wait for it like all.
    let held = 0;
    try {
      for (let attempt = 1; ; attempt += 1) {
        await this.#options.rateLimiter?.acquire(signal);
        const failure = await this.#attempt(call, sent);
        if ('value' in failure) {
          this.#options.rateLimiter?.onSuccess();
          return failure.value;
        }
        this.retries += 1;
        const lost = isLost(failure);
        const settled = lost || (doubt && failure.refusal?.status === 404) ? await settle(call) : 'unknown';
        doubt ||= lost;
        if (typeof settled === 'object') return settled.value;
        const most = failure.cause instanceof WebPage ? WEB_PAGE_RETRIES : this.#options.retries;
        const { rateLimiter } = this.#options;
        const throttled = rateLimiter !== undefined && isThrottled(failure);
        if (throttled) held += 1;
        const last = attempt > most || attempt - held > (call.retries ?? most);
        if (last || !mayRepeat(call, failure, settled)) throw failureError(failure, call, attempt);
        if (throttled) {
          // All requests are held back together, this one among them.
          rateLimiter.onThrottled(failure.refusal?.retryAfterMs);
          continue;
        }
        const delay = retryDelayMs(attempt, this.#options.random(), failure.refusal?.retryAfterMs);
        this.#options.onRetry(failure.reason, delay);
        await this.#options.sleep(delay, signal);
      }
    } finally {
      unlink();
    }
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #attempt<T>(call: Call<T>, stop: AbortSignal): Promise<{ value: T } | Failure> {
    const { now, trace } = this.#options;
    const start = now();
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new NetworkError('the answer took too long', false, undefined)),
      this.#options.timeoutMs * DEADLINE_FACTOR,
    );
    const { signal, unlink } = linked(stop, deadline.signal);
    const line = (result: string) => trace(`${call.method} ${call.url} ${result} ${now() - start} ms`);
    try {
      const response = await this.#send(call, signal);
      const { status } = response;
      call.inspect?.(response);
      if (status >= 200 && status < 300) {
        if (/^text\/html\b/.test(response.header('content-type') ?? '')) {
          response.discard();
          throw new WebPage();
        }
        const value = await call.read(response);
        line(String(status));
        return { value };
      }
      const text = await readText(response, MOST_ERROR_BYTES);
      const words = call.words?.(text);
      const refusal: Refusal = {
        status,
        text,
        ...(words === undefined ? {} : { words }),
        retryAfterMs: parseRetryAfter(response.header('retry-after'), now()),
      };
      line(String(status));
      return { reason: `HTTP ${status}`, unsent: false, refusal };
    } catch (error) {
      if (!(error instanceof NetworkError || error instanceof BadBody)) throw error;
      line(`failed (${error.message})`);
      return { reason: error.message, unsent: error instanceof NetworkError && error.unsent, cause: error };
    } finally {
      clearTimeout(timer);
      unlink();
    }
  }

  /** Sends it, following redirects of reads within the origin: elsewhere nothing is ever sent. */
  async #send(call: Call<unknown>, signal: AbortSignal): Promise<WireResponse> {
    let url = call.url;
    for (let redirects = 0; ; redirects += 1) {
      if (url.origin !== this.baseUrl.origin) {
        throw new CliError(
          'rejected',
          `the service points to another host, ${url.origin}; nothing was sent there`,
          {
            hint: 'check --base-url',
          },
        );
      }
      const { authorization, userAgent } = this.#options;
      const response = await this.#transport.send({
        method: call.method,
        url,
        headers: {
          accept: call.accept ?? JSON_API,
          'user-agent': userAgent,
          ...(authorization === undefined ? {} : { authorization }),
          ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? JSON_API }),
          ...call.headers?.(url),
        },
        ...(call.body === undefined ? {} : { body: call.body }),
        signal,
      });
      const location = [301, 302, 303, 307, 308].includes(response.status)
        ? response.header('location')
        : undefined;
      if (location === undefined || call.method !== 'GET' || !URL.canParse(location, url.href))
        return response;
      response.discard();
      if (redirects >= MOST_REDIRECTS) throw new CliError('rejected', 'the service redirects in a circle');
      url = new URL(location, url);
    }
  }
}

const NEVER = new AbortController().signal;
// Every call under way that an interrupt waits for listens to it.
setMaxListeners(0, NEVER);

/** A signal that follows both. Not AbortSignal.any, which keeps what a long-lived source was once linked to. */
function linked(
  run: AbortSignal,
  call: AbortSignal | undefined,
): { signal: AbortSignal; unlink: () => void } {
  if (call === undefined) return { signal: run, unlink: () => undefined };
  const both = new AbortController();
  const sources = [run, call];
  const stop = () => both.abort(sources.find((source) => source.aborted)?.reason);
  for (const source of sources) source.addEventListener('abort', stop);
  if (run.aborted || call.aborted) stop();
  return {
    signal: both.signal,
    unlink: () => {
      for (const source of sources) source.removeEventListener('abort', stop);
    },
  };
}

/** The Authorization header of HTTP Basic, in UTF-8 (RFC 7617). */
export function basicAuthorization(username: string, password: string): string {
  if (username.includes(':')) throw usageError('a user name cannot contain a colon');
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
