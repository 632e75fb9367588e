import { CliError, usageError } from '../errors.ts';
import { didYouMean } from '../text/closest.ts';
import { parseFrom } from '../text/parsers.ts';
import { MAX_JOBS, MAX_PAGE_SIZE } from './defaults.ts';
import {
  type DoiQuery,
  FILTERS,
  type Filters,
  filterWarnings,
  parseFields,
  parseFilter,
} from './filters.ts';

/**
 * Checks a value that a caller gave under a name. @throws {CliError} kind `usage`, whose message
 * has the name.
 */
type Check<T> = (value: unknown, name: string) => T;

/** A text, parsed. */
export function text<T>(parse: (text: string) => T): Check<T> {
  return (value, name) => {
    if (typeof value !== 'string') throw usageError(`${name} is not a text`);
    try {
      return parseFrom(name, value, parse);
    } catch (error) {
      throw inOwnWords(error);
    }
  };
}

/** Options of the command line, and what they are here. */
const PROPERTIES: ReadonlyMap<string, string> = new Map([
  ...FILTERS.map(({ param, name }) => [param, `query.${name}`] as const),
  ...['filter', 'fields', 'detail'].map((name) => [name, `query.${name}`] as const),
  ...['fresh', 'check', 'gzip', 'limit', 'jobs'].map((name) => [name, name] as const),
  ...[
    ['dir', 'directory'] as const,
    ['all', 'listDois'] as const,
    ['page-size', 'pageSize'] as const,
  ],
  ...[['base-url', 'baseUrl'] as const, ['probe-credentials', 'probeCredentials'] as const],
]);

/** An error that names the properties of options in place of those of the command line. */
export function inOwnWords(error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const own = (text: string) =>
    text.replace(
      /(?<![^\s(])--([a-z-]+)/g,
      (option, name: string) => PROPERTIES.get(name) ?? option,
    );
  const [message, hint] = [own(error.message), error.hint && own(error.hint)];
  return message === error.message && hint === error.hint ? error : error.with({ message, hint });
}

/** A whole number in a range. */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Check<number> {
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

/** A value of the type that the caller's compiler has checked. */
export const typed =
  <T>(): Check<T> =>
  (value) =>
    value as T;

/**
 * The members of an object that a caller gave, by their checks. A member with a wrong name would be
 * ignored, and the result another one than asked for. @param what names the object in errors, its
 * members without `options`.
 */
export function checked<Checks extends Readonly<Record<string, Check<unknown>>>>(
  what: string,
  given: object,
  checks: Checks,
): { readonly [Name in keyof Checks]?: ReturnType<Checks[Name]> } {
  const values = membersOf(what, given).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined)
      throw usageError(`${what}: '${name}' is not known${didYouMean(name, Object.keys(checks))}`);
    const shown = what === 'options' ? name : `${what}.${name}`;
    return value === undefined ? [] : [[name, check(value, shown)] as const];
  });
  return Object.fromEntries(values) as ReturnType<typeof checked<Checks>>;
}

function membersOf(
  what: string,
  given: unknown,
): readonly (readonly [name: string, value: unknown])[] {
  // What a Map holds is in no member: it would count as empty.
  if (typeof given === 'object' && given !== null && !(Symbol.iterator in given))
    return Object.entries(given);
  throw usageError(`${what}: not an object`);
}

/** An empty path would mean the working directory. */
function parseDirectory(path: string): string {
  if (path === '' || path.includes('\0')) throw new Error('not a path');
  return path;
}

const OPTIONS = {
  ...{
    signal: typed(),
    query: typed(),
    onProgress: typed(),
    onNote: typed(),
    store: typed(),
    name: typed(),
  },
  ...{ parse: flag, gzip: flag, fresh: flag, check: flag, includeRevoked: flag },
  directory: text(parseDirectory),
  limit: whole(1),
  pageSize: whole(1, MAX_PAGE_SIZE),
  jobs: whole(1, MAX_JOBS),
  overlapMs: whole(0),
};

/** The options of a call, as they are. @param names of those that it takes. */
export function checkedOptions<Options extends object>(
  options: Options,
  ...names: readonly (keyof Options & keyof typeof OPTIONS)[]
): Options {
  checked('options', options, Object.fromEntries(names.map((name) => [name, OPTIONS[name]])));
  return options;
}

const QUERY = {
  ...Object.fromEntries(FILTERS.map(({ name, parse }) => [name, text(parse)])),
  filter: (value: unknown, name: string) => {
    const pairs = membersOf(name, value).map(([own, one]) =>
      text((given) => parseFilter(`${own}=${given}`))(one, `${name}: ${own}`),
    );
    const [doubt] = filterWarnings(pairs);
    if (doubt !== undefined) throw usageError(`${name}: ${doubt}`);
    return pairs;
  },
  fields: (value: unknown, name: string) => {
    if (!Array.isArray(value)) throw usageError(`${name} is not a list of names`);
    return text(parseFields)(value.join(','), name);
  },
  detail: flag,
  affiliation: flag,
};

/**
 * The filters of a query. One that the service would ignore or misread would list other records.
 */
export function checkedFilters(query: DoiQuery): Filters {
  return checked('query', query, QUERY);
}
