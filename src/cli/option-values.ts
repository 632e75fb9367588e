import type { Command, Option } from 'commander';
import { InvalidValue } from './options.ts';

/**
 * Joins the options of a command line with their values: `--title=-Vx`. Commander looks for the program's options
 * before it knows which words are values, and would print the version.
 * @throws {InvalidValue} when an option stands where a value is due.
 */
export function withJoinedValues(argv: readonly string[], program: Command): string[] {
  const words: string[] = [];
  let command = program;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return [...words, ...argv.slice(at)];
    const options = [...command.options, ...program.options];
    const option = options.find(named(word));
    const value = argv[at + 1];
    if (option?.required && value !== undefined) {
      if (options.some(named(value))) {
        throw new InvalidValue(`${word} needs a value, and ${value} is an option`);
      }
      words.push(`${option.long}=${value}`);
      at += 1;
    } else {
      words.push(word);
      command = command.commands.find((child) => child.name() === word) ?? command;
    }
  }
  return words;
}

const named =
  (word: string) =>
  ({ short, long }: Option): boolean =>
    word === short || word === long;
