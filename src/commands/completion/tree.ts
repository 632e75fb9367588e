import type { Argument, Command, Option } from 'commander';
import { valuesOf } from '../../cli/options.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The first line of a script. */
export const header = (shell: Shell): string =>
  `# ${shell} completion for doi-cli. It runs nothing on the command line.`;

export interface Word {
  readonly name: string;
  readonly description: string;
}

/** The possible values: a path, free text, or one of these words. */
export type Value = 'file' | 'directory' | 'free' | readonly Word[];

export interface Choice {
  /** Its long form first. */
  readonly names: readonly string[];
  readonly description: string;
  /** The option's value, if it takes one. */
  readonly value: Value | undefined;
  /** Whether the value may be several words, separated by commas. */
  readonly several: boolean;
}

export interface Node {
  /** The names of the command, each after a blank: ` keys create`; empty for the program. */
  readonly path: string;
  /** The command's own options. Program options are valid everywhere. */
  readonly options: readonly Choice[];
  /** The values of the operands, in order. A group's commands are words of its first operand. */
  readonly operands: readonly Value[];
}

/** The nodes of a command tree, the program first. */
export function treeOf(command: Command, path = '', inherited: readonly Option[] = []): Node[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const commands = children.map((child) => ({
    name: child.name(),
    description: child.description(),
  }));
  const operands = command.registeredArguments.map((each) => followedBy(each, each.argChoices));
  if (commands.length > 0) {
    const [first = []] = operands.splice(0, 1);
    operands.unshift(typeof first === 'string' ? commands : [...commands, ...first]);
  }
  const declared = help.visibleOptions(command).filter((each) => !inherited.includes(each));
  const options = declared
    .map(choiceOf)
    .filter(({ names }) => path === '' || !names.includes('--help'));
  // Command names follow `help`: the scripts skip that word.
  const grown = children.filter((child) => child.name() !== 'help');
  const shared = path === '' ? command.options : inherited;
  return [
    { path, options, operands },
    ...grown.flatMap((child) => treeOf(child, `${path} ${child.name()}`, shared)),
  ];
}

function choiceOf(option: Option): Choice {
  const { long, short, flags, description, required, optional } = option;
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    description,
    value: required || optional ? followedBy(option, valuesOf(option)) : undefined,
    several: /<\w+,\w+>/.test(flags) || description.includes('comma-separated'),
  };
}

/** The kind of value, known from the word between angle brackets in the help. */
function followedBy(declared: Option | Argument, words: readonly string[] | undefined): Value {
  if (words !== undefined) return words.map((name) => ({ name, description: '' }));
  const flags = 'flags' in declared ? declared.flags : `<${declared.name()}>`;
  if (/<(path|file)>/.test(flags)) return 'file';
  return /<directory>/.test(flags) ? 'directory' : 'free';
}
