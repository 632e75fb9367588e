import { type DatedOptions, withDates } from '../core/dates.ts';
import { MAX_JOBS, MAX_PAGE_SIZE } from '../core/defaults.ts';
import { parseFields } from '../core/filter-values.ts';
import { type DoiQuery, FILTERS, type Filters } from '../core/filters.ts';
import { filterWarnings, parseFilter } from '../core/other-filters.ts';
import { usageError } from '../errors.ts';
import { didYouMean } from '../text/closest.ts';
import { parseDateRange } from '../text/moment.ts';
import { DAY_MS, parseFrom } from '../text/parsers.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const BOUNDS = {
  jobs: [1, MAX_JOBS],
  limit: [1, MOST],
  overlapMs: [0, MOST],
  pageSize: [1, MAX_PAGE_SIZE],
  requests: [1, MOST],
  retries: [0, 100],
  timeoutMs: [1, DAY_MS],
  windowMs: [1, DAY_MS],
} as const;

/** @throws {CliError} kind `usage` for a number of an argument that is out of its bounds. */
export function requireNumbers(
  numbers: {
    readonly [Name in keyof typeof BOUNDS]?: number | undefined;
  },
): void {
  for (const [name, [least, most]] of Object.entries(BOUNDS)) {
    const number = numbers[name as keyof typeof BOUNDS];
    if (number === undefined) continue;
    if (Number.isSafeInteger(number) && least <= number && number <= most) continue;
    throw usageError(`${name} must be a whole number from ${least} to ${most}`);
  }
}

/** @throws {CliError} kind `usage` for an empty path, which means the working directory. */
export function requirePath(name: string, path: string): void {
  if (path === '') throw usageError(`${name} is empty`);
}

/** Checks a part of a query, whose name is for errors. */
type Check = (value: unknown, name: string) => unknown;

/** A text, parsed. Another value might select more records than were meant. */
function text(parse: (text: string) => unknown): Check {
  return (value, name) => {
    if (typeof value !== 'string') throw usageError(`${name} is not a text`);
    return parseFrom(name, value, parse);
  };
}

/** Dates as on the command line. Two years may also have a comma between them (service.md, F3). */
const dates = text((typed) => parseDateRange(typed.replace(/^(\d{4}),(\d{4})$/, '$1..$2')));

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...FILTERS.map(({ name, parse }) => [name, text((value) => parse(value, 'property'))] as const),
  ...(['created', 'registered', 'updated'] as const).map((name) => [name, dates] as const),
  ['filter', otherFilters],
  ['fields', (value, name) => parseFrom(name, (value as readonly string[]).join(), parseFields)],
  ['detail', (value) => value],
]);

function otherFilters(value: unknown, name: string) {
  const pairs = entriesOf(value as object, name).map(([key, member]) => {
    const pair = text((word) => parseFilter(`${key}=${word}`, 'property'));
    return pair(member, `${name}: ${key}`) as ReturnType<typeof parseFilter>;
  });
  const [doubt] = filterWarnings(pairs);
  if (doubt !== undefined) throw usageError(`${name}: ${doubt}`);
  return pairs;
}

/** The members of filters. A Map, a Date or a Promise has none, and would select all records. */
function entriesOf(value: object, name: string): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of other realms have another Object.prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (entries.length > 0 || isPlain) return entries;
  throw usageError(`${name}: not an object`);
}

/**
 * The filters of a query, with its dates.
 * @throws {CliError} kind `usage` also for a misspelt filter, which would select more records.
 */
export function datedFilters(query: DoiQuery): DatedOptions<Filters> {
  const checked = entriesOf(query, 'query').flatMap(([key, value]) => {
    const check = CHECKS.get(key);
    if (check === undefined)
      throw usageError(`query: '${key}' is not known${didYouMean(key, [...CHECKS.keys()])}`);
    return value === undefined ? [] : [[key, check(value, `query.${key}`)] as const];
  });
  return Object.fromEntries(checked);
}

/** The filters of a query, whose dates are relative to now. */
export function queryFilters(query: DoiQuery): Filters {
  const clock = { now: Date.now(), warn: () => undefined, naming: 'property' } as const;
  return withDates(datedFilters(query), clock).options;
}
