import type { Argument, Command, Option } from 'commander';
import { valuesOf } from '../../cli/options.ts';

/** What may follow: nothing, a path, the name of a profile, a text that nobody can guess, or one of these words. */
type Value = 'none' | 'file' | 'directory' | 'profile' | 'free' | readonly string[];

/** A word that completion offers, with what it means. */
export interface Word {
  readonly name: string;
  readonly description: string;
}

/** An option, and what follows it. */
export interface Choice extends Word {
  /** Its short form, such as `-o`. */
  readonly short: string | undefined;
  readonly value: Value;
  /** Whether its value may be several words, separated by commas. */
  readonly several: boolean;
}

/** A command, for completion. */
export interface Node {
  /** The names of the command, each after a blank: ` keys create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly Word[];
  /** Its own options. Those of the program are valid everywhere. */
  readonly options: readonly Choice[];
  /** What its operands may be, in their order. */
  readonly operands: readonly Value[];
}

/** The nodes of a command tree, the program first. */
export function treeOf(command: Command, path = '', program = command): Node[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  // Each command takes those of the program, which are offered everywhere.
  const others = command.parent === null ? [] : program.options;
  const options = help.visibleOptions(command).filter((option) => !others.includes(option));
  return [
    {
      path,
      commands: children.map((child) => ({ name: child.name(), description: child.description() })),
      options: options.map(choiceOf).filter(({ name }) => path === '' || name !== '--help'),
      operands: command.registeredArguments.map((each) => followedBy(each, each.argChoices)),
    },
    ...children.flatMap((child) => treeOf(child, `${path} ${child.name()}`, program)),
  ];
}

/** Where the value of an option may be: at a command, or anywhere for an option of the program. */
export function valued(
  tree: readonly Node[],
): readonly { readonly node: Node; readonly option: Choice; readonly names: readonly string[] }[] {
  return tree.flatMap((node) =>
    node.options
      .filter(({ value }) => value !== 'none')
      .map((option) => ({
        node,
        option,
        names: [option.name, ...(option.short === undefined ? [] : [option.short])],
      })),
  );
}

function choiceOf(option: Option): Choice {
  const { long, short, flags, description, required, optional } = option;
  return {
    name: long ?? short ?? '',
    short: long === undefined ? undefined : short,
    description,
    value: required || optional ? followedBy(option, valuesOf(option)) : 'none',
    several: /<\w+,\w+>/.test(flags) || description.includes('comma-separated'),
  };
}

/** A path by the word for it between the angle brackets, which the help shows. */
function followedBy(declared: Option | Argument, words: readonly string[] | undefined): Value {
  if (words !== undefined) return words;
  if ('long' in declared && declared.long === '--profile') return 'profile';
  const flags = 'flags' in declared ? declared.flags : `<${declared.name()}>`;
  if (/<(path|file)>/.test(flags)) return 'file';
  return /<directory>/.test(flags) ? 'directory' : 'free';
}
