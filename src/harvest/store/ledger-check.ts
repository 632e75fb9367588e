import { isObject } from '../../text/json-values.ts';
import type { Gap } from '../walk/gap.ts';
import type {
  Comparison,
  Generation,
  HarvestQuery,
  LedgerData,
  LedgerWindow,
  Shard,
} from './ledger-data.ts';

/** Returns what is wrong with a value, and where (`at`); undefined when it is right. */
type Check = (value: unknown, at: string) => string | undefined;

/** A check for each member of T; the compiler finds missing checks. */
type Members<T> = { readonly [Name in keyof T]-?: Check };

function check(expected: string, test: (value: unknown) => boolean): Check {
  return (value, at) => (test(value) ? undefined : `${at} is not ${expected}`);
}

const isString = check('a string', (value) => typeof value === 'string');
const isBoolean = check('true or false', (value) => typeof value === 'boolean');
const isCount = check('a count', (value) => Number.isSafeInteger(value) && (value as number) >= 0);
const isWhole = check('a whole number', Number.isSafeInteger);
/** Milliseconds since 1970; negative before. */
const isTime = check('a time in milliseconds', (value) => Number.isSafeInteger(value));
const isTimestamp = check(
  'a time',
  (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
);
const isSha256 = check(
  'a SHA-256',
  (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
);

function oneOf(...values: readonly unknown[]): Check {
  return check(values.map((value) => JSON.stringify(value)).join(' or '), (value) =>
    values.includes(value),
  );
}

function nullable(inner: Check): Check {
  return (value, at) => (value === null ? undefined : inner(value, at));
}

function optional(inner: Check): Check {
  return (value, at) => (value === undefined ? undefined : inner(value, at));
}

function listOf(inner: Check): Check {
  return (value, at) =>
    Array.isArray(value)
      ? firstProblem(value.map((item, index) => inner(item, `${at}[${index}]`)))
      : `${at} is not a list`;
}

/** An object with these members, to which later versions may add others. */
function object<T>(members: Members<T>): Check {
  const entries = Object.entries<Check>(members);
  return (value, at) => {
    if (!isObject(value)) return `${at} is not an object`;
    const member = (name: string) => (Object.hasOwn(value, name) ? value[name] : undefined);
    return firstProblem(entries.map(([name, inner]) => inner(member(name), `${at}.${name}`)));
  };
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

const texts =
  (count: number, what: string): Check =>
  (value, at) =>
    Array.isArray(value) && value.length === count
      ? listOf(isString)(value, at)
      : `${at} is not ${what}`;
const pair = texts(2, 'a name and a value');
const fixedDate = texts(3, 'an option, its words and a time');

const gap = object<Gap>({
  after: nullable(isString),
  cursor: isString,
  from: optional(isTime),
  doi: optional(isString),
  records: optional(isCount),
  reason: isString,
});

const ledgerWindow = object<LedgerWindow>({
  index: isCount,
  from: nullable(isTime),
  to: nullable(isTime),
  count: isCount,
  estimated: optional(isBoolean),
  cursor: nullable(isString),
  restart: optional(nullable(isTime)),
  latest: optional(nullable(isTime)),
  bytes: isCount,
  records: isCount,
  done: isBoolean,
  sha256: optional(isSha256),
  unique: optional(isCount),
  gaps: listOf(gap),
  doubt: optional(isString),
  surplus: optional(isWhole),
});

const generation = object<Generation>({
  number: isCount,
  kind: oneOf('full', 'update', 'reopened', 'compact'),
  startedAt: isTimestamp,
  finishedAt: optional(isTimestamp),
  since: optional(isTimestamp),
  asOf: optional(isTimestamp),
  totalAtStart: isCount,
  totalAtEnd: optional(isCount),
  retries: isCount,
  problems: listOf(isString),
  comparison: optional(
    object<Comparison>({ here: isCount, atService: isCount, reopened: isCount, changed: isCount }),
  ),
  isUncut: optional(isBoolean),
  windows: listOf(ledgerWindow),
});

const ledger = object<LedgerData>({
  version: oneOf(1),
  fingerprint: isString,
  query: object<HarvestQuery>({
    baseUrl: isString,
    params: listOf(pair),
    account: nullable(isString),
    relative: optional(listOf(fixedDate)),
  }),
  shard: nullable(object<Shard>({ index: isCount, of: isCount })),
  gzip: isBoolean,
  generations: listOf(generation),
});

/** Why a parsed JSON document is not a ledger; undefined when it is one. */
export function ledgerProblem(value: unknown): string | undefined {
  return ledger(value, 'ledger') ?? ambiguity(value as LedgerData);
}

/** Finds windows with the same part file, which would overwrite each other. */
function ambiguity({ generations }: LedgerData): string | undefined {
  const names = generations.flatMap(({ number, windows }) => {
    const generation = `generation ${number}`;
    return [generation, ...windows.map(({ index }) => `window ${index} of ${generation}`)];
  });
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return `${name} is there twice`;
    seen.add(name);
  }
  return undefined;
}
