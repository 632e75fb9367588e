import { CliError, type ErrorKind, type Problem } from '../../errors.ts';
import { isNonEmptyString, jsonIn } from '../../text/json-values.ts';
import { abridged, counted } from '../../text/words.ts';

const MAX_MESSAGE_CHARACTERS = 1000;
// More than a record causes; a body of one megabyte could list 250,000.
const MAX_LISTED_PROBLEMS = 100;

/** Replaces the secrets of the run in a text. */
export type Mask = (text: string) => string;

export interface SentCredentials {
  /** A description for errors, without the secret. */
  readonly what: string;
  /** The hint when they are refused. */
  readonly repair?: string | undefined;
}

export interface ErrorResponse {
  /** Masks the service's words before they are shortened: half a secret would not be found. */
  readonly mask: Mask;
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  readonly sent?: SentCredentials | undefined;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'the request was not understood',
  401: 'the credentials were refused',
  404: 'not found',
  405: 'not allowed for this record',
  408: 'the request took too long',
  413: 'the request is too large',
  422: 'the record was refused',
  502: 'the proxy in front of the service cannot reach it',
  503: 'the service is unavailable',
  504: 'the service did not answer its proxy in time',
};

const HINTS: Readonly<Partial<Record<ErrorKind, string>>> = {
  credentials: 'check that the account is active, a repository account, and owner of the prefix',
  throttled: 'wait five minutes',
  unavailable: 'try again later',
};

export function isTransient(response: ErrorResponse): boolean {
  return response.status === 408 || response.status >= 500 || isThrottling(response);
}

/**
 * Whether the service asks for fewer requests: 429, or a 403 that is not JSON (service.md, E7, E5).
 */
export function isThrottling(response: ErrorResponse | undefined): boolean {
  if (response === undefined) return false;
  const { status, text } = response;
  return status === 429 || (status === 403 && parse(text) === undefined);
}

/**
 * The error for a response, with the service's words. @param inDoubt whether the request may have
 * taken effect.
 */
export function responseError(response: ErrorResponse, inDoubt = false): CliError {
  const { status, text, mask } = response;
  const kind = inDoubt ? 'unavailable' : kindOf(response);
  const problems = problemsIn(parse(text), mask);
  const reason = kind === 'throttled' ? 'the service limits the rate of requests' : REASONS[status];
  const message = joined(problems) ?? reason ?? unexplained(status);
  const doubt = inDoubt ? '; the request may have been carried out' : '';
  const hint = (status === 401 ? response.sent?.repair : undefined) ?? HINTS[kind];
  const whose = kind === 'credentials' ? refusal(response) : '';
  return new CliError(kind, `${message} (HTTP ${status})${doubt}${whose}`, {
    status,
    problems,
    hint,
  });
}

function unexplained(status: number): string {
  if (status >= 500) return 'the service failed';
  return status < 400 ? 'the service redirects' : 'the service refused';
}

function refusal({ status, sent }: ErrorResponse): string {
  if (sent === undefined) return '';
  return status === 401
    ? `: the service did not accept ${sent.what}`
    : `: the service does not allow it with ${sent.what}`;
}

function kindOf(response: ErrorResponse): ErrorKind {
  const { status } = response;
  if (isThrottling(response)) return 'throttled';
  if (isTransient(response)) return 'unavailable';
  if (status === 401 || status === 403) return 'credentials';
  return status === 404 ? 'not-found' : 'rejected';
}

/**
 * The service's error message in a parsed JSON body, without secrets; undefined if there is none.
 */
export function serviceMessage(body: unknown, mask: Mask): string | undefined {
  return joined(problemsIn(body, mask));
}

/**
 * The problems in `errors` (list, object, text), `error`, `message` or `title` of a body
 * (service.md, E1, E2, E3).
 */
function problemsIn(body: unknown, mask: Mask): Problem[] {
  if (typeof body !== 'object' || body === null) return [];
  const { errors, error, message } = body as {
    errors?: unknown;
    error?: unknown;
    message?: unknown;
  };
  const list = Array.isArray(errors) ? errors : [errors ?? error ?? message ?? body];
  const problems = list
    .slice(0, MAX_LISTED_PROBLEMS)
    .map((entry) => problemIn(entry, mask))
    .filter((problem) => problem !== undefined);
  const more = list.length - MAX_LISTED_PROBLEMS;
  return more > 0
    ? [...problems, { path: null, message: `and ${counted(more, 'more problem')}` }]
    : problems;
}

function problemIn(entry: unknown, mask: Mask): Problem | undefined {
  if (typeof entry === 'string')
    return entry === '' ? undefined : { path: null, message: oneLine(mask(entry)) };
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { title, detail, source } = entry as {
    title?: unknown;
    detail?: unknown;
    source?: unknown;
  };
  const message = [title, detail].find(isNonEmptyString);
  if (message === undefined) return undefined;
  return {
    path: isNonEmptyString(source) ? pathIn(source, mask) : null,
    message: oneLine(mask(message)),
  };
}

function joined(problems: readonly Problem[]): string | undefined {
  if (problems.length === 0) return undefined;
  return problems
    .map(({ path, message }) => (path === null ? message : `${path}: ${message}`))
    .join('; ');
}

/**
 * Callers compare paths, so ordinary paths are not masked here, but where they are printed or
 * stored.
 */
function pathIn(source: string, mask: Mask): string {
  return oneLine(source) === source ? source : oneLine(mask(source));
}

/**
 * A message of the service on one line of limited length: a second line could imitate our own
 * messages.
 */
function oneLine(message: string): string {
  return abridged(message.replace(/\s+/g, ' '), MAX_MESSAGE_CHARACTERS);
}

/**
 * The object or list in a body; undefined for HTML from a proxy (service.md, E4) or an empty body.
 */
function parse(text: string): object | undefined {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}
