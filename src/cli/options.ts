import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from './context.ts';

/**
 * Turns a command's run function into a commander action: the function gets the run's context, the
 * command's arguments and its options (with those of the commands above it), and everything it needs beyond that it imports when it runs. A number
 * that it returns is the exit code.
 */
export type Runner = <Args extends unknown[]>(
  run: (context: Context, ...args: Args) => Promise<unknown>,
) => (...args: [...Args, Command]) => Promise<void>;

/** Whether the commands of a noun are to be declared. */
export type Wanted = (noun: Command) => boolean;

/** An option whose value is checked while the command line is read, before anything else happens. */
export function option(flags: string, description: string, parse?: (text: string) => unknown): Option {
  const made = new Option(flags, description);
  return parse === undefined ? made : made.argParser(argument(parse));
}

/** A repeatable option: each value is checked and added to a list. */
export function listOption(flags: string, description: string, parse: (text: string) => unknown): Option {
  const one = argument(parse);
  return new Option(flags, description).argParser((text: string, list: readonly unknown[] = []) => [
    ...list,
    one(text),
  ]);
}

/** The check of an argument in the form that commander wants. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** The check of an argument that may be there several times. */
export function listArgument<T>(parse: (text: string) => T): (text: string, list?: readonly T[]) => T[] {
  const one = argument(parse);
  return (text, list = []) => [...list, one(text)];
}

/** The `--format` option of a command; what is left out of the command line stays undefined. */
export function formatOption(formats: readonly string[], description: string): Option {
  return new Option('--format <format>', description).choices(formats);
}

/** Examples at the end of a help text, each one working as typed. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
