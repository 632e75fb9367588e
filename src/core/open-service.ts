import { requireRoot } from '../api/heartbeat.ts';
import { Caller } from '../api/http/caller.ts';
import { basicAuthorization, Http, type HttpOptions } from '../api/http/http.ts';
import { type Rate, RateLimiter, serviceRate } from '../api/http/rate-limiter.ts';
import { probeCredentials, probeNotFound } from '../api/probe.ts';
import { type Credentials, isTestSystem, type Service } from '../api/service.ts';
import { once } from '../concurrency/promises.ts';
import type { CliError } from '../errors.ts';
import { shownPrefix } from '../text/api-key.ts';
import type { Redactor } from '../text/redact.ts';
import { VERSION } from '../version.ts';

/** Everything that a connection to the service depends on. */
export interface ServiceOptions<Known extends Credentials>
  extends Omit<
    HttpOptions,
    'authorization' | 'caller' | 'mask' | 'proxy' | 'rateLimiter' | 'sent' | 'userAgent'
  > {
  readonly credentials: Known | undefined;
  /** Where the credentials are from, for errors. */
  readonly from?: string | undefined;
  /** The hint for refused credentials. */
  readonly repair?: string | undefined;
  /** The proxy for https. Plain http is for loopback hosts: a proxy would read the credentials. */
  readonly proxy?: (() => URL | undefined) | undefined;
  /** Masks the secrets from now on. */
  readonly redactor: Redactor;
  readonly mailto: string | undefined;
  readonly userAgent?: string | undefined;
  /**
   * The rate limit. `service` and `formats` mean the service's documented limits for this caller,
   * whose first half is used without spacing requests.
   */
  readonly rate: Rate | 'service' | 'formats' | undefined;
  /** Whether to check the credentials by a request, for answers without the caller's headers. */
  readonly probes?: boolean | undefined;
  /** Called at once when the service carried out a write as another account. */
  readonly onForeignWrite?: (error: CliError) => void;
}

/** Prepares the requests to a service. The redactor masks its secrets from now on. */
export function openService<Known extends Credentials>(
  options: ServiceOptions<Known>,
): Service<Known> {
  const { baseUrl, credentials, redactor, mailto, probes } = options;
  const basic = credentials && basicOf(credentials);
  if (credentials !== undefined) redactor.addSecret(secretOf(credentials));
  if (basic !== undefined) redactor.addBasic(...basic);
  const proxy = baseUrl.protocol === 'https:' ? options.proxy?.() : undefined;
  if (proxy !== undefined) maskProxy(proxy, redactor);
  const sent = credentials && {
    what: describe(credentials, options),
    repair: options.repair,
    account: credentials.kind === 'repository' ? credentials.id : credentials.account,
    secret: secretOf(credentials),
  };
  const caller = new Caller(sent, {
    probe: probes ? () => probeCredentials(http, sent?.what ?? '') : undefined,
    onForeignWrite: options.onForeignWrite,
  });
  const rateLimiter = limiterFor(options);
  const program = spaced(options.userAgent, `doi-cli/${VERSION}`);
  const root = once(() => requireRoot(http));
  const http: Http = new Http({
    ...options,
    proxy,
    caller,
    sent,
    authorization: basic && basicAuthorization(...basic),
    userAgent: mailto === undefined ? program : `${program} (mailto:${mailto})`,
    rateLimiter,
    onNotFound: async (asking, { probesNotFound, method }, { kind }) => {
      if (baseUrl.pathname !== '/') await root();
      // After a lost answer, a 404 is of another kind.
      if (probesNotFound && kind === 'not-found')
        await probeNotFound(asking, caller, method !== 'GET');
    },
    mask: (text) => redactor.mask(text),
  });
  return { http, caller, credentials, rateLimiter };
}

function limiterFor(options: ServiceOptions<Credentials>): RateLimiter | undefined {
  const { baseUrl, credentials, mailto, rate } = options;
  if (rate === undefined) return undefined;
  const documented = serviceRate({
    authenticated: credentials !== undefined,
    mailto: mailto !== undefined,
    testSystem: isTestSystem(baseUrl),
    formats: rate === 'formats',
  });
  return typeof rate === 'string'
    ? new RateLimiter(documented, options, false)
    : new RateLimiter(rate, options);
}

function maskProxy(proxy: URL, redactor: Redactor): void {
  const [username, password] = [proxy.username, proxy.password].map(decodeURIComponent);
  redactor.addSecret(proxy.password);
  redactor.addSecret(password ?? '');
  redactor.addBasic(username ?? '', password ?? '');
}

/** The credentials in errors: kind, account, source and service, without the secret. */
function describe(
  credentials: Credentials,
  { baseUrl, from }: Pick<ServiceOptions<Credentials>, 'baseUrl' | 'from'>,
): string {
  const source = from && `from ${from}`;
  const place = `for ${baseUrl.href.replace(/\/+$/, '')}`;
  if (credentials.kind === 'repository') {
    return `the credentials of ${credentials.id} (${spaced('password', source)}, ${place})`;
  }
  const { key, account } = credentials;
  const details = [account && `of ${account}`, source, place].filter(Boolean);
  return `${spaced('the API key', shownPrefix(key))} (${details.join(', ')})`;
}

const spaced = (...words: (string | null | undefined)[]) => words.filter(Boolean).join(' ');

function secretOf(credentials: Credentials): string {
  return credentials.kind === 'api-key' ? credentials.key : credentials.password;
}

function basicOf(credentials: Credentials): [username: string, password: string] {
  if (credentials.kind === 'repository') return [credentials.id, credentials.password];
  // A key is the user name, with an empty password (service.md, A2).
  return [credentials.key, ''];
}

const MAX_DEFAULT_JOBS = 16;

/** As many concurrent requests as the rate allows in a second, about the time of one answer. */
export function jobsFor({ rateLimiter }: Service): number {
  return Math.min(MAX_DEFAULT_JOBS, Math.max(2, Math.ceil(rateLimiter?.current ?? 1)));
}
