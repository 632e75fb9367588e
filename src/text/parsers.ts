import { usageError } from '../errors.ts';
import { isWholeKey, refuseKey } from './api-key.ts';

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

/** A text that must not be empty: an empty filter would silently match every record. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new Error('the value is empty');
  refuseKey(text);
  return text;
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
