import { CliError, usageError } from '../errors.ts';
import { didYouMean } from '../text/closest.ts';
import { isObject, type JsonObject } from '../text/json-values.ts';
import { parseDateRange } from '../text/moment.ts';
import { parseFrom } from '../text/parsers.ts';
import { type DatedOptions, withDates } from './dates.ts';
import { FILTERS, type Filters, parseFields } from './filters.ts';
import { filterWarnings, parseFilter } from './other-filters.ts';

/**
 * Checks an argument of the library. A program without types may pass any value.
 * @throws {CliError} kind `usage`, whose message has the name.
 */
type Check<T> = (value: unknown, name: string) => T;

/** A text, parsed. */
export function text<T>(parse: (text: string) => T): Check<T> {
  return (value, name) => {
    if (typeof value !== 'string') throw usageError(`${name} is not a text`);
    return parseFrom(name, value, parse);
  };
}

/** The path of a directory. An empty path would mean the working directory. */
export const directory = text((path) => {
  if (path === '' || path.includes('\0')) throw new Error('not a path');
  return path;
});

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Check<number> {
  return (value, name) => {
    const number = value as number;
    if (Number.isSafeInteger(number) && least <= number && number <= most) return number;
    throw usageError(`${name} must be a whole number from ${least} to ${most}`);
  };
}

/** True or false: a text such as 'false' would count as true. */
export const flag: Check<boolean> = (value, name) => {
  if (typeof value !== 'boolean') throw usageError(`${name} is not true or false`);
  return value;
};

/** A function, whose parameters only the compiler of the caller can check. */
export const callback =
  <Callback>(): Check<Callback> =>
  (value, name) => {
    if (typeof value !== 'function') throw usageError(`${name} is not a function`);
    return value as Callback;
  };

const abortSignal: Check<AbortSignal> = (value, name) => {
  // A proxy of a signal is an AbortSignal, but reading it fails.
  if (value instanceof AbortSignal && typeof value.aborted === 'boolean') return value;
  throw usageError(`${name} is not an AbortSignal`);
};

type Members<Checks extends Readonly<Record<string, Check<unknown>>>> = {
  readonly [Name in keyof Checks]?: ReturnType<Checks[Name]>;
};

/**
 * The members of an object by their checks. A misspelt member is an error: ignoring it would change
 * the result.
 * @param name of the object in errors; members of `options` are shown without it.
 */
export function members<Checks extends Readonly<Record<string, Check<unknown>>>>(
  value: unknown,
  name: string,
  checks: Checks,
): Members<Checks> {
  const checked = entriesOf(value, name).flatMap(([key, member]) => {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined)
      throw usageError(`${name}: '${key}' is not known${didYouMean(key, Object.keys(checks))}`);
    if (member === undefined) return [];
    return [[key, readable(name, () => check(member, pathOf(name, key)))] as const];
  });
  return Object.fromEntries(checked) as Members<Checks>;
}

const OPTIONS = 'options';
const pathOf = (name: string, key: string) => (name === OPTIONS ? key : `${name}.${key}`);

/** The options of a call. Every call takes a signal. */
export function callOptions<Checks extends Readonly<Record<string, Check<unknown>>>>(
  options: unknown,
  checks: Checks,
): Members<Checks & { readonly signal: Check<AbortSignal> }> {
  return members(options, OPTIONS, { ...checks, signal: abortSignal });
}

function entriesOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  return readable(name, () => {
    const isObject = typeof value === 'object' && value !== null;
    const entries = isObject && !(Symbol.iterator in value) ? Object.entries(value) : [];
    if (isObject && (entries.length > 0 || isPlain(value))) return entries;
    throw usageError(`${name}: not an object`);
  });
}

/** Whether an object has no class: a Map, a Date or a Promise would count as empty. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of other realms have another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Reads a value, which may be a proxy or have getters that throw. */
function readable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(`${name}: ${error instanceof Error ? firstLine(error) : 'cannot be read'}`);
  }
}

const firstLine = ({ message }: Error) => message.split('\n')[0];

/**
 * An object as JSON would copy it.
 * @throws {CliError} kind `usage` for a value that JSON cannot express, such as NaN, which would
 *   become null.
 */
export const jsonObject: Check<JsonObject> = (value, name) =>
  readable(name, () => {
    entriesOf(value, name);
    const copy: unknown = JSON.parse(JSON.stringify(value, requireJson));
    if (isObject(copy)) return copy;
    throw usageError(`${name}: not an object`);
  });

function requireJson(this: Readonly<Record<string, unknown>>, key: string, value: unknown) {
  const original = this[key];
  const isLost =
    ['function', 'symbol', 'bigint'].includes(typeof value) ||
    (typeof value === 'number' && !Number.isFinite(value)) ||
    (original instanceof Date && Number.isNaN(original.getTime())) ||
    value instanceof Map ||
    value instanceof Set;
  if (isLost) throw new Error(`${key} is not a value of JSON`);
  return value;
}

/** Dates as on the command line. Two years may also have a comma between them (service.md, F3). */
const dates = text((typed) => parseDateRange(typed.replace(/^(\d{4}),(\d{4})$/, '$1..$2')));

const QUERY = {
  ...Object.fromEntries(
    FILTERS.map(({ name, parse }) => [name, text((value) => parse(value, 'property'))]),
  ),
  ...{ created: dates, registered: dates, updated: dates },
  filter: (value: unknown, name: string) => {
    const pairs = entriesOf(value, name).map(([key, member]) =>
      text((word) => parseFilter(`${key}=${word}`, 'property'))(member, `${name}: ${key}`),
    );
    const [doubt] = filterWarnings(pairs);
    if (doubt !== undefined) throw usageError(`${name}: ${doubt}`);
    return pairs;
  },
  fields: (value: unknown, name: string) => {
    if (!Array.isArray(value)) throw usageError(`${name} is not a list of names`);
    return parseFrom(name, value.map((field) => text(String)(field, name)).join(','), parseFields);
  },
  detail: flag,
  affiliation: flag,
};

/** The filters of a query, with its dates. A misspelt one is an error: it would be ignored. */
export function datedFilters(query: unknown, name = 'query'): DatedOptions<Filters> {
  return members(query, name, QUERY);
}

/** The filters of a query, whose dates are relative to now. */
export function queryFilters(query: unknown): Filters {
  const clock = { now: Date.now(), warn: () => undefined, naming: 'property' } as const;
  return withDates<Filters>(datedFilters(query), clock).options;
}
