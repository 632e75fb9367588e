import { type Argument, Command, type CommanderError, type Option } from 'commander';
import type { Context } from './context.ts';
import { CommandHelp } from './help.ts';
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

/** Commander has stopped at a command: it has printed help, or the command line is wrong. */
export class Stopped extends Error {
  readonly command: Command;
  readonly reason: CommanderError;

  constructor(command: Command, reason: CommanderError) {
    super(reason.message);
    this.command = command;
    this.reason = reason;
  }
}

/** Whether commander stopped because the command line is wrong, and not because help was asked for. */
export function isWrong({ command, reason }: Stopped): boolean {
  if (reason.exitCode !== 0) return reason.code !== 'commander.help';
  const [word] = command.args;
  // `keys frob --help`: commander takes it for `keys --help`.
  return (
    reason.code === 'commander.helpDisplayed' &&
    word !== undefined &&
    !word.startsWith('-') &&
    command.commands.length > 0 &&
    command.registeredArguments.length === 0
  );
}

/** A command of the tree, with its examples. */
export class DeclaredCommand extends Command {
  /** Command lines that work as typed. */
  examples: readonly string[] = [];

  override createCommand(name?: string): DeclaredCommand {
    return new DeclaredCommand(name);
  }

  override createHelp(): CommandHelp {
    return Object.assign(new CommandHelp(this.examples), this.configureHelp());
  }

  /** Names the command where commander stops; it would inherit what its parent does. */
  stopsByName(): this {
    return this.exitOverride((reason) => {
      throw new Stopped(this, reason);
    });
  }
}

/**
 * Adds a command, and the commands below it, to the command tree.
 * @param isTyped returns whether a name is on the command line. Other commands are declared without the
 *   commands below them.
 */
export function declare(
  parent: DeclaredCommand,
  spec: CommandSpec,
  run: RunCommand,
  isTyped: (name: string) => boolean,
): void {
  const { name, description, examples, load, commands = [] } = spec;
  const command = parent.command(name).description(description).helpCommand(false).stopsByName();
  command.examples = examples;
  for (const argument of spec.arguments ?? []) command.addArgument(argument);
  for (const option of spec.options ?? []) command.addOption(option);
  if (load === undefined) command.usage('<command>');
  else {
    command.action((...args) => {
      refuseForeignOptions(command);
      // Commander adds the options and the command itself to the arguments.
      return run(load, args.slice(0, -2), command.optsWithGlobals());
    });
  }
  // The commands below a command with options have only their own.
  if (commands.length > 0) command.enablePositionalOptions();
  if (!isTyped(name)) return;
  for (const child of commands) declare(command, child(), run, isTyped);
  // `keys help create` is `help keys create`.
  if (commands.length > 0 && isTyped('help')) declareHelp(command, { hidden: true });
}

/** Refuses the options of a command above this one, which it does not have: it would ignore them. */
function refuseForeignOptions(command: DeclaredCommand): void {
  const { parent } = command;
  if (parent === null || parent.parent === null) return;
  const foreign = parent.options.find(
    (option) =>
      parent.getOptionValueSource(option.attributeName()) === 'cli' &&
      !command.options.some(({ long }) => long === option.long),
  );
  if (foreign === undefined) return;
  command.error(`error: unknown option '${foreign.long}'`, { code: 'commander.unknownOption' });
}

/** Adds `help <command>…`, which prints the help of a command at any depth. */
export function declareHelp(parent: DeclaredCommand, { hidden }: { readonly hidden: boolean }): void {
  const help = parent.command('help', { hidden }).description('print the help of a command');
  help.argument('[command...]', 'the command, such as keys create').helpCommand(false).stopsByName();
  help.examples = ['doi-cli help keys create'];
  help.action((names: readonly string[]) => {
    let command: Command = parent;
    for (const name of names) {
      const child = command.commands.find((each) => each.name() === name);
      // Commander's own words for it: it reads them from the arguments of the command.
      if (child === undefined) command.args = [name];
      command =
        child ?? command.error(`error: unknown command '${name}'`, { code: 'commander.unknownCommand' });
    }
    command.help();
  });
}
