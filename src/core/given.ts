import { usageError } from '../errors.ts';
import { didYouMean } from '../text/closest.ts';

/**
 * A text that a caller gave, parsed.
 * @throws {CliError} kind `usage`, whose message names it.
 */
export function checkedText<T>(name: string, value: unknown, parse: (text: string) => T): T {
  if (typeof value !== 'string') throw usageError(`${name} is not a text`);
  try {
    return parse(value);
  } catch (error) {
    throw usageError(`${name}: ${(error as Error).message}`);
  }
}

/** A whole number that a caller gave. @throws {CliError} kind `usage` when it is not in its range. */
export function checkedNumber(name: string, value: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(value) && least <= (value as number) && (value as number) <= most)
    return value as number;
  throw usageError(`${name} is not a whole number from ${least} to ${most}`);
}

/**
 * A member with a wrong name would be ignored, and the result another one than asked for.
 * @throws {CliError} kind `usage` for a member that is not known.
 */
export function requireKnown(what: string, given: object, known: readonly string[]): void {
  // What a Map holds is in no member: it would count as empty.
  if (typeof given !== 'object' || given === null || Symbol.iterator in given) {
    throw usageError(`${what}: not an object`);
  }
  const wrong = Object.keys(given).find((name) => !known.includes(name));
  if (wrong !== undefined) throw usageError(`${what}: '${wrong}' is not known${didYouMean(wrong, known)}`);
}

/**
 * The signal among the options of a call.
 * @param others the names of its other options.
 * @throws {CliError} kind `usage` for an option that is not known.
 */
export function signalOf(
  options: { readonly signal?: AbortSignal | undefined },
  ...others: readonly string[]
): AbortSignal | undefined {
  requireKnown('options', options, ['signal', ...others]);
  return options.signal;
}
