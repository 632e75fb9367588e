import type { CommanderError } from 'commander';
import { CliError, usageError } from '../errors.ts';
import { isWholeKey } from '../text/api-key.ts';
import { withoutCredentials } from '../text/url.ts';
import type { HelpPage } from './help.ts';
import { optionOf, ownWords, pathOf } from './options.ts';
import { ANY_WORD, EVERYWHERE, OTHER_WORDS } from './other-words.ts';

/**
 * An error of commander, or of the parser of an argument, with a hint what to type instead. Values
 * of unknown options may be secrets: they are compared with the table of words, but never quoted.
 */
export function wrongCommandLine(
  command: HelpPage,
  reason: CommanderError | CliError,
  argv: readonly string[],
): CliError {
  const { args } = command;
  const typed = args.flatMap((word, at) => spellings(word, args[at + 1]));
  if (reason instanceof CliError)
    return reason.with({ hint: reason.hint ?? meaningOf(command, typed) });
  const dashed = ownWords(argv).find((word) => TYPOGRAPHIC.test(word));
  if (dashed !== undefined) return typographicDash(dashed);
  const { code } = reason;
  const text = reason.message.slice('error: '.length);
  if (code === 'commander.unknownOption') return unknownOption(command, text);
  const isSurplus = code === 'commander.excessArguments';
  // To commander, an unknown command of a group that is itself a command is a surplus argument.
  const isOperand = command.registeredArguments[0]?.argChoices?.includes(args[0] ?? '');
  if (isSurplus && (command.commands.length === 0 || isOperand))
    return surplusWord(command, text, typed);
  if (isSurplus || UNKNOWN_COMMAND.includes(code)) return unknownCommand(command, text);
  // Commander reports a missing option before an unknown one, such as `--nam` for `--name`.
  const isMissing = code === 'commander.missingMandatoryOptionValue';
  const isUnknown = (word: string) => isOption(word) && ownWords(argv).includes(word);
  if (isMissing && args.some(isUnknown)) return unknownOption(command, text, exampleOf(command));
  return usageError(text, hintFor(command, code, typed, argv));
}

/** With help, commander ignores the unknown command in `keys frob --help`. */
const UNKNOWN_COMMAND = ['commander.unknownCommand', 'commander.helpDisplayed'];

/** An option with the dashes of a word processor: `—all`. */
const TYPOGRAPHIC = /^-?[‐-―−]+-?(?=[a-z])/;

function typographicDash(word: string): CliError {
  const [flag = ''] = word.replace(TYPOGRAPHIC, '--').split('=');
  return usageError('an option begins with a typographic dash', `write ${flag}`);
}

/** The hint for an error that commander words. */
function hintFor(
  command: HelpPage,
  code: string,
  typed: readonly string[],
  argv: readonly string[],
): string | undefined {
  if (code === 'commander.conflictingOption') return 'leave one of them out';
  // The message lists the choices.
  if (code === 'commander.invalidArgument') {
    const words = ownWords(argv);
    return meaningOf(
      command,
      words.flatMap((word, at) => (isOption(word) ? spellings(word, words[at + 1]) : [])),
    );
  }
  if (code === 'commander.optionMissingArgument') return `${pathOf(command)} --help`;
  return meaningOf(command, typed) ?? exampleOf(command);
}

function exampleOf(command: HelpPage): string {
  const [example] = command.examples;
  return example === undefined ? `${pathOf(command)} --help` : `for example: ${example}`;
}

function unknownCommand(group: HelpPage, text: string): CliError {
  const [word = ''] = group.args;
  return usageError(
    `unknown command '${withoutCredentials(word)}'`,
    meaningOf(group, [word]) ??
      suggestionIn(text) ??
      meaningOf(group, [ANY_WORD]) ??
      `${pathOf(group)} --help`,
  );
}

/** @param hint without a better one. */
function unknownOption(
  command: HelpPage,
  text: string,
  hint = `${pathOf(command)} --help`,
): CliError {
  const { args } = command;
  const at = args.findIndex(isOption);
  const word = args[at] ?? '';
  const flag = flagOf(word);
  if (optionOf(command, flag) !== undefined) return usageError(`${flag} takes no value`, hint);
  return usageError(
    `unknown option '${flag}'`,
    meaningOf(command, spellings(word, args[at + 1])) ?? suggestionIn(text) ?? hint,
  );
}

function surplusWord(command: HelpPage, text: string, typed: readonly string[]): CliError {
  const word = command.args[command.registeredArguments.length] ?? '';
  // There, a surplus word may be a password or a part of a key.
  const maySecret = /^doi-cli (auth|keys|config)\b/.test(pathOf(command));
  const isPlain = /^[\w.:/-]{1,200}$/.test(word) && !isWholeKey(word) && !maySecret;
  return usageError(
    isPlain ? `unexpected word '${word}'` : text,
    meaningOf(command, typed) ?? `quote a value with spaces, or see ${pathOf(command)} --help`,
  );
}

/** The suggestion that commander adds to an error, in brackets on a line of its own. */
function suggestionIn(text: string): string | undefined {
  return /\n\((.*)\)$/.exec(text)?.[1];
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** An option without the value in `--option=value` or `-ovalue`. */
function flagOf(word: string): string {
  return word.startsWith('--') ? (word.split('=')[0] ?? '') : word.slice(0, 2);
}

/** What the table may list for a word of the command line, the most precise first. */
function spellings(word: string, next = ''): string[] {
  if (!isOption(word)) return [word, ANY_WORD];
  const flag = flagOf(word);
  return flag === word ? [`${word}=${next}`, word] : [word, flag];
}

/** What the first word that the table lists for a command means there. */
function meaningOf(command: HelpPage, typed: readonly string[]): string | undefined {
  const path = pathOf(command).replace(/^doi-cli /, '');
  const rows = Object.entries(OTHER_WORDS)
    .filter(([where]) => where === EVERYWHERE || where.split(', ').includes(path))
    .flatMap(([, meanings]) => Object.entries(meanings))
    .filter(([meaning]) => isFor(command, meaning));
  for (const word of typed) {
    const row = rows.find(([, words]) => words.split(' ').some((each) => isLike(each, word)));
    if (row !== undefined) return row[0].replace('*', word);
  }
  return undefined;
}

/** Whether a command has the option, and the value, with which a meaning begins, if any. */
function isFor(command: HelpPage, meaning: string): boolean {
  const [, name, value] = /^(--[\w-]+)(?: ([a-z-]+))?/.exec(meaning) ?? [];
  if (name === undefined) return true;
  const option = optionOf(command, name);
  if (value === undefined || option?.argChoices === undefined) return option !== undefined;
  return option.argChoices.includes(value);
}

/** Compares a word with one of the table, in which `*` stands for anything. */
function isLike(listed: string, word: string): boolean {
  const [start = '', end] = listed.split('*');
  if (end === undefined) return word === listed;
  return isOption(word) === isOption(listed) && word.startsWith(start) && word.endsWith(end);
}
