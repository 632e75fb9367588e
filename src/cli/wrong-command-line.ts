import type { Command, CommanderError, Option } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { closest } from '../text/closest.ts';
import { shellWord } from '../text/shell-word.ts';

/** No option takes a secret. */
const SECRET = 'doi-cli auth login';

/** Options that people type who know other programs, and what to type here: the first that the command has. */
export const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  json: ['--format json'],
  ndjson: ['--format ndjson'],
  csv: ['--format csv'],
  output: ['--out', '--format'],
  input: ['--file'],
  f: ['--file', '--format'],
  since: ['--updated'],
  until: ['--updated'],
  force: ['--yes'],
  yes: ['leave it out: nothing is asked'],
  debug: ['--verbose'],
  v: ['--verbose', '--version'],
  token: [SECRET],
  'api-key': [SECRET],
  password: [SECRET],
  user: ['--repository', SECRET],
  repository: ['--client-id', 'doi-cli auth login --repository <id>'],
  title: ["--set 'titles[0].title=<title>'", '--query'],
  creator: ['--set \'creators[]={"name":"<name>"}\'', '--query'],
  type: ['--resource-type-id', '--set'],
  url: ['--set url=<url>', '--base-url'],
  publish: ['--event publish'],
};

/** Names of commands, and those that they have here. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ls: ['list'],
  rm: ['delete', 'revoke', 'unset'],
  delete: ['revoke', 'unset'],
  new: ['create', 'set'],
  show: ['get', 'status', 'list'],
  edit: ['update', 'set'],
  sync: ['harvest'],
  whoami: ['doi-cli auth status'],
  search: ['doi-cli dois list --query <query>'],
  count: ['doi-cli dois list --count'],
  version: ['doi-cli --version'],
};

/** How many commands of other groups a hint names. */
const MAX_ELSEWHERE = 2;

/**
 * An error of commander, with one thing to type next. Its message has no value of an unknown option, which may be a
 * secret.
 * @param command where commander stopped.
 */
export function wrongCommandLine(
  command: Command,
  { code, message }: CommanderError,
  argv: readonly string[],
): CliError {
  const [, text = '', suggested] =
    /^error: (.*?)(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s.exec(message) ?? [];
  const help = `${pathOf(command)} --help`;
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(command, command.args[0] ?? '', suggested);
    case 'commander.excessArguments':
      // A command with commands below it, and a name that is none of theirs.
      if (command.commands.length > 0) return unknownCommand(command, command.args[0] ?? '');
      return usageError(text, withFile(command, argv) ?? help);
    case 'commander.unknownOption':
      return unknownOption(command, text, suggested);
    case 'commander.missingMandatoryOptionValue':
      return missingOption(command, text, argv);
    case 'commander.invalidArgument':
      return invalidChoice(text);
    default:
      return usageError(text, help);
  }
}

/** The error for the name of a command that a group does not have. */
export function unknownCommand(group: Command, word: string, suggested = nearest(group, word)): CliError {
  const names = COMMANDS[word] ?? suggested?.split(', ') ?? [];
  const here = names.filter((name) => group.commands.some((child) => child.name() === name));
  const whole = names.filter((name) => name.startsWith('doi-cli '));
  const elsewhere = [word, ...names].flatMap((name) => pathsTo(name, rootOf(group)));
  const hints = here.length > 0 ? here.map((name) => `${pathOf(group)} ${name}`) : [...whole, ...elsewhere];
  return usageError(
    `unknown command '${word}'`,
    hints.length > 0 ? hints.slice(0, MAX_ELSEWHERE).join(' or ') : `${pathOf(group)} --help`,
  );
}

/** What commander would suggest, where it has printed a help instead. */
function nearest(group: Command, word: string): string | undefined {
  return closest(
    word,
    group.commands.map((child) => child.name()),
  );
}

function unknownOption(command: Command, text: string, suggested: string | undefined): CliError {
  // Without a value: `--option=value`, or `-ovalue`.
  const [, flag = ''] = /'(--[^=\s']*|-.)/s.exec(text) ?? [];
  if (optionOf(command, flag) !== undefined)
    return usageError(`${flag} takes no value`, `${pathOf(command)} --help`);
  const wish = OPTIONS[flag.replace(/^-+/, '')]?.find((answer) => {
    const [name = ''] = answer.split(' ');
    return !name.startsWith('-') || optionOf(command, name) !== undefined;
  });
  const meant = suggested && `did you mean ${suggested.split(', ').join(' or ')}?`;
  const hint = wish ?? meant ?? `${pathOf(command)} --help`;
  return usageError(`unknown option '${flag}'`, hint);
}

/** Commander looks for a required option before it looks for unknown ones, and that may be the same, misspelt. */
function missingOption(command: Command, text: string, argv: readonly string[]): CliError {
  const unknown = command.args.find((word) => word.startsWith('--') && optionOf(command, word) === undefined);
  if (unknown !== undefined) {
    const names = command.options.flatMap(({ long }) => long ?? []);
    return unknownOption(command, `'${unknown}'`, closest(unknown, names));
  }
  const [, flag = ''] = /'(?:-., )?(--[\w-]+)/.exec(text) ?? [];
  const word = command.args[command.registeredArguments.length];
  const isValue = word !== undefined && !word.startsWith('-');
  const hint =
    withFile(command, argv) ?? `${pathOf(command)} ${isValue ? `${flag} ${shellWord(word)}` : '--help'}`;
  return usageError(text, hint);
}

/** A value that is none of an option's choices, or of an argument's. */
function invalidChoice(text: string): CliError {
  const [, value = '', choices = ''] = /'([^']*)' is invalid.* Allowed choices are (.*)\.$/s.exec(text) ?? [];
  const meant = closest(value, choices.split(', '));
  return usageError(text, meant && `did you mean ${meant}?`);
}

/**
 * Commander takes the next word for the value of an option, whatever it is: `--name --save` would name a key.
 * @throws {CliError} kind `usage` when that word is an option.
 */
export function requireValues(command: Command, argv: readonly string[]): void {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  for (const [index, word] of own.entries()) {
    // Without a value, which may be a secret: `--format=json`.
    const next = (own[index + 1] ?? '').replace(/^(--[^=]*)=.*$/s, '$1');
    const isOption = optionOf(command, next) !== undefined || /^(-h|--help|-V|--version)$/.test(next);
    if (!isOption || !optionOf(command, word)?.required) continue;
    throw usageError(`${word} needs a value, and ${next} is an option`, `${pathOf(command)} --help`);
  }
}

/** The command line with a word that looks like a file as the value of `--file`. */
function withFile(command: Command, argv: readonly string[]): string | undefined {
  if (optionOf(command, '--file') === undefined) return undefined;
  const file = argv.find((word) =>
    /^[^\s\p{Cc}-][^\s\p{Cc}]{0,199}\.(json|ndjson|jsonl|csv|tsv|xml|txt|gz)$/iu.test(word),
  );
  return file === undefined ? undefined : `${pathOf(command)} --file ${shellWord(file)}`;
}

function optionOf(command: Command, word: string | undefined): Option | undefined {
  return command.options.find(({ short, long }) => word !== undefined && (word === short || word === long));
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** The commands of a name in the whole tree. */
function pathsTo(name: string, command: Command): string[] {
  return command.commands.flatMap((child) => [
    ...(child.name() === name ? [pathOf(child)] : []),
    ...pathsTo(name, child),
  ]);
}
