import { parseProxy } from '../api/http/proxy.ts';
import type { Rate } from '../api/http/rate-limiter.ts';
import type { SentRequest } from '../api/http/sent-request.ts';
import { type Credentials, DEFAULT_BASE_URL, type Service } from '../api/service.ts';
import { sleep } from '../concurrency/promises.ts';
import { RETRIES, TIMEOUT_MS } from '../core/defaults.ts';
import { openService } from '../core/open-service.ts';
import { usageError } from '../errors.ts';
import { parseFrom, parseMailto, parseRepository } from '../text/parsers.ts';
import type { Redactor } from '../text/redact.ts';
import { parseApiUrl } from '../text/url.ts';
import { requireNumbers } from './arguments.ts';

/** A repository account and its password, or an API key. */
export type ClientCredentials =
  | { readonly repository: string; readonly password: string }
  | {
      readonly apiKey: string;
      /** The account that the key belongs to; without it, the service says whose it is. */
      readonly repository?: string | undefined;
    };

/** How to reach the service. The environment, settings and keychain are not read. */
export interface ClientOptions {
  /** `https://api.datacite.org` by default; `https://api.test.datacite.org` is the test system. */
  readonly baseUrl?: string | undefined;
  /** Without credentials, Findable DOIs can be read. */
  readonly credentials?: ClientCredentials | undefined;
  /** An email address for the service. Without credentials it doubles the rate limit. */
  readonly mailto?: string | undefined;
  /** The name and the version of your program, such as `my-tool/1.0`. */
  readonly userAgent?: string | undefined;
  /** The URL of an HTTP proxy for https; none by default. Environment proxies are ignored. */
  readonly proxy?: string | undefined;
  /** The longest wait for an answer or for more of it, in milliseconds; two minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first, for requests that can be repeated without harm; 8 by default. */
  readonly retries?: number | undefined;
  /**
   * The most requests in any span of time; they are evenly spaced. By default it is the limit of
   * the service, and requests are spaced once half of it is used or the service throttles.
   */
  readonly rate?: Rate | undefined;
  /** Checks once that the credentials are accepted, for proxies that remove account headers. */
  readonly probeCredentials?: boolean | undefined;
  /** Called after each request, retries included. An error that it throws rejects the call. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined;
}

const USER_AGENT = /^[\w.+-]+(\/[\w.+-]+)?( [\w.+-]+(\/[\w.+-]+)?)*$/;

/**
 * Opens the connections of a client, and sends nothing.
 * @throws {CliError} kind `usage` for an option that cannot be used. @internal
 */
export function serviceOf(
  options: ClientOptions,
  signal: AbortSignal,
  redactor: Redactor,
): Service {
  const { baseUrl = DEFAULT_BASE_URL, credentials, mailto, userAgent, proxy } = options;
  const { rate, timeoutMs = TIMEOUT_MS, retries = RETRIES, onRequest } = options;
  requireNumbers({ timeoutMs, retries, ...rate });
  if (userAgent !== undefined && !USER_AGENT.test(userAgent))
    throw usageError('userAgent is not the name of a program such as my-tool/1.0');
  const proxyUrl = proxy === undefined ? undefined : parseProxy(proxy, 'proxy');
  return openService({
    baseUrl: parseFrom('baseUrl', baseUrl, parseApiUrl),
    credentials: credentials && credentialsOf(credentials),
    redactor,
    mailto: mailto === undefined ? undefined : parseFrom('mailto', mailto, parseMailto),
    userAgent,
    proxy: () => proxyUrl,
    rate: rate ?? 'service',
    probes: options.probeCredentials,
    timeoutMs,
    retries,
    signal,
    now: Date.now,
    random: Math.random,
    sleep,
    // A request of the client itself, such as a probe, belongs to no call that could fail.
    onRequest: onRequest && ((request) => queueMicrotask(() => onRequest(request))),
    onRetry: () => undefined,
  });
}

/** @throws {CliError} kind `usage` for half a credential: it must not become an anonymous read. */
function credentialsOf(credentials: ClientCredentials): Credentials {
  const { apiKey, repository, password }: Partial<Record<string, string>> = { ...credentials };
  const secret = apiKey ?? password;
  if (secret === '') throw usageError('the secret of the credentials is empty');
  const account = repository && parseFrom('credentials.repository', repository, parseRepository);
  if (apiKey === undefined && account && secret !== undefined)
    return { kind: 'repository', id: account, password: secret };
  if (apiKey === undefined || password !== undefined)
    throw usageError('credentials are a repository and its password, or an apiKey');
  if (apiKey.includes(':')) throw usageError('an API key cannot contain a colon');
  return { kind: 'api-key', key: apiKey, account };
}
