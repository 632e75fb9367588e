import { setMaxListeners } from 'node:events';
import { CliError, usageError } from '../errors.ts';
import type { Pace } from './pace.ts';
import { isTransient, type Refusal, refusalError } from './refusal.ts';
import { parseRetryAfter, retryDelayMs } from './retry.ts';
import {
  createTransport,
  NetworkError,
  type Transport,
  type WireRequest,
  type WireResponse,
} from './transport.ts';

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
  readonly pace?: Pace;
  /** Told of each attempt's end. */
  readonly trace: (line: string) => void;
  /** Told of each wait before another attempt. */
  readonly onRetry: (reason: string, delayMs: number) => void;
}

export interface Call<T> {
  readonly method: WireRequest['method'];
  readonly url: URL;
  readonly body?: string;
  /** The media type of the body, and of the answer that is wanted; JSON:API unless said otherwise. */
  readonly contentType?: string;
  readonly accept?: string;
  /** More headers, made anew for each attempt. */
  readonly headers?: (url: URL) => Readonly<Record<string, string>>;
  /** Whether doing it twice is the same as doing it once, so that a lost answer is no reason to stop. */
  readonly idempotent?: boolean;
  /** Reads the service's words out of a refusal that is not JSON; a 403 without any is taken for throttling. */
  readonly words?: (text: string) => string | undefined;
  /** Stops this call alone. */
  readonly signal?: AbortSignal;
  /** Attempts after the first, where fewer than usual make sense. */
  readonly retries?: number;
  /** Once sent, an interrupt waits for the answer; for what must not be left in doubt. */
  readonly uninterruptible?: boolean;
  /** Looks at the headers of every answer, whatever its status; what it throws ends the call. */
  readonly inspect?: (response: WireResponse) => void;
  /**
   * Reads a successful answer. It runs once for each attempt, and what it throws as {@link BadBody} or
   * NetworkError counts as a failed attempt.
   */
  readonly read: (response: WireResponse) => Promise<T>;
  /**
   * Finds out whether a PUT or a DELETE whose answer was lost had its effect, and what the answer would have been.
   * A PUT is repeated only where this says that it had none.
   */
  readonly settle?: () => Promise<{ readonly value: T } | undefined>;
}

/** A body that is not what it should be: cut short or malformed. The message never quotes it. */
export class BadBody extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadBody';
  }
}

/** A page for people with status 200: a wrong address, a network that wants a log-in, or a service at rest. */
class WebPage extends BadBody {
  constructor() {
    super('a web page instead of an answer');
  }
}

export const JSON_API = 'application/vnd.api+json';
const MOST_REDIRECTS = 5;
// The time-out is for silences. An answer that trickles is given up after so many times as long.
const DEADLINE_FACTOR = 10;
// A wrong address does not become right by asking again and again.
const WEB_PAGE_RETRIES = 2;
const MOST_ERROR_BYTES = 256 * 1024;
// Far more than a list of all keys; what is cut off here is not valid JSON.
const MOST_JSON_BYTES = 32 * 1024 * 1024;

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
    try {
      for (let attempt = 1; ; attempt += 1) {
        await this.#options.pace?.turn(signal);
        const failure = await this.#attempt(call, sent);
        if ('value' in failure) {
          this.#options.pace?.succeeded();
          return failure.value;
        }
        this.retries += 1;
        const lost = isLost(failure);
        const settled = lost || (doubt && failure.refusal?.status === 404) ? await settle(call) : 'unknown';
        doubt ||= lost;
        if (typeof settled === 'object') return settled.value;
        const most = failure.cause instanceof WebPage ? WEB_PAGE_RETRIES : this.#options.retries;
        const last = attempt > Math.min(call.retries ?? most, most);
        if (last || !mayRepeat(call, failure, settled)) throw failureError(failure, call, attempt);
        if (this.#options.pace !== undefined && isThrottled(failure)) {
          // All requests are held back together, this one among them.
          this.#options.pace.throttled(failure.refusal?.retryAfterMs);
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

interface Failure {
  readonly reason: string;
  readonly unsent: boolean;
  readonly refusal?: Refusal;
  readonly cause?: Error;
}

function isThrottled({ refusal }: Failure): boolean {
  return (
    refusal !== undefined && (refusal.status === 429 || (refusal.status === 403 && isTransient(refusal)))
  );
}

/** True when what was asked for may have been done all the same. */
function isLost({ unsent, refusal }: Failure): boolean {
  return refusal === undefined ? !unsent : refusal.status === 408 || refusal.status >= 500;
}

/** What became of a call in doubt: its answer, that it had no effect, or that nobody knows. */
async function settle<T>(call: Call<T>): Promise<{ readonly value: T } | 'undone' | 'unknown'> {
  if (call.settle === undefined) return 'unknown';
  try {
    return (await call.settle()) ?? 'undone';
  } catch (error) {
    // What made the call fail matters more, unless the credentials are no longer good or the run was stopped.
    if (error instanceof CliError && ['unavailable', 'throttled'].includes(error.kind)) return 'unknown';
    throw error;
  }
}

function mayRepeat(
  { method, idempotent }: Call<unknown>,
  { unsent, refusal }: Failure,
  settled: 'undone' | 'unknown',
): boolean {
  if (refusal !== undefined && !isTransient(refusal)) return false;
  if (method === 'PUT' && settled === 'undone') return true;
  return idempotent || method === 'GET' || method === 'DELETE' || unsent || refusal?.status === 429;
}

function failureError(
  { reason, unsent, refusal, cause }: Failure,
  call: Call<unknown>,
  attempts: number,
): CliError {
  if (refusal !== undefined) return refusalError(refusal, call.method !== 'GET' && refusal.status >= 500);
  const tried = attempts === 1 ? '' : ` (${attempts} attempts)`;
  const doubt = unsent || call.method === 'GET' ? '' : '; the request may have had its effect';
  const what = cause instanceof BadBody ? 'no usable answer' : 'no answer';
  return new CliError('unavailable', `${what} from ${call.url.host}: ${reason}${tried}${doubt}`, {
    hint: unsent || cause instanceof WebPage ? 'check the network and --base-url' : 'try again later',
    cause,
  });
}

/**
 * A body as text, at most so many bytes of it.
 * @throws {NetworkError} when it is cut short.
 */
export async function readText(response: WireResponse, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8');
}

/**
 * A body as a JSON object.
 * @throws {BadBody} when it is none; the parser's own message would quote the body, which may hold a new key.
 */
export async function readJson(response: WireResponse): Promise<Record<string, unknown>> {
  const text = await readText(response, MOST_JSON_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadBody('the answer is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadBody('the answer is not a JSON object');
  }
  return value as Record<string, unknown>;
}

/** The Authorization header of HTTP Basic, in UTF-8 (RFC 7617). */
export function basicAuthorization(username: string, password: string): string {
  if (username.includes(':')) throw usageError('a user name cannot contain a colon');
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
