import type { Argument, Command, Option } from 'commander';
import type { Context } from './context.ts';
import type { GlobalOptions } from './host.ts';

/**
 * The code of a command. It gets the run's context, the parsed arguments, and the parsed options of the
 * command and of the commands above it. It may return an exit code.
 */
type Handler = (context: Context, ...args: never[]) => Promise<void> | Promise<number>;

/** A command as data. */
export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Command lines that work as typed. */
  readonly examples: readonly string[];
  /** The commands below it, as functions, so that start-up does not build unused ones. */
  readonly commands?: readonly (() => CommandSpec)[];
  /** Imports the code of the command, when it runs. */
  readonly load?: () => Promise<Handler>;
}

/** Loads a command's handler and calls it. */
export type RunCommand = (
  load: () => Promise<Handler>,
  args: readonly unknown[],
  options: GlobalOptions & { readonly format?: string },
) => Promise<void>;

/**
 * Adds a command, and the commands below it, to the command tree.
 * @param isTyped returns whether a name is on the command line. Other commands are declared without the
 *   commands below them.
 */
export function declare(
  parent: Command,
  spec: CommandSpec,
  run: RunCommand,
  isTyped: (name: string) => boolean,
): void {
  const { name, description, examples, load } = spec;
  const command = parent.command(name).description(description).addHelpText('after', exampleText(examples));
  for (const argument of spec.arguments ?? []) command.addArgument(argument);
  for (const option of spec.options ?? []) command.addOption(option);
  // Commander adds the options and the command itself to the arguments.
  if (load) command.action((...args) => run(load, args.slice(0, -2), command.optsWithGlobals()));
  if (isTyped(name)) for (const child of spec.commands ?? []) declare(command, child(), run, isTyped);
}

/** The examples at the end of a help text. */
export function exampleText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`;
}
