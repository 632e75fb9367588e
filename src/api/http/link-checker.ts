import { CliError, errorCode } from '../../errors.ts';
import { NetworkError, ProxyError, WrongProtocol } from './network-error.ts';
import { proxyFor } from './proxy.ts';
import { isPrivateHost, NOT_PUBLIC, publicLookup } from './public-hosts.ts';
import { type Rate, RateLimiter, type WaitHost } from './rate-limiter.ts';
import { parseRetryAfter } from './retry.ts';
import { Transport } from './transport.ts';

export interface LinkResult {
  readonly status: number | null;
  /**
   * True for a status of 2xx. Null if unknown: the address was not requested, there was no answer,
   * or the server refuses programs.
   */
  readonly ok: boolean | null;
  /** The last address, if redirects led away from the first. */
  readonly finalUrl?: string;
  readonly error?: string;
}

interface LinkCheckerOptions extends WaitHost {
  readonly userAgent: string;
  /** The limit of requests to each host. */
  readonly rate: Rate;
  /** The longest wait for the headers of an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Attempts after the first, of which there is at most one. */
  readonly retries: number;
  readonly allowPrivate: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly trace: (line: string) => void;
}

interface Failure {
  readonly ok: false | null;
  readonly error: string;
  /**
   * Whether it concerns the whole host: its name is unknown, its port is closed or its certificate
   * is wrong.
   */
  readonly ofHost?: boolean;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfterMs: number | undefined;
}

const MAX_LINK_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const THROTTLED: readonly number[] = [429, 503];
/** Refusals of robots: a reader with a browser may be allowed. 999 is LinkedIn's. */
const REFUSALS: readonly number[] = [401, 403, 407, 451, 999];
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
// Cache limit, far above the number of concurrent hosts; the oldest host is evicted.
const MAX_HOSTS = 10_000;
/** Failures of a whole host. */
const OF_HOST: readonly string[] = 'ENOTFOUND EAI_AGAIN ECONNREFUSED EHOSTUNREACH ETIMEDOUT'.split(
  ' ',
);
/** Failures that say nothing about the address. */
const NOT_ASKED: readonly string[] = [NOT_PUBLIC, 'EAI_AGAIN', 'ENETUNREACH'];

/** Checks addresses on any host, at a polite rate, without credentials or cookies. */
export class LinkChecker {
  readonly #options: LinkCheckerOptions;
  readonly #limiters = new Map<string, RateLimiter>();
  /** By origin: the failure of the host; undefined if it works. The first request decides. */
  readonly #failures = new Map<string, Promise<Failure | undefined>>();
  /** By proxy. */
  readonly #transports = new Map<string | undefined, Transport>();

  constructor(options: LinkCheckerOptions) {
    this.#options = options;
  }

  /**
   * Follows an address through redirects, with HEAD, or GET where HEAD fails. Failures are results.
   */
  async check(address: string): Promise<LinkResult> {
    if (!URL.canParse(address)) return { status: null, ok: false, error: 'this is not a URL' };
    let url = new URL(address);
    const seen = new Set<string>();
    const at = () => (seen.size > 1 ? { finalUrl: url.href } : {});
    for (;;) {
      seen.add(url.href);
      const refusal = this.#refusal(url);
      if (refusal !== undefined) return { status: null, ok: null, ...at(), error: refusal };
      const answer = await this.#ask(url);
      if (!('status' in answer))
        return { status: null, ok: answer.ok, ...at(), error: answer.error };
      const { status, location } = answer;
      if (
        !REDIRECTS.includes(status) ||
        location === undefined ||
        !URL.canParse(location, url.href)
      ) {
        const ok = status >= 200 && status < 300;
        if (status === 429)
          return { status, ok: null, ...at(), error: 'the server limits requests' };
        if (REFUSALS.includes(status)) {
          const error = `HTTP ${status}: the server refuses programs, or needs a login`;
          return { status, ok: null, ...at(), error };
        }
        return { status, ok, ...at(), ...(ok ? {} : { error: `HTTP ${status}` }) };
      }
      const next = new URL(location, url);
      const problem = seen.has(next.href)
        ? 'redirects in a circle'
        : seen.size > MAX_LINK_REDIRECTS && `redirects more than ${MAX_LINK_REDIRECTS} times`;
      if (problem) return { status, ok: false, ...at(), error: problem };
      url = next;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }

  #refusal(url: URL): string | undefined {
    if (!/^https?:$/.test(url.protocol))
      return `only http and https are checked, not ${url.protocol}`;
    if (!this.#options.allowPrivate && isPrivateHost(url)) return PRIVATE;
    return undefined;
  }

  /** Requests one address; for a host known to fail, returns the known failure. */
  async #ask(url: URL): Promise<Answer | Failure> {
    const { origin } = url;
    const known = this.#failures.get(origin);
    // No await may come between reading and writing the entry: other calls check the same host.
    const failed = known && (await known);
    if (failed !== undefined) return failed;
    const asked = this.#attempts(url);
    const hostFailure = asked.then((answer) =>
      'ofHost' in answer && answer.ofHost ? answer : undefined,
    );
    // The caller reports it.
    hostFailure.catch(() => undefined);
    if (known === undefined || (await hostFailure)) remember(this.#failures, origin, hostFailure);
    return asked;
  }

  /** Requests one address. A temporary failure is retried once. */
  async #attempts(url: URL): Promise<Answer | Failure> {
    const { sleep, signal, retries } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#headOrGet(url).catch((error: unknown) => {
        signal.throwIfAborted();
        return error;
      });
      const failed = answer instanceof Error;
      const mayPass = failed
        ? answer instanceof NetworkError && !(answer instanceof WrongProtocol)
        : THROTTLED.includes((answer as Answer).status);
      if (!mayPass || attempt > Math.min(1, retries))
        return failed ? failure(answer) : (answer as Answer);
      const asked = failed ? undefined : (answer as Answer).retryAfterMs;
      await sleep(Math.min(Math.max(asked ?? 0, FIRST_WAIT_MS), MAX_WAIT_MS), signal);
    }
  }

  /**
   * Some servers refuse HEAD, or answer it unlike GET: only a failed GET means that an address is
   * broken.
   */
  async #headOrGet(url: URL): Promise<Answer> {
    const head = await this.#send('HEAD', url);
    return head.status < 400 || THROTTLED.includes(head.status) ? head : this.#send('GET', url);
  }

  async #send(method: 'HEAD' | 'GET', url: URL): Promise<Answer> {
    const { userAgent, signal, now, trace } = this.#options;
    await this.#limiter(url).acquire(signal);
    const start = now();
    const traceEnd = (result: string | number) =>
      trace(`${method} ${url} ${result} ${now() - start} ms`);
    try {
      const response = await this.#transport(url).send({
        method,
        url,
        headers: { accept: '*/*', 'user-agent': userAgent },
        signal,
      });
      response.discard();
      traceEnd(response.status);
      return {
        status: response.status,
        location: response.header('location'),
        retryAfterMs: parseRetryAfter(response.header('retry-after'), now()),
      };
    } catch (error) {
      traceEnd(`failed (${(error as Error).message})`);
      throw error;
    }
  }

  #limiter({ host }: URL): RateLimiter {
    const known = this.#limiters.get(host);
    if (known !== undefined) return known;
    const made = new RateLimiter(this.#options.rate, this.#options);
    remember(this.#limiters, host, made);
    return made;
  }

  #transport(url: URL): Transport {
    const { env, timeoutMs, allowPrivate } = this.#options;
    const proxy = proxyFor(url, env);
    const known = this.#transports.get(proxy?.href);
    if (known !== undefined) return known;
    const made = new Transport(timeoutMs, proxy, allowPrivate ? undefined : publicLookup);
    this.#transports.set(proxy?.href, made);
    return made;
  }
}

const PRIVATE = 'this is a private address, which is not checked without --allow-private';

/** Adds an entry for a host, in place of the oldest if there are too many. */
function remember<T>(hosts: Map<string, T>, name: string, value: T): void {
  const [oldest] = hosts.keys();
  if (oldest !== undefined && hosts.size >= MAX_HOSTS) hosts.delete(oldest);
  hosts.set(name, value);
}

function failure(error: Error): Failure {
  const code = errorCode(error.cause) ?? '';
  if (code === NOT_PUBLIC) return { ok: null, error: PRIVATE };
  // The transport's own message mentions the service.
  const untrusted = error instanceof CliError && code !== '';
  const ofHost = untrusted || OF_HOST.includes(code);
  if (NOT_ASKED.includes(code) || error instanceof ProxyError)
    return { ok: null, error: error.message, ofHost };
  const message = untrusted ? `the certificate cannot be trusted (${code})` : error.message;
  return { ok: false, error: message, ofHost };
}
