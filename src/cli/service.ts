import { proxyFor } from '../api/http/connector.ts';
import type { Retry } from '../api/http/retry.ts';
import type { Service } from '../api/service.ts';
import { openService, type ServiceOptions } from '../core/open-service.ts';
import { type Credentials, repairOf, sourceText } from '../credentials/resolve.ts';
import { CliError } from '../errors.ts';
import type { Redactor } from '../text/redact.ts';
import { counted } from '../text/words.ts';
import type { Messages, Screen } from '../ui/messages.ts';

const MAX_DEFAULT_JOBS = 16;

/** How a run reaches a service, where it differs from its options. */
export type ConnectOptions = Partial<
  Pick<ServiceOptions<Credentials>, 'baseUrl' | 'rate' | 'startsUnpaced' | 'isMds'>
>;

interface Run extends Screen {
  readonly redactor: Redactor;
  suggest(...words: readonly string[]): string;
}

/** Prepares the requests of a run to a service. All messages mask its secrets from here on. */
export function connect(
  run: Run,
  credentials: Credentials | undefined,
  {
    baseUrl,
    mailto,
    ...options
  }: ConnectOptions & { readonly baseUrl: URL; readonly mailto: string | undefined },
): Service<Credentials> {
  const { redactor, messages } = run;
  const { now, random, sleep, signal, env } = run.host;
  const { timeout, retries, verbose = false, probeCredentials } = run.options;
  return openService({
    ...{ now, random, sleep, signal, rate: undefined },
    ...options,
    baseUrl,
    credentials,
    from: credentials && sourceText(credentials),
    repair: credentials && repairOf(credentials, (...words) => run.suggest(...words)),
    redactor,
    mailto,
    probes: probeCredentials,
    onForeignWrite: ({ message }) => messages.always(`warning: ${message}`),
    proxy: proxyFor(baseUrl, env),
    timeoutMs: timeout,
    retries,
    onRequest: ({ method, url, status, problem, ms }) =>
      messages.trace(`${method} ${url} ${status ?? `failed (${problem})`} ${ms} ms`),
    onRetry: retryMessages(messages, now, verbose),
    onSmallerPage: (size, problem) =>
      messages.status(`${problem}; asking for ${counted(size, 'record')} at a time`),
    onSilence: (name) => messages.status(`waiting for an answer from ${name}`),
  });
}

// What is over within this time needs no words, and no second line about the same.
const SILENT_MS = 1000;

/**
 * Says what a run waits for: one line a second, however many requests wait; `verbose` traces each
 * of them.
 */
function retryMessages(
  messages: Messages,
  now: () => number,
  verbose: boolean,
): (retry: Retry) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (retry) => {
    const text = waitText(retry);
    if (verbose) return messages.trace(text);
    if (retry.waitedMs < SILENT_MS || Math.abs(now() - saidAt) < SILENT_MS) return;
    saidAt = now();
    messages.status(text);
  };
}

/** `api.datacite.org does not answer (HTTP 503); attempt 4 of 9 in 12 s` */
function waitText({ host, failure, isThrottled, delayMs, attempt, attempts }: Retry): string {
  const { reason, response, unsent } = failure;
  const seconds = `${delayMs < 10_000 ? (delayMs / 1000).toFixed(1) : Math.round(delayMs / 1000)} s`;
  if (isThrottled) return `${host} limits the rate (${reason}); trying again in ${seconds}`;
  const what =
    response !== undefined
      ? 'does not answer'
      : unsent
        ? 'cannot be reached'
        : 'gave no complete answer';
  return `${host} ${what} (${reason}); attempt ${attempt} of ${attempts} in ${seconds}`;
}

/** The repository account of a service for managing keys. */
export function repositoryOf({ credentials }: Service): string {
  if (credentials?.kind === 'repository') return credentials.id;
  throw new CliError('unexpected', 'there are no repository credentials');
}

/**
 * As many requests at once as the rate allows in a second, which is about the time of an answer.
 */
export function jobsFor({ rateLimiter }: Service): number {
  return Math.min(MAX_DEFAULT_JOBS, Math.max(2, Math.ceil(rateLimiter?.current ?? 1)));
}
