import { parseProxy } from '../api/http/proxy.ts';
import type { Rate } from '../api/http/rate-limiter.ts';
import { type Credentials, DEFAULT_BASE_URL, type Service } from '../api/service.ts';
import { sleep } from '../concurrency/sleep.ts';
import { usageError } from '../errors.ts';
import { DAY_MS, parseBaseUrl, parseMailto, parseRepository, shownPrefix } from '../text/parsers.ts';
import { Redactor } from '../text/redact.ts';
import { RETRIES, TIMEOUT_MS } from './defaults.ts';
import { checkedNumber, checkedText, requireKnown } from './given.ts';
import { openService } from './open-service.ts';

/** The password of a repository account, or an API key of one, which cannot manage keys. */
export type ClientCredentials =
  | { readonly repository: string; readonly password: string }
  | {
      readonly apiKey: string;
      /** The account that the key belongs to; without it, the service says whose it is. */
      readonly repository?: string | undefined;
    };

/** How to reach the service. Nothing else is looked at: no environment variable, no settings, no keychain. */
export interface ClientOptions {
  /** `https://api.datacite.org` by default; `https://api.test.datacite.org` is the test system. */
  readonly baseUrl?: string | undefined;
  /** Without credentials, Findable DOIs can be read. */
  readonly credentials?: ClientCredentials | undefined;
  /** An e-mail address for the service. Without credentials it doubles the rate limit. */
  readonly mailto?: string | undefined;
  /** The name and the version of your program, such as `my-tool/1.0`. */
  readonly userAgent?: string | undefined;
  /** The URL of an HTTP proxy for https; none by default, not even that of the environment. */
  readonly proxy?: string | undefined;
  /** The longest wait for an answer or for more of it, in milliseconds; two minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first, for requests that can be repeated without harm; 8 by default. */
  readonly retries?: number | undefined;
  /**
   * The most requests in any span of time; they are evenly spaced. By default it is the limit of the service, and
   * they are spaced once half of it is used, the service throttles, or several are sent at a time for a list or copy.
   */
  readonly rate?: Rate | undefined;
  /** Where a proxy removes the headers that name the account: asks once whether the credentials are accepted. */
  readonly probeCredentials?: boolean | undefined;
}

const KNOWN = [
  ...['baseUrl', 'credentials', 'mailto', 'userAgent', 'proxy', 'timeoutMs', 'retries', 'rate'],
  'probeCredentials',
];
const USER_AGENT = /^[\w.+-]+(\/[\w.+-]+)?( [\w.+-]+(\/[\w.+-]+)?)*$/;

/**
 * @throws {CliError} kind `usage` for an option that cannot be used.
 * @internal
 */
export function serviceOf(options: ClientOptions, signal: AbortSignal): Service {
  requireKnown('options', options, KNOWN);
  const { mailto, userAgent, proxy, rate } = options;
  const baseUrl = checkedText('baseUrl', options.baseUrl ?? DEFAULT_BASE_URL, parseBaseUrl);
  const credentials = credentialsOf(options.credentials);
  if (userAgent !== undefined && !USER_AGENT.test(userAgent)) {
    throw usageError('userAgent is not the name of a program such as my-tool/1.0');
  }
  if (rate !== undefined) {
    requireKnown('rate', rate, ['requests', 'windowMs']);
    checkedNumber('rate.requests', rate.requests, 1, Number.MAX_SAFE_INTEGER);
    checkedNumber('rate.windowMs', rate.windowMs, 1, DAY_MS);
  }
  if (proxy !== undefined && typeof proxy !== 'string') throw usageError('proxy is not a text');
  const proxyUrl = proxy === undefined ? undefined : parseProxy(proxy, 'proxy');
  return openService({
    baseUrl,
    credentials,
    words: credentials && { what: describe(credentials, baseUrl) },
    redactor: new Redactor(),
    mailto: mailto === undefined ? undefined : checkedText('mailto', mailto, parseMailto),
    userAgent,
    // Plain http is for loopback hosts, and a proxy would read the credentials.
    proxy: baseUrl.protocol === 'https:' ? proxyUrl : undefined,
    rate: rate ?? 'service',
    pacesLater: rate === undefined,
    probes: options.probeCredentials,
    timeoutMs: checkedNumber('timeoutMs', options.timeoutMs ?? TIMEOUT_MS, 1, DAY_MS),
    retries: checkedNumber('retries', options.retries ?? RETRIES, 0, 100),
    signal,
    now: Date.now,
    random: Math.random,
    sleep,
    trace: () => undefined,
    onRetry: () => undefined,
  });
}

/** @throws {CliError} kind `usage` for half of a credential, which must not become an anonymous read. */
function credentialsOf(given: ClientCredentials | undefined): Credentials | undefined {
  if (given === undefined) return undefined;
  const { apiKey, repository, password }: Partial<Record<string, unknown>> = { ...given };
  requireKnown('credentials', given, ['apiKey', 'repository', 'password']);
  if ((apiKey === undefined) === (password === undefined) || (password !== undefined && !repository)) {
    throw usageError('credentials are a repository and its password, or an apiKey');
  }
  const id = repository === undefined ? undefined : checkedText('repository', repository, parseRepository);
  const secret = apiKey ?? password;
  // Never quoted.
  if (typeof secret !== 'string' || secret === '') throw usageError('the secret of the credentials is empty');
  if (apiKey === undefined) return { kind: 'repository', id: id as string, password: secret };
  if (secret.includes(':')) throw usageError('an API key cannot contain a colon');
  return { kind: 'api-key', key: secret, ...(id === undefined ? {} : { account: id }) };
}

/** The credentials in errors. */
function describe(credentials: Credentials, baseUrl: URL): string {
  const place = `for ${baseUrl.href.replace(/\/$/, '')}`;
  if (credentials.kind === 'repository') return `the credentials of ${credentials.id} (password, ${place})`;
  const { key, account } = credentials;
  const whose = account === undefined ? '' : `of ${account}, `;
  return `the API key${[' ', shownPrefix(key) ?? ''].join('').trimEnd()} (${whose}${place})`;
}
