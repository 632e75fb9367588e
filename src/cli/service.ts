import { proxyFor } from '../api/http/proxy.ts';
import type { Retry } from '../api/http/retry.ts';
import type { Service } from '../api/service.ts';
import { openService, type ServiceOptions } from '../core/open-service.ts';
import { repairOf, type SourcedCredentials, sourceText } from '../credentials/resolve.ts';
import { CliError } from '../errors.ts';
import type { Redactor } from '../text/redact.ts';
import type { Suggest } from '../text/shell-word.ts';
import { counted } from '../text/words.ts';
import type { Messages, Screen } from '../ui/messages.ts';

/** Options of a connection that differ from the options of the run. */
export type ConnectOptions = Partial<Pick<ServiceOptions<SourcedCredentials>, 'baseUrl' | 'rate'>>;

interface Run extends Screen {
  readonly redactor: Redactor;
  readonly suggest: Suggest;
}

/** Connects a run to a service. From then on, all messages mask the credentials. */
export function connect(
  run: Run,
  credentials: SourcedCredentials | undefined,
  {
    baseUrl,
    mailto,
    ...options
  }: ConnectOptions & { readonly baseUrl: URL; readonly mailto: string | undefined },
): Service<SourcedCredentials> {
  const { redactor, messages } = run;
  const { now, random, sleep, signal, env } = run.host;
  const { timeout, retries, verbose = false, probeCredentials } = run.options;
  return openService({
    ...{ now, random, sleep, signal, rate: undefined },
    ...options,
    baseUrl,
    credentials,
    from: credentials && sourceText(credentials),
    repair: credentials && repairOf(credentials, run.suggest),
    redactor,
    mailto,
    probes: probeCredentials,
    onForeignWrite: ({ message }) => messages.always(`warning: ${message}`),
    proxy: () => proxyFor(baseUrl, env),
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

// Shorter waits are not announced, and further lines about waits are at least this far apart.
const SILENT_MS = 1000;

/**
 * Prints what a run waits for: one line a second, however many requests wait; with `verbose`, all
 * of them.
 */
function retryMessages(
  messages: Messages,
  now: () => number,
  verbose: boolean,
): (retry: Retry) => void {
  let printedAt = Number.NEGATIVE_INFINITY;
  return (retry) => {
    const text = waitText(retry);
    if (verbose) return messages.trace(text);
    if (retry.waitedMs < SILENT_MS || Math.abs(now() - printedAt) < SILENT_MS) return;
    printedAt = now();
    messages.status(text);
  };
}

/** `api.datacite.org cannot answer now (HTTP 503); attempt 4 of 9 in 12 s` */
function waitText({ host, failure, isThrottled, delayMs, attempt, attempts }: Retry): string {
  const { reason } = failure;
  const seconds = (delayMs / 1000).toFixed(delayMs < 10_000 ? 1 : 0);
  if (isThrottled) return `${host} limits the rate (${reason}); trying again in ${seconds} s`;
  const problem = `${host} ${failureText(failure)} (${reason})`;
  return `${problem}; attempt ${attempt} of ${attempts} in ${seconds} s`;
}

function failureText({ response, unsent }: Retry['failure']): string {
  if (response !== undefined) return 'cannot answer now';
  return unsent ? 'cannot be reached' : 'gave no complete answer';
}

/** The repository account of a service for managing keys. */
export function repositoryOf({ credentials }: Service): string {
  if (credentials?.kind === 'repository') return credentials.id;
  throw new CliError('unexpected', 'there are no repository credentials');
}
