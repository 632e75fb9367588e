import { CliError, type ErrorKind, type Problem } from '../../errors.ts';

const MOST_WORDS = 1000;

/** An answer other than success, read whole. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  /** What a text that is not JSON says, where its kind is known. */
  readonly words?: string;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'the request was not understood',
  401: 'the credentials were refused',
  404: 'not found',
  405: 'not allowed for this record',
  408: 'the request took too long',
  413: 'the request is too large',
  422: 'the record was refused',
  429: 'too many requests',
  500: 'the service failed',
  502: 'the service cannot be reached behind its proxy',
  503: 'the service is unavailable',
  504: 'the service did not answer its proxy in time',
};

/**
 * True when trying again may help: 408, 429, 5xx, and a 403 that is not JSON, which is the load balancer's
 * way to throttle, while a JSON 403 is the service's own answer about permissions (observed).
 */
export function isTransient({ status, text, words }: Refusal): boolean {
  if (status === 408 || status === 429 || status >= 500) return true;
  return status === 403 && words === undefined && parse(text) === undefined;
}

/**
 * One error in the service's own words, whatever shape they came in; HTML becomes a sentence.
 * @param inDoubt whether what was asked for may have been done all the same.
 */
export function refusalError(refusal: Refusal, inDoubt = false): CliError {
  const { status, text } = refusal;
  const kind = kindOf(refusal);
  const throttled = kind === 'throttled' ? 'the service is throttling requests' : undefined;
  const problems = serviceProblems(parse(text));
  const words = refusal.words === undefined ? joined(problems) : oneLine(refusal.words);
  const message =
    words ?? throttled ?? REASONS[status] ?? (status >= 500 ? 'the service failed' : 'the service refused');
  const hint = hintFor(kind, status);
  const doubt = inDoubt ? '; the request may have had its effect' : '';
  return new CliError(kind, `${message} (HTTP ${status})${doubt}`, {
    status,
    problems,
    ...(hint ? { hint } : {}),
  });
}

function kindOf(refusal: Refusal): ErrorKind {
  const { status } = refusal;
  if (status === 429) return 'throttled';
  if (status === 403 && isTransient(refusal)) return 'throttled';
  if (isTransient(refusal)) return 'unavailable';
  if (status === 401 || status === 403) return 'credentials';
  return status === 404 ? 'not-found' : 'rejected';
}

function hintFor(kind: ErrorKind, status: number): string | undefined {
  if (status === 401)
    return 'check the credentials: DOI_CLI_REPOSITORY with DOI_CLI_PASSWORD, or DOI_CLI_API_KEY';
  if (kind === 'credentials') {
    return 'the credentials may lack the right: is the account active, a repository account, and owner of the prefix?';
  }
  if (kind === 'throttled')
    return 'wait five minutes; requests with credentials or --mailto have a higher limit';
  if (kind === 'unavailable') return 'try again later; --retries and --timeout say how long to keep trying';
  return undefined;
}

/** What an answer says is wrong, in the service's own words; undefined when it says nothing. */
export function serviceWords(body: unknown): string | undefined {
  return joined(serviceProblems(body));
}

/**
 * The error shapes of the service: `{"errors":[{"status","title"}]}`, entries with a `source` field and no
 * status, an object in place of the array, plain strings, and `{"error"}` or `{"message"}` (observed).
 */
function serviceProblems(body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null) return [];
  const { errors, error, message } = body as { errors?: unknown; error?: unknown; message?: unknown };
  const list = Array.isArray(errors) ? errors : [errors ?? error ?? message];
  return list.map(problemOf).filter((entry) => entry !== undefined);
}

function problemOf(entry: unknown): Problem | undefined {
  if (typeof entry === 'string') return entry === '' ? undefined : { path: null, message: oneLine(entry) };
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { title, detail, source } = entry as { title?: unknown; detail?: unknown; source?: unknown };
  const words = [title, detail].find((text) => typeof text === 'string' && text !== '');
  if (words === undefined) return undefined;
  const path = typeof source === 'string' && source !== '' ? oneLine(source) : null;
  return { path, message: oneLine(String(words)) };
}

function joined(problems: readonly Problem[]): string | undefined {
  if (problems.length === 0) return undefined;
  return problems.map(({ path, message }) => (path === null ? message : `${path}: ${message}`)).join('; ');
}

/** The service's words on one line of bearable length: a second line could pass for one of ours. */
function oneLine(words: string): string {
  const line = words.replace(/\s+/g, ' ');
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS)}…` : line;
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // HTML from a proxy, or nothing at all.
    return undefined;
  }
}
