import type { Command, CommanderError } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { isWholeKey } from '../text/parsers.ts';
import { shellWord } from '../text/shell-word.ts';
import type { Page } from './help.ts';
import { fileOptionFor, isFileName, optionOf, ownWords, pathOf } from './options.ts';
import { answersTo, COMMANDS, OPTIONS, SECRETS, VALUES } from './other-words.ts';
import { commandForPasted, isPlainWord, nearest, unknownCommand } from './unknown-command.ts';

/**
 * An error of commander with a hint what to type next. It quotes no values of unknown options,
 * which may be secrets.
 */
export function wrongCommandLine(
  command: Page,
  { code, message }: CommanderError,
  argv: readonly string[],
): CliError {
  const [, text = ''] = /^error: (.*?)(?:\n\(Did you mean .*\))?$/s.exec(message) ?? [];
  const dashed = ownWords(argv).find((each) => TYPOGRAPHIC.test(each));
  if (dashed !== undefined) return typographicDash(dashed);
  const [word = ''] = command.args;
  // `completion` takes a shell or a subcommand.
  const isOperand = command.registeredArguments[0]?.argChoices?.includes(word);
  const isGroup = code === 'commander.excessArguments' && command.commands.length > 0;
  if ((isGroup && !isOperand) || code === 'commander.unknownCommand')
    return unknownCommand(command, word);
  if (code === 'commander.unknownOption') {
    // Drop the value of `--option=value` or `-ovalue`.
    const [, flag = ''] = /'(--[^=\s']*|-.)/s.exec(text) ?? [];
    return unknownOption(command, flag, argv);
  }
  if (code === 'commander.missingMandatoryOptionValue') {
    // Commander reports this before an unknown option such as `--nam`.
    const unknown = ownWords(argv).find(
      (word) => word.startsWith('-') && command.args.includes(word),
    );
    const [flag = ''] = unknown?.split('=') ?? [];
    if (unknown !== undefined) return unknownOption(command, flag, argv);
  }
  if (code === 'commander.invalidArgument') return wrongChoice(command, text);
  const isConflict = code === 'commander.conflictingOption';
  const last = isConflict ? 'leave one of them out' : `${pathOf(command)} --help`;
  const [example] = command.examples;
  const isMissing = code === 'commander.missingArgument' && example !== undefined;
  const other = isMissing ? `for example: ${example}` : last;
  return usageError(text, correctedLine(command, code, argv) ?? other);
}

/** An option with the dashes of a word processor: `—all`. */
const TYPOGRAPHIC = /^-?[‐-―−]+-?(?=[a-z])/;

function typographicDash(word: string): CliError {
  const [flag = ''] = word.replace(TYPOGRAPHIC, '--').split('=');
  return usageError('an option begins with a typographic dash', `write ${flag}`);
}

/** The error for a value that is not one of the choices, which the message lists. */
function wrongChoice(command: Command, text: string): CliError {
  const [, value = '', list = ''] =
    /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(text) ?? [];
  const [, flag = ''] = /^option '.*?(--[\w-]+)/.exec(text) ?? [];
  const choices = list.split(', ');
  const word = value.toLowerCase();
  // Events are named like the commands.
  const meant =
    choices.find((choice) => answersTo(word, COMMANDS).includes(`dois ${choice}`)) ??
    answersTo(word, VALUES).find((choice) => choices.includes(choice)) ??
    nearest(value, choices);
  const plain = text.replace(
    /^command-argument value ('.*') is invalid for argument '(.*?)'\. Allowed choices are /s,
    'unknown $2 $1; allowed are ',
  );
  if (meant !== undefined) return usageError(plain, `did you mean ${meant}?`);
  if (answersTo(word, SECRETS).length > 0) return usageError(plain, 'doi-cli auth login');
  // Commands that write print results, for which there are no other formats.
  const isFormat = flag === '--format' && optionOf(command, '--dry-run') === undefined;
  return usageError(plain, isFormat ? siblingWith(command, flag, word) : undefined);
}

/** A command of the same group whose option of this name accepts a value: `dois get --format`. */
function siblingWith(command: Command, flag: string, value: string): string | undefined {
  const values = [value, ...answersTo(value, VALUES)];
  for (const sibling of command.parent?.commands ?? []) {
    const choices = optionOf(sibling, flag)?.argChoices ?? [];
    const choice = values.find((each) => choices.includes(each));
    if (choice !== undefined) return `${pathOf(sibling)} has ${flag} ${choice}`;
  }
  return undefined;
}

function unknownOption(command: Command, flag: string, argv: readonly string[]): CliError {
  const help = `${pathOf(command)} --help`;
  if (optionOf(command, flag) !== undefined) return usageError(`${flag} takes no value`, help);
  const message = `unknown option '${flag}'`;
  // `emulator exec` would otherwise take the options of the command for its own.
  if (command.name() === 'exec' && command.args.some((word) => !word.startsWith('-'))) {
    return usageError(
      message,
      `put -- before the command: ${pathOf(command)} [options] -- <command>`,
    );
  }
  return usageError(message, answerTo(command, flag, valueAfter(flag, argv)) ?? help);
}

/** The hint for an unknown option: the option of the command that it may mean. */
function answerTo(command: Command, flag: string, value: string): string | undefined {
  const name = flag.replace(/^-+/, '');
  const format = optionOf(command, '--format');
  // `-o json` of kubectl.
  if (/^(o|f|output|as|fmt|to)$/.test(name) && format?.argChoices?.includes(value))
    return `--format ${value}`;
  if (name === 'doi' && command.registeredArguments.some((each) => /^dois?$/.test(each.name())))
    return `${pathOf(command)} <doi>`;
  const [, filter = '', wanted = ''] = /^([\w-]+)=(.+)$/.exec(value) ?? [];
  if (name === 'where' && optionOf(command, `--${filter}`) !== undefined)
    return `--${filter} ${shellWord(wanted)}`;
  const [answer] = [`${name}=${value}`, name]
    .flatMap((word) => answersTo(word, OPTIONS))
    .filter((each) => isFor(command, each));
  if (answer !== undefined) return answer;
  const shown = command.options.filter(({ hidden }) => !hidden);
  const names = shown.flatMap(({ long }) => long ?? []);
  const longer = name.length < 3 ? [] : names.filter((long) => long.startsWith(flag));
  const near = flag.startsWith('--')
    ? nearest(
        name,
        names.map((long) => long.slice(2)),
      )
    : undefined;
  const meant = longer.length > 0 ? longer : [near].flatMap((each) => (each ? [`--${each}`] : []));
  return meant.length === 0 ? undefined : `did you mean ${meant.join(' or ')}?`;
}

/** Whether a command has the option in a hint, and accepts the value there. */
function isFor(command: Command, answer: string): boolean {
  const [name] = /--[a-z-]+/.exec(answer) ?? [];
  if (name === undefined) return true;
  const option = optionOf(command, name);
  const [, value = ''] = / ([a-z-]+)$/.exec(answer) ?? [];
  const choices = answer.startsWith('--') ? option?.argChoices : undefined;
  return option !== undefined && (value === '' || (choices?.includes(value) ?? true));
}

/** The value that follows an option on the command line. It may be a secret: only compare it. */
function valueAfter(flag: string, argv: readonly string[]): string {
  const words = ownWords(argv);
  const joined = words.find((word) => word.startsWith(`${flag}=`));
  const at = words.indexOf(flag);
  return joined?.slice(flag.length + 1) ?? (at < 0 ? '' : (words[at + 1] ?? ''));
}

/** The command line that a surplus word or a missing option suggests. */
function correctedLine(
  command: Command,
  code: string,
  argv: readonly string[],
): string | undefined {
  const path = pathOf(command);
  const [first = '', second = ''] = command.args;
  const [, name = '', value = ''] = /^([\w-]+)=(.+)$/.exec(first) ?? [];
  // `config set mailto=me@example.org`.
  if (command.registeredArguments[0]?.argChoices?.includes(name))
    return `${path} ${name} ${shellWord(value)}`;
  if (command.name() === 'api' && /^(GET|POST|PUT|PATCH|DELETE)$/i.test(first))
    return `${path} ${shellWord(second)} --method ${first.toUpperCase()}`;
  const [file] = argv.flatMap((word) => fileOptionFor(command, word) ?? []);
  if (file !== undefined) return file;
  const operands = command.registeredArguments.length;
  const words = command.args.slice(operands);
  const isSurplus = code === 'commander.excessArguments';
  // The value may be anything, even a secret.
  const isSet = (each: string) => /^[\w.[\]]+=/.test(each);
  if (isSurplus && command.args.some(isSet) && optionOf(command, '--set'))
    return `${path} <doi> --set 'path=value'`;
  const corrected = isSurplus
    ? (unquotedValue(command, argv, words) ??
      withoutValue(command, argv, words) ??
      joinedList(argv, words))
    : undefined;
  if (corrected !== undefined) return corrected;
  const missing = command.options.find(
    (each) =>
      each.description.endsWith('(required)') &&
      command.getOptionValue(each.attributeName()) === undefined,
  );
  const [word = '', ...others] = words;
  if (!command.args.every(isPlainWord)) return undefined;
  if (missing !== undefined) {
    const [placeholder = ''] = /<.*>/.exec(missing.flags) ?? [];
    if (others.length > 0 || (operands > 0 && words.length > 0)) return undefined;
    const typed = operands > 0 ? command.args : [];
    const value = word === '' ? placeholder : shellWord(word);
    return [path, ...typed.map((each) => shellWord(each)), missing.long, value].join(' ');
  }
  return isSurplus ? withSurplus(command, words) : undefined;
}

/** Options with text, which is often typed without quotes. */
const TEXTS = /^--(set|title|creator|publisher|query|name|reason|filter)$/;

/** The quoted value of an option whose further words became operands: `--title A title`. */
function unquotedValue(
  command: Command,
  argv: readonly string[],
  surplus: readonly string[],
): string | undefined {
  const words = ownWords(argv);
  for (const [index, word] of words.entries()) {
    const [flag = '', ...joined] = word.split('=');
    const option = optionOf(command, flag);
    if (option === undefined || !TEXTS.test(option.long ?? '')) continue;
    const start = index + (joined.length > 0 ? 1 : 2);
    const end = words.findIndex((next, at) => at >= start && next.startsWith('-'));
    const others = words.slice(start, end < 0 ? undefined : end);
    if (others.length === 0 || !others.every((other) => surplus.includes(other))) continue;
    const value = [joined.length > 0 ? joined.join('=') : (words[index + 1] ?? ''), ...others];
    return value.some(isWholeKey)
      ? undefined
      : `quote the value: ${flag} ${shellWord(value.join(' '))}`;
  }
  return undefined;
}

/** The answer to `--mine true`. */
function withoutValue(
  command: Command,
  argv: readonly string[],
  [value = '']: readonly string[],
): string | undefined {
  const flag = argv[argv.indexOf(value) - 1] ?? '';
  const isMark = optionOf(command, flag)?.required === false;
  return isMark && /^(true|false|yes|no|on|off|[01])$/i.test(value)
    ? `${flag} takes no value`
    : undefined;
}

/** The value of a list whose further words became operands: `--fields titles url`. */
function joinedList(argv: readonly string[], surplus: readonly string[]): string | undefined {
  const words = ownWords(argv);
  const at = words.findIndex((word) => /^--(?:fields|by)$/.test(word));
  const value = words.slice(at + 1, at + 2 + surplus.length);
  return at < 0 || value.slice(1).join() !== surplus.join()
    ? undefined
    : `${words[at]} ${shellWord(value.map((word) => word.replace(/,$/, '')).join(','))}`;
}

/** The option that surplus words were meant for. */
function withSurplus(command: Command, words: readonly string[]): string | undefined {
  const path = pathOf(command);
  const text = words.join(' ');
  if (command.name() === 'identify') return `${path} < ${shellWord(text)}`;
  // The word may be a password.
  if (command.name() === 'login') return `${path} --repository <id>`;
  const has = (name: string) => optionOf(command, name) !== undefined;
  if (/^10\.\d+$/.test(text) && has('--prefix')) return `${path} --prefix ${text}`;
  if (/^(https?:|10\.)/.test(text) && has('--doi')) return `${path} --doi ${shellWord(text)}`;
  const pasted = words.length === 1 ? commandForPasted(text) : undefined;
  if (pasted !== undefined) return pasted;
  if (isFileName(text)) return has('--out') ? `${path} --out ${shellWord(text)}` : undefined;
  const isRepository = /^[a-z]\w+\.\w+$/i.test(text);
  const isNumber = /^\d+$/.test(text);
  const mark = optionOf(command, `--${text}`);
  if (mark !== undefined && !mark.hidden) return `${path} --${text}`;
  const name = [
    ...(isNumber ? ['--limit', '--records'] : []),
    ...(isRepository ? ['--client-id'] : []),
    ...['--query', '--title'],
  ].find(has);
  return name && `${path} ${name} ${shellWord(text)}`;
}
