import type { Command, Option } from 'commander';

/** A command, for completion. */
export interface Node {
  /** The names of the command, each after a blank: ` keys create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly Choice[];
}

/** An option, and the kind of its value. */
export interface Choice {
  readonly name: string;
  readonly description: string;
  readonly value: 'none' | 'file' | 'free' | readonly string[];
}

const FILES = ['--file', '--out', '--dir'];

/**
 * The nodes of the command tree. Each includes the options of the commands above it, which are valid
 * anywhere.
 */
export function treeOf(command: Command, path = '', inherited: readonly Choice[] = []): Node[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const options = [...help.visibleOptions(command).map(choiceOf), ...inherited];
  const own = new Map(options.map((option) => [option.name, option]));
  const passed = [...own.values()].filter(({ name }) => name !== '--help' && name !== '--version');
  return [
    {
      path,
      commands: children.map((child) => ({ name: child.name(), description: child.description() })),
      options: [...own.values()],
    },
    ...children.flatMap((child) => treeOf(child, `${path} ${child.name()}`, passed)),
  ];
}

function choiceOf({ long, short, description, required, optional, argChoices }: Option): Choice {
  const name = long ?? short ?? '';
  const takes = required || optional;
  const value = argChoices ?? (FILES.includes(name) ? 'file' : 'free');
  return { name, description, value: takes ? value : 'none' };
}
