import { usageError } from '../errors.ts';
import { didYouMean } from './closest.ts';
import { visible } from './redact.ts';

/** Parsers of option values. Each throws a plain Error with the problem and the allowed values. */

export const DAY_MS = 86_400_000;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** Parses a value from an option, profile, variable or caller; the error mentions the source. */
export function parseFrom<T>(source: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    throw usageError(`${source}: ${(error as Error).message}`);
  }
}

/** A duration such as `90d`, `12h`, `30s` or `250ms`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text.trim()) ?? [];
  const ms = Number(count) * Number(UNIT_MS[unit]);
  if (!Number.isSafeInteger(ms)) {
    throw new Error(
      `'${text}' is not a duration: write a number and a unit, such as 30s, 12h or 90d`,
    );
  }
  return ms;
}

/** A {@link parseDuration} within limits, both included. @param longest such as `24h`. */
export function parseDurationUpTo(longest: string, leastMs = 0): (text: string) => number {
  const mostMs = parseDuration(longest);
  return (text) => {
    const ms = parseDuration(text);
    if (ms < leastMs) throw new Error('the duration must be longer than 0');
    if (ms > mostMs) throw new Error(`'${text}' is too long: at most ${longest}`);
    return ms;
  };
}

/** A whole number within limits, both included. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
      throw new Error(`'${text}' is not a whole number ${range}`);
    }
    return value;
  };
}

/** A rate such as `3000/5m`: the requests in a window of milliseconds. */
export function parseRate(text: string): { requests: number; windowMs: number } {
  const [count = '', window = '', ...rest] = text.split('/');
  const requests = /^\d+$/.test(count) ? Number(count) : 0;
  // `40/s` means `40/1s`.
  const windowMs =
    rest.length === 0 && window !== ''
      ? parseDuration(/^\d/.test(window) ? window : `1${window}`)
      : 0;
  if (requests < 1 || windowMs < 1 || windowMs > DAY_MS) {
    throw new Error(
      `'${text}' is not a rate: write requests per duration of at most a day,` +
        ' such as 3000/5m or 40/1s',
    );
  }
  return { requests, windowMs };
}

/** The number of a part and of all parts, such as `2/4`. */
export function parseShard(text: string): { index: number; of: number } {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index === undefined || of === undefined || index < 1 || index > of) {
    throw new Error(
      `'${text}' is not a shard: write its number and how many there are, such as 1/4`,
    );
  }
  return { index, of };
}

/**
 * Years for the service's filters: `2019`, or `2017,2019` for the range between (service.md, F3).
 */
export function parseYears(text: string): string {
  if (/^\d{4}(,\d{4})*$/.test(text)) return text;
  throw new Error(
    `'${text}' is not a year or a list of years such as 2019 or 2017,2019` +
      ' (for finer ranges: the query created:[2024-01-01 TO 2024-02-01})',
  );
}

/** The states of a DOI in filters. */
export const STATES = ['findable', 'registered', 'draft'];

/** The values of a comma-separated list. @param problem what a value should be, if it is wrong. */
export function parseList(
  text: string,
  problem: (value: string) => string | undefined,
): readonly string[] {
  return text.split(',').map((part) => {
    const value = part.trim();
    const wrong = problem(value);
    if (wrong !== undefined) throw new Error(`'${value}' is not ${wrong}`);
    return value;
  });
}

/** A {@link parseList} of known values. @param what a value must be, in errors. */
export function parseKnown(
  text: string,
  known: readonly string[],
  what: string,
): readonly string[] {
  return parseList(text, (value) =>
    known.includes(value) ? undefined : `${what}${didYouMean(value, known)}`,
  );
}

/** Words of people and other programs for the states of a DOI. */
const OTHER_STATES: Readonly<Record<string, string>> = {
  published: 'findable',
  public: 'findable',
  hidden: 'registered',
  unpublished: 'draft',
};

/** One or more DOI states, comma-separated, in the service's spelling (service.md, F8). */
export function parseStates(text: string): string {
  const what = `a DOI state; the states are ${STATES.join(', ')}`;
  return parseList(text.toLowerCase(), (value) => {
    if (STATES.includes(value)) return undefined;
    if (!Object.hasOwn(OTHER_STATES, value)) return `${what}${didYouMean(value, STATES)}`;
    return `${what}; did you mean '${OTHER_STATES[value]}'?`;
  }).join();
}

/** One or more DOI prefixes such as `10.5072`, comma-separated. */
export function parsePrefixes(text: string): string {
  const isPrefix = (prefix: string) => /^10\.\d+(\.\d+)*$/.test(prefix);
  return parseList(text, (value) =>
    isPrefix(value) ? undefined : 'a DOI prefix such as 10.5072',
  ).join();
}

/** One DOI prefix such as `10.5072`. */
export function parsePrefix(text: string): string {
  if (text.includes(',')) throw new Error(`'${text}' is not one DOI prefix such as 10.5072`);
  return parsePrefixes(text);
}

/** A text that must not be empty: an empty filter would silently match every record. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new Error('the value is empty');
  refuseKey(text);
  return text;
}

/**
 * @throws {Error} for a whole API key: other users can see typed words in process lists, and
 *   records are public.
 */
export function refuseKey(text: string): void {
  if (isWholeKey(text))
    throw new Error('this is a whole API key, which must not be typed here or stored in a record');
}

/**
 * Whether a text looks like a whole API key (service.md, K3). Do not refuse keys of another format:
 * it may change.
 */
export function isWholeKey(text: string): boolean {
  return /^DC\.[A-Za-z0-9]{32}$/.test(text.trim());
}

/** The `keyPrefix` of an API key: its first 11 characters (service.md, K2). */
export function keyPrefixOf(key: string): string {
  return key.slice(0, 11);
}

/** The prefix of a whole API key; null for anything else, which may be a misplaced password. */
export function shownPrefix(secret: string): string | null {
  return isWholeKey(secret) ? keyPrefixOf(secret.trim()) : null;
}

/** The id of a repository account. In HTTP Basic a colon would end it (RFC 7617). */
export function parseRepository(text: string): string {
  if (isWholeKey(text)) throw new Error('this is a whole API key, not a repository account id');
  if (/^[^\s:\p{Cc}]+$/u.test(text)) return text;
  throw new Error('a repository account id has no colon, blank or control character');
}

/** The contact address for the service; it must be safe inside a User-Agent comment. */
export function parseMailto(text: string): string {
  if (/^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(\.[\w-]+)+$/.test(text)) return text;
  throw new Error(`'${text}' is not an email address`);
}

/** At-signs: plain, full-width and small, percent-encoded any number of times. */
const AT_SIGN = /[@\uff20\ufe6b]|%(?:25)*(?:40|ef(?:%(?:25)*(?:bc%(?:25)*a0|b9%(?:25)*ab)))/i;

/** Whether a text may contain credentials: an at-sign in any spelling. Never quote such a text. */
function mayHoldCredentials(text: string): boolean {
  return AT_SIGN.test(text.replace(/[\s\p{C}]/gu, ''));
}

/** A base URL safe to show: without credentials, which handwritten settings may contain. */
export function withoutCredentials(text: string): string {
  return mayHoldCredentials(text) ? text.replace(/.*[@%\uff20\ufe6b]/su, '***@') : text;
}

/** A base URL: https, or http on a loopback host. Credentials are refused, and never quoted. */
export function parseBaseUrl(text: string): URL {
  if (mayHoldCredentials(text)) {
    throw new Error(
      'a base URL must not contain credentials or an @:' +
        ' set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD',
    );
  }
  if (!URL.canParse(text))
    throw new Error(`'${text}' is not a URL such as https://api.datacite.org`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(`'${text}' must be https (http is for loopback hosts only)`);
  }
  if (url.search !== '' || url.hash !== '')
    throw new Error(`'${text}' must not have a query or a fragment`);
  return url;
}

/** The base URL of the API: a {@link parseBaseUrl} that is no page of DataCite or of its API. */
export function parseApiUrl(text: string): URL {
  const url = parseBaseUrl(text);
  const isPage = !/^api\./.test(url.hostname) || url.pathname !== '/';
  if (/(^|\.)datacite\.org$/.test(url.hostname) && isPage)
    throw new Error(`'${text}' is not the root of the API, such as https://api.datacite.org`);
  return url;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

// The width of the service's column (service.md, K6).
const MAX_NAME = 191;

/** The name of a new key, trimmed. */
export function parseKeyName(text: string): string {
  const name = text.trim();
  if (name === '') throw new Error('the name is empty: write what the key is for');
  if (isWholeKey(name))
    throw new Error('this is a whole API key, and names are not secret: choose another name');
  if (visible(name) !== name)
    throw new Error('a name must not contain line breaks, control or invisible characters');
  if ([...name].length > MAX_NAME) throw new Error(`a name has at most ${MAX_NAME} characters`);
  return name;
}
