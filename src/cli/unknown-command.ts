import type { Command } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { closest } from '../text/closest.ts';
import { parseDoi } from '../text/doi.ts';
import { isWholeKey, withoutCredentials } from '../text/parsers.ts';
import { shellWord, shellWords } from '../text/shell-word.ts';
import { fileOptionFor, pathOf } from './options.ts';
import { answersTo, COMMANDS } from './other-words.ts';

const MOST_ANSWERS = 2;

/** Commands that are suggested only for words that clearly mean them: most cannot be undone. */
const PERMANENT = /(^|\s)(publish|register|delete|revoke|transfer|prune|rotate|logout|unset)$/;

/** Commands that may be suggested for a word in another group: they change nothing. */
const ANYWHERE =
  /^doi-cli (api|auth (login|status)|keys list|dois (list|get|harvest|stats|validate))\b/;

/** Verbs that mean something else without their group. */
const ONLY_IN_GROUP = ['install', 'path'];

/** The error for a subcommand that a group does not have. */
export function unknownCommand(group: Command, word: string): CliError {
  const message = `unknown command '${withoutCredentials(word)}'`;
  const pasted = commandForPasted(word);
  if (pasted !== undefined) return usageError(message, pasted);
  const [first, ...more] = word.trim().split(/\s+/);
  if (more.length > 0 && group.commands.some((child) => child.name() === first))
    return usageError(message, `leave out the quotes: ${pathOf(group)} ${word.trim()}`);
  // `harvest all` probably means a folder.
  const isFolder =
    group.options.some(({ long }) => long === '--dir') && group.getOptionValue('dir') === undefined;
  const inGroup = answersIn(group, word);
  const others = isFolder ? [`${pathOf(group)} --dir ${shellWord(word)}`] : elsewhere(group, word);
  const answers = inGroup.length > 0 ? inGroup : others;
  const hints = answers.slice(0, MOST_ANSWERS).map((path) => withOperands(group, path));
  return usageError(message, hints.join(' or ') || `${pathOf(group)} --help`);
}

/** Adds the words that were typed after an unknown command to a command that takes operands. */
function withOperands(group: Command, path: string): string {
  const typed = group.args.slice(1);
  const operands = path.endsWith(` ${typed[0]}`) ? typed.slice(1) : typed;
  const command = commandsBelow(rootOf(group)).find((child) => pathOf(child) === path);
  if (command === undefined || operands.length === 0 || !operands.every(isPlainWord)) return path;
  const words = operands.map((word) => shellWord(word)).join(' ');
  if (command.registeredArguments.length > 0) return `${path} ${words}`;
  const [file = ''] = operands.length === 1 ? operands : [];
  return fileOptionFor(command, file) ?? path;
}

/** Whether a word may be repeated in an error: no option, and no secret. */
export function isPlainWord(word: string): boolean {
  return /^[\w./:][\w./:;()-]{0,199}$/.test(word) && !isWholeKey(word);
}

/** The most similar word. A permanent command must be at most one letter away. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const near = closest(word, words);
  return near !== undefined && PERMANENT.test(near) ? closest(word, [near], 1) : near;
}

/** The command that reads a pasted DOI, or an address of the REST API. */
export function commandForPasted(word: string): string | undefined {
  try {
    return shellWords(['doi-cli', 'dois', 'get', parseDoi(word)]);
  } catch {
    // The word is not a DOI; it may be an address.
  }
  const [list, search] = /^https?:\/\/[^/@]+\/dois\/?(?:\?([^@]*))?$/i.exec(word) ?? [];
  if (list === undefined) return undefined;
  const { query, ...filters } = Object.fromEntries(new URLSearchParams(search));
  return shellWords([
    ...['doi-cli', 'dois', 'list', ...(query === undefined ? [] : ['--query', query])],
    ...Object.entries(filters).flatMap(([name, value]) => ['--filter', `${name}=${value}`]),
  ]);
}

/** The commands of a group that a word may mean. */
function answersIn(group: Command, word: string): string[] {
  const root = rootOf(group);
  const path = pathOf(group);
  const synonyms = synonymsOf(word, root).filter((synonym) => synonym.startsWith(`${path} `));
  if (group === root && ONLY_IN_GROUP.includes(word)) return [];
  const deeper = pathsTo(word, group);
  const isNoun = (name: string) => name.split(' ').length === 2;
  const nouns = synonyms.filter(isNoun).map(withVerb(group));
  const verbs = synonyms.filter((synonym) => !isNoun(synonym));
  const answers = group === root ? [...nouns, ...deeper, ...verbs] : [...synonyms, ...deeper];
  if (answers.length > 0) return [...new Set(answers)];
  const near = nearest(
    word,
    group.commands.map((child) => child.name()),
  );
  if (near !== undefined) return [`${path} ${near}`];
  const distant = group === root ? nearest(word, namesBelow(root)) : undefined;
  return distant === undefined ? [] : pathsTo(distant, root);
}

/**
 * Adds the next word of the command line to the path of a group that has a command of this name.
 */
function withVerb(group: Command): (path: string) => string {
  const [, verb = ''] = group.args;
  return (path) => {
    const meant = group.commands.find((child) => pathOf(child) === path);
    const isVerb = meant?.commands.some((child) => child.name() === verb);
    return isVerb ? `${path} ${verb}` : path;
  };
}

/** The commands of other groups that a word may mean. */
function elsewhere(group: Command, word: string): string[] {
  const root = rootOf(group);
  return [...pathsTo(word, root), ...synonymsOf(word, root)].filter((path) => ANYWHERE.test(path));
}

/** The commands that other programs call by a word. */
function synonymsOf(word: string, root: Command): string[] {
  return answersTo(word, COMMANDS).map((path) => `${pathOf(root)} ${path}`);
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

function commandsBelow(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...commandsBelow(child)]);
}

function namesBelow(command: Command): string[] {
  return commandsBelow(command).map((child) => child.name());
}

function pathsTo(name: string, command: Command): string[] {
  return commandsBelow(command)
    .filter((child) => child.name() === name)
    .map(pathOf);
}
