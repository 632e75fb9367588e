import { proxyFor } from '../api/http/proxy.ts';
import type { Rate } from '../api/http/rate-limiter.ts';
import type { Service } from '../api/service.ts';
import type { Credentials } from '../credentials/resolve.ts';
import { CliError } from '../errors.ts';
import type { Redactor } from '../text/redact.ts';
import type { Messages } from '../ui/messages.ts';
import { VERSION } from '../version.ts';
import { isTestSystem } from './base-url.ts';
import type { GlobalOptions, Host } from './host.ts';

const MAX_DEFAULT_JOBS = 16;

/** What stops and what slows down all requests of a service. */
export interface RequestControl {
  /** Stops requests, in place of the run's own signal. */
  readonly signal?: AbortSignal;
  /** The rate limit: `service` means the service's documented limit for this caller. */
  readonly rate?: Rate | 'service' | undefined;
  /** Only counts requests until the limiter is told to pace them. */
  readonly pacesLater?: boolean;
}

interface ServiceOptions extends RequestControl {
  readonly credentials: Credentials | undefined;
  readonly baseUrl: URL;
  readonly mailto: string | undefined;
  /** The MDS API: its answers do not prove the account (service.md, M1), and it wants a password (service.md, M2). */
  readonly isMds?: boolean;
}

/** The part of a context that a service needs. */
interface Run {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly redactor: Redactor;
  readonly messages: Messages;
}

/** Prepares the requests to a service. All messages mask its secrets from here on. */
export async function openService(
  { host, options, redactor, messages }: Run,
  { credentials, baseUrl, mailto, isMds = false, rate, pacesLater, signal = host.signal }: ServiceOptions,
): Promise<Service> {
  const proxy = proxyFor(baseUrl, host.env);
  if (credentials !== undefined) {
    redactor.addBasic(...basicOf(credentials, isMds));
    redactor.addSecret(secretOf(credentials));
  }
  if (proxy !== undefined) {
    redactor.addSecret(proxy.password);
    redactor.addSecret(decodeURIComponent(proxy.password));
    redactor.addBasic(decodeURIComponent(proxy.username), decodeURIComponent(proxy.password));
  }

  const [{ Http, basicAuthorization }, { Caller }, { RateLimiter, serviceRate }, { probeCredentials }] =
    await Promise.all([
      import('../api/http/http.ts'),
      import('../api/http/caller.ts'),
      import('../api/http/rate-limiter.ts'),
      import('../api/probe.ts'),
    ]);
  const ownRate = serviceRate({
    authenticated: credentials !== undefined,
    mailto: mailto !== undefined,
    testSystem: isTestSystem(baseUrl),
  });
  const rateLimiter = rate && new RateLimiter(rate === 'service' ? ownRate : rate, host, !pacesLater);
  const { now, random, sleep } = host;
  const account = credentials?.kind === 'repository' ? credentials.id : credentials?.account;
  const what = credentials?.kind === 'repository' ? `the credentials of ${credentials.id}` : 'the API key';
  const caller = new Caller(credentials && { what, account, secret: secretOf(credentials) }, {
    probe: options.probeCredentials ? () => probeCredentials(http, what) : undefined,
    onForeignWrite: ({ message }) => messages.always(`warning: ${message}`),
  });
  const http = new Http({
    baseUrl,
    caller: isMds ? undefined : caller,
    authorization: credentials && basicAuthorization(...basicOf(credentials, isMds)),
    userAgent: mailto === undefined ? `doi-cli/${VERSION}` : `doi-cli/${VERSION} (mailto:${mailto})`,
    proxy,
    rateLimiter,
    timeoutMs: options.timeout,
    retries: options.retries,
    signal,
    now,
    random,
    sleep,
    mask: (text) => redactor.mask(text),
    trace: (line) => messages.trace(line),
    onRetry: (reason, delayMs) => {
      const text = `${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s`;
      // Short waits are common. A long one needs an explanation.
      if (delayMs >= 5000 && !options.verbose) messages.status(text);
      else messages.trace(text);
    },
  });
  return { http, caller, credentials, rateLimiter };
}

/**
 * The repository account of a service for managing keys.
 * @throws {CliError} kind `unexpected` for any other service.
 */
export function repositoryOf({ credentials }: Service): string {
  if (credentials?.kind === 'repository') return credentials.id;
  throw new CliError('unexpected', 'there are no repository credentials');
}

/**
 * The default number of concurrent requests. A response takes about a second, so one job for each request per
 * second uses the full rate.
 */
export function jobsFor({ rateLimiter }: Service): number {
  return Math.min(MAX_DEFAULT_JOBS, Math.max(2, Math.ceil(rateLimiter?.current ?? 1)));
}

function secretOf(credentials: Credentials): string {
  return credentials.kind === 'api-key' ? credentials.key : credentials.password;
}

function basicOf(credentials: Credentials, isMds: boolean): [username: string, password: string] {
  if (credentials.kind === 'repository') return [credentials.id, credentials.password];
  const { key, account } = credentials;
  // A key is the user name, with an empty password (service.md, A2), which MDS refuses (service.md, M2). There
  // it is the password of its account (service.md, A3), or the user name with any word.
  if (!isMds) return [key, ''];
  return account === undefined ? [key, 'api-key'] : [account, key];
}
