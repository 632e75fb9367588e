import type { Command, CommanderError } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { closest } from '../text/closest.ts';
import { isWholeKey } from '../text/parsers.ts';
import { shellWord } from '../text/shell-word.ts';
import { optionOf, ownWords, pathOf } from './options.ts';

/** The replacement for options with secrets: no option takes one. */
const LOGIN = 'doi-cli auth login';

/** Options of other programs, and what to type here. */
export const OPTIONS: Readonly<Record<string, string>> = {
  json: '--format json',
  ndjson: '--format ndjson',
  csv: '--format csv',
  output: '--out',
  f: '--format',
  since: '--updated',
  until: '--updated',
  type: '--resource-type-id',
  repository: '--client-id',
  title: "--set 'titles[0].title=<title>'",
  url: '--set url=<url>',
  publish: '--event publish',
  input: '--file',
  force: '--yes',
  yes: 'leave it out: nothing is asked',
  debug: '--verbose',
  v: '--verbose',
  token: LOGIN,
  'api-key': LOGIN,
  password: LOGIN,
  user: LOGIN,
};

/** Commands of other programs, and their names here. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  rm: ['delete', 'revoke', 'unset'],
  delete: ['revoke', 'unset'],
  new: ['create', 'set'],
  show: ['get', 'status', 'list'],
  edit: ['update', 'set'],
  search: ['list'],
  whoami: ['status'],
};

const MAX_ELSEWHERE = 2;

/**
 * An error of commander with one thing to type next. It quotes no option values, which may be
 * secrets.
 */
export function wrongCommandLine(
  command: Command,
  { code, message }: CommanderError,
  argv: readonly string[],
): CliError {
  const [, text = '', suggested] =
    /^error: (.*?)(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s.exec(message) ?? [];
  const [word = ''] = command.args;
  // `completion` takes a shell or a subcommand.
  const isOperand = command.registeredArguments[0]?.argChoices?.includes(word);
  const isGroup = code === 'commander.excessArguments' && command.commands.length > 0;
  if ((isGroup && !isOperand) || code === 'commander.unknownCommand') {
    return unknownCommand(command, word, suggested);
  }
  if (code === 'commander.unknownOption') return unknownOption(command, text, suggested);
  if (code === 'commander.missingMandatoryOptionValue') {
    // Commander reports this before an unknown option such as `--nam`.
    const unknown = ownWords(argv).find(
      (word) => word.startsWith('-') && command.args.includes(word),
    );
    const [flag = ''] = unknown?.split('=') ?? [];
    const names = command.options.flatMap(({ long }) => long ?? []);
    if (unknown !== undefined) return unknownOption(command, `'${flag}'`, closest(flag, names));
  }
  if (code === 'commander.invalidArgument') {
    // The message lists the allowed values.
    const [, value = '', choices = ''] =
      /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(text) ?? [];
    const meant = closest(value, choices.split(', '));
    const plain = text.replace(
      /^command-argument value ('.*') is invalid for argument '(.*?)'/s,
      '$1 is no $2',
    );
    return usageError(plain, meant ? `did you mean ${meant}?` : undefined);
  }
  return usageError(text, withOption(command, argv) ?? `${pathOf(command)} --help`);
}

/** The error for a subcommand that a group does not have. */
export function unknownCommand(group: Command, word: string, suggested?: string): CliError {
  const children = group.commands.map((child) => child.name());
  const near = suggested ?? closest(word, children);
  const names = COMMANDS[word] ?? near?.split(', ') ?? [];
  const here = names.filter((name) => children.includes(name));
  const elsewhere = [word, ...names].flatMap((name) => pathsTo(name, rootOf(group)));
  const hints = here.length > 0 ? here.map((name) => `${pathOf(group)} ${name}`) : elsewhere;
  // `harvest all` probably means a folder.
  const hasFolder =
    group.options.some(({ long }) => long === '--dir') && group.getOptionValue('dir') === undefined;
  if (hints.length === 0 && hasFolder) hints.push(`${pathOf(group)} --dir ${word}`);
  return usageError(
    `unknown command '${word}'`,
    hints.slice(0, MAX_ELSEWHERE).join(' or ') || `${pathOf(group)} --help`,
  );
}

function unknownOption(command: Command, text: string, suggested: string | undefined): CliError {
  // Drop the value of `--option=value` or `-ovalue`.
  const [, flag = ''] = /'(--[^=\s']*|-.)/s.exec(text) ?? [];
  const help = `${pathOf(command)} --help`;
  if (optionOf(command, flag) !== undefined) return usageError(`${flag} takes no value`, help);
  const wish = OPTIONS[flag.replace(/^-+/, '')] ?? '';
  const [option = ''] = wish.split(' ');
  const isHere =
    wish !== '' && (!option.startsWith('-') || optionOf(command, option) !== undefined);
  const longer = command.options.filter(({ long, hidden }) => !hidden && long?.startsWith(flag));
  const near = longer.length > 0 ? longer.map(({ long }) => long) : suggested?.split(', ');
  const meant = near && `did you mean ${near.join(' or ')}?`;
  return usageError(`unknown option '${flag}'`, isHere ? wish : (meant ?? help));
}

/**
 * The corrected command line: a word that looks like a file becomes the value of `--file`, and an
 * unexpected operand becomes the value of the missing option, as in `keys create ci`.
 */
function withOption(command: Command, argv: readonly string[]): string | undefined {
  const file = argv.find((word) =>
    /^[^-].{0,199}\.(json|ndjson|jsonl|csv|tsv|xml|txt|gz)$/i.test(word),
  );
  if (file !== undefined && optionOf(command, '--file') !== undefined)
    return `${pathOf(command)} --file ${shellWord(file)}`;
  const missing = command.options.find(
    (each) =>
      each.description.endsWith('(required)') &&
      command.getOptionValue(each.attributeName()) === undefined,
  );
  const [word = '', ...others] = command.args;
  const isName = /^[\w./][\w./ -]{0,99}$/.test(word) && !isWholeKey(word);
  if (missing === undefined || !isName || others.length + command.registeredArguments.length > 0)
    return undefined;
  return `${pathOf(command)} ${missing.long} ${shellWord(word)}`;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

function pathsTo(name: string, command: Command): string[] {
  return command.commands.flatMap((child) => [
    ...(child.name() === name ? [pathOf(child)] : []),
    ...pathsTo(name, child),
  ]);
}
