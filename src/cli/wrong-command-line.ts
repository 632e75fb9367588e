import type { Command, Option } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { closest } from '../text/closest.ts';
import { isWholeKey } from '../text/parsers.ts';
import { shellWord } from '../text/shell-word.ts';
import type { Stopped } from './declare.ts';
import { InvalidValue } from './options.ts';
import { commandsFor, optionFor } from './wishes.ts';

/** How many commands of other groups a hint names. */
const MAX_ELSEWHERE = 2;

/**
 * Says what is wrong with a command line, and what to type. It leaves out values, which may be misplaced
 * secrets, except for names of commands and of files.
 * @param program the tree of all commands.
 */
export function explained(
  error: Stopped | InvalidValue,
  argv: readonly string[],
  program: Command,
): CliError {
  if (error instanceof InvalidValue) {
    const command = commandIn(argv, program);
    return usageError(error.message, withFile(command, error.operand ?? '') ?? `${pathOf(command)} --help`);
  }
  const { reason } = error;
  // The command as the whole tree has it: start-up leaves out what is not typed.
  const command = counterpart(error.command, program);
  const { args } = error.command;
  const help = `${pathOf(command)} --help`;
  switch (reason.code) {
    case 'commander.helpDisplayed':
    case 'commander.unknownCommand':
      return unknownCommand(command, args, program);
    case 'commander.excessArguments': {
      const operands = command.registeredArguments.length;
      const extra = args[operands] ?? '';
      if (command.commands.length > 0 && operands === 0)
        return unknownCommand(command, [extra, ...args.slice(operands + 1)], program);
      return usageError(`too many arguments for '${pathOf(command)}'`, withFile(command, extra) ?? help);
    }
    case 'commander.unknownOption':
      return unknownOption(command, reason.message, program);
    case 'commander.missingMandatoryOptionValue':
      return missingOption(command, args, reason.message, program);
    case 'commander.optionMissingArgument':
      return usageError(
        reason.message.replace(/^error: option '(.*)' argument missing$/, '$1 needs a value'),
        help,
      );
    case 'commander.missingArgument':
      return usageError(
        reason.message.replace(/^error: missing required argument '(.*)'$/, '<$1> is missing'),
        withChoice(command) ?? help,
      );
    default:
      return usageError(reason.message.replace(/^error: /, ''), help);
  }
}

function missingOption(
  command: Command,
  args: readonly string[],
  message: string,
  program: Command,
): CliError {
  const unknown = args.find(
    (word) => word.startsWith('--') && !command.options.some(({ long }) => long === word),
  );
  // Commander looks for it only afterwards, and it may be the missing one, misspelt.
  if (unknown !== undefined) return unknownOption(command, `'${unknown}'`, program);
  const missing = command.options.find(({ flags }) => message.includes(`'${flags}'`));
  const [word] = args.slice(command.registeredArguments.length);
  const isValue = word !== undefined && !word.startsWith('-') && !isWholeKey(word);
  const given = isValue ? `${missing?.long} ${shellWord(word)}` : '--help';
  return usageError(`${longFlags(missing)} is required`, `${pathOf(command)} ${given}`);
}

function unknownCommand(group: Command, [word = '', next]: readonly string[], program: Command): CliError {
  if (isWholeKey(word)) return usageError('an API key is not a command', `${pathOf(group)} --help`);
  const here = group.commands.map((child) => child.name());
  const near = nearest(word, here);
  const meant = near === undefined ? commandsFor(word) : [near];
  const [child] = meant.filter((name) => here.includes(name));
  const whole = meant.filter((name) => name.startsWith('doi-cli '));
  const elsewhere = [word, ...meant].flatMap((name) => pathsTo(name, program)).slice(0, MAX_ELSEWHERE);
  const verbs = group.commands.find((one) => one.name() === child)?.commands ?? [];
  const verb = verbs.some((one) => one.name() === next) ? ` ${next}` : '';
  const hints = child === undefined ? [...whole, ...elsewhere] : [`${pathOf(group)} ${child}${verb}`];
  return usageError(
    `unknown command '${word}'${near === undefined ? '' : `; did you mean '${near}'?`}`,
    hints.length > 0 ? hints.join(' or ') : `${pathOf(group)} --help`,
  );
}

function unknownOption(command: Command, message: string, program: Command): CliError {
  // Without a value: `--option=value`, or `-ovalue`.
  const [, flag = ''] = /'(--[^=\s]*|-.)/s.exec(message.replace(/'$/, '')) ?? [];
  const name = flag.replace(/^-+/, '');
  const options = [...command.options, ...program.options];
  const has = (long: string, value: string) =>
    options.some(
      ({ long: own, argChoices }) =>
        own === long && (value.startsWith('<') || (argChoices?.includes(value) ?? true)),
    );
  const known = options.find(({ long }) => long === flag);
  if (known !== undefined && !known.required) {
    return usageError(`${flag} takes no value`, `${pathOf(command)} --help`);
  }
  const wish = optionFor(name, has);
  const names = options.map(({ long }) => long?.slice(2) ?? '');
  const near = wish === undefined && flag.startsWith('--') ? nearest(name, names) : undefined;
  return usageError(
    `unknown option '${flag}'${near === undefined ? '' : `; did you mean '--${near}'?`}`,
    wish ?? `${pathOf(command)} --help`,
  );
}

/** A short word is near to too many others: `since` to `mine`. */
function nearest(word: string, words: readonly string[]): string | undefined {
  return closest(word, words, word.length < 6 ? 1 : 2);
}

/** The command with each value that its argument may have; undefined where any value may. */
function withChoice(command: Command): string | undefined {
  const choices = command.registeredArguments[0]?.argChoices;
  return choices?.map((choice) => `${pathOf(command)} ${choice}`).join(', or ');
}

/** The command line that reads a word as a file, where the command can and the word looks like a file. */
function withFile(command: Command, word: string): string | undefined {
  const isFile = /^[^\s\p{Cc}]{1,200}\.(json|ndjson|jsonl|csv|tsv|xml|txt|gz)$/iu.test(word);
  const takesFile = command.options.some(({ long }) => long === '--file');
  return isFile && takesFile ? `${pathOf(command)} --file ${shellWord(word)}` : undefined;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The commands of a name in the whole tree. */
function pathsTo(name: string, command: Command): string[] {
  return command.commands.flatMap((child) => [
    ...(child.name() === name ? [pathOf(child)] : []),
    ...pathsTo(name, child),
  ]);
}

/** The command that the words of a command line name, as far as they do. */
function commandIn(argv: readonly string[], program: Command): Command {
  return argv.reduce(
    (command, word) => command.commands.find((child) => child.name() === word) ?? command,
    program,
  );
}

function counterpart(command: Command, program: Command): Command {
  if (command.parent === null) return program;
  const parent = counterpart(command.parent, program);
  return parent.commands.find((child) => child.name() === command.name()) ?? parent;
}

/** An option as it is typed in full: `--name <name>`. */
function longFlags({ flags = '' }: Partial<Option> = {}): string {
  return flags.replace(/^-., /, '');
}
