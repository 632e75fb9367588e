import type { Rate } from '../api/http/rate-limiter.ts';
import type { Service } from '../api/service.ts';
import type { Credentials } from '../credentials/resolve.ts';
import { CliError } from '../errors.ts';
import type { Redactor } from '../text/redact.ts';
import type { Messages } from '../ui/messages.ts';
import { VERSION } from '../version.ts';
import type { GlobalOptions, Host } from './host.ts';

const MAX_DEFAULT_JOBS = 16;

/** What stops and what slows down all requests of a service. */
export interface RequestControl {
  /** Stops requests, in place of the run's own signal. */
  readonly signal?: AbortSignal;
  /** The rate limit: `service` means the service's documented limit for this caller. */
  readonly rate?: Rate | 'service';
}

interface Opening extends RequestControl {
  readonly credentials: Credentials | undefined;
  readonly baseUrl: URL;
  /** Whether it is the test system, which has its own rate limit. */
  readonly testSystem: boolean;
  readonly mailto: string | undefined;
  readonly proxy: URL | undefined;
}

/** The part of a run that a service needs. */
interface ServiceRun {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly redactor: Redactor;
  readonly messages: Messages;
}

/** Prepares the requests to a service. All messages mask its secrets from here on. */
export async function openService(run: ServiceRun, opening: Opening): Promise<Service> {
  const { credentials, baseUrl, mailto, proxy, rate } = opening;
  const { host, options, redactor, messages } = run;
  const [username, password] = basicOf(credentials);
  if (username !== undefined) redactor.addCredential(username, password);
  if (credentials?.kind === 'api-key') redactor.addSecret(credentials.key);
  if (credentials?.kind === 'repository') redactor.addSecret(credentials.password);
  if (proxy !== undefined) {
    redactor.addSecret(proxy.password);
    redactor.addCredential(decodeURIComponent(proxy.username), decodeURIComponent(proxy.password));
  }

  const [{ Http, basicAuthorization }, { Caller }, { RateLimiter, serviceRate }] = await Promise.all([
    import('../api/http/http.ts'),
    import('../api/http/caller.ts'),
    import('../api/http/rate-limiter.ts'),
  ]);
  const ownRate = serviceRate({
    authenticated: credentials !== undefined,
    mailto: mailto !== undefined,
    testSystem: opening.testSystem,
  });
  const rateLimiter = rate && new RateLimiter(rate === 'service' ? ownRate : rate, host);
  const { now, random, sleep } = host;
  const http = new Http({
    baseUrl,
    authorization: username === undefined ? undefined : basicAuthorization(username, password),
    userAgent: mailto === undefined ? `doi-cli/${VERSION}` : `doi-cli/${VERSION} (mailto:${mailto})`,
    proxy,
    ...(rateLimiter ? { rateLimiter } : {}),
    timeoutMs: options.timeout,
    retries: options.retries,
    signal: opening.signal ?? host.signal,
    now,
    random,
    sleep,
    trace: (line) => messages.trace(line),
    onRetry: (reason, delayMs) => {
      const text = `${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s`;
      // Short waits are common. A long one needs an explanation.
      if (delayMs >= 5000 && !options.verbose) messages.status(text);
      else messages.trace(text);
    },
  });
  return { http, caller: new Caller(callerOf(credentials)), credentials, rateLimiter };
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

function basicOf(credentials: Credentials | undefined): [string, string] | [undefined, ''] {
  if (credentials === undefined) return [undefined, ''];
  // A key is the user name, with an empty password (specification, section 5).
  return credentials.kind === 'api-key' ? [credentials.key, ''] : [credentials.id, credentials.password];
}

function callerOf(credentials: Credentials | undefined) {
  if (credentials === undefined) return undefined;
  return credentials.kind === 'api-key'
    ? { what: 'the API key', account: undefined }
    : { what: `the credentials of ${credentials.id}`, account: credentials.id };
}
