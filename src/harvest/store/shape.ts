import { isObject } from '../../text/json-values.ts';

/** Says what is wrong with a value, and where (`at`); undefined when it is right. */
export type Check = (value: unknown, at: string) => string | undefined;

/** A check for each member of T: the compiler finds a missing one. */
type Members<T> = { readonly [Name in keyof T]-?: Check };

function check(expected: string, test: (value: unknown) => boolean): Check {
  return (value, at) => (test(value) ? undefined : `${at} is not ${expected}`);
}

export const isString = check('a string', (value) => typeof value === 'string');
export const isBoolean = check('true or false', (value) => typeof value === 'boolean');
export const isCount = check('a count', (value) => Number.isSafeInteger(value) && (value as number) >= 0);
/** Milliseconds since 1970; negative before. */
export const isTime = check('a time in milliseconds', (value) => Number.isSafeInteger(value));
export const isTimestamp = check(
  'a time',
  (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
);
export const isSha256 = check(
  'a SHA-256',
  (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
);

export function oneOf(...values: readonly unknown[]): Check {
  return check(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value));
}

export function nullable(inner: Check): Check {
  return (value, at) => (value === null ? undefined : inner(value, at));
}

/** A member that may be absent. */
export function optional(inner: Check): Check {
  return (value, at) => (value === undefined ? undefined : inner(value, at));
}

export function listOf(inner: Check): Check {
  return (value, at) =>
    Array.isArray(value)
      ? firstProblem(value.map((item, index) => inner(item, `${at}[${index}]`)))
      : `${at} is not a list`;
}

/** An object with these members. Later versions may add others. */
export function object<T>(members: Members<T>): Check {
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
