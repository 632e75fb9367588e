import { type Argument, Command, type Option } from 'commander';
import type { GlobalOptions } from '../ui/host.ts';
import type { Context } from './context.ts';
import { CommandHelp, type Page } from './help.ts';
import { requireValues, unknownCommand, wrongCommandLine } from './wrong-command-line.ts';

/** The code of a command, with the parsed arguments and options. It may return an exit code. */
type Handler = (context: Context, ...args: never[]) => Promise<void> | Promise<number>;

export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Command lines that work as typed. */
  readonly examples: readonly string[];
  readonly commands?: readonly CommandSpec[];
  /** Whether the help of a group is that of its commands, too: they are few and have few options. */
  readonly isOnePage?: boolean;
  /** Imports the code of the command, when it runs. */
  readonly load?: () => Promise<Handler>;
}

export type RunCommand = (
  load: () => Promise<Handler>,
  args: readonly unknown[],
  options: GlobalOptions & { readonly format?: string },
) => Promise<void>;

interface Tree {
  readonly run: RunCommand;
  readonly argv: readonly string[];
  readonly options: readonly Option[];
  /** Whether help shows the options of experts, too. */
  readonly isComplete: boolean;
}

export class DeclaredCommand extends Command implements Page {
  examples: readonly string[] = [];
  isOnePage = false;
  declare readonly parent: DeclaredCommand | null;
  declare readonly commands: readonly DeclaredCommand[];
  readonly #tree: Tree;

  constructor(name: string | undefined, tree: Tree) {
    super(name);
    this.#tree = tree;
    // Commander's default lets a command take options of the program out of the values of its own. So the commands
    // with commands below them parse up to the name of one, and each takes the options of the program.
    this.enablePositionalOptions();
    this.#throwErrors();
  }

  override createCommand(name?: string): DeclaredCommand {
    return new DeclaredCommand(name, this.#tree);
  }

  override createHelp(): CommandHelp {
    return Object.assign(new CommandHelp(this.#tree.isComplete), this.configureHelp());
  }

  /** Lets commander throw where it would end the process: its own error for a help or a version. */
  #throwErrors(): void {
    this.exitOverride((reason) => {
      const [word] = this.args;
      const isGroup = this.commands.length > 0 && this.registeredArguments.length === 0;
      // `keys frob --help`: commander takes it for `keys --help`.
      if (reason.code === 'commander.helpDisplayed' && isGroup && word !== undefined && !word.startsWith('-'))
        throw unknownCommand(this, word);
      if (reason.exitCode === 0 || reason.code === 'commander.help') throw reason;
      throw wrongCommandLine(this, reason, this.#tree.argv);
    });
  }

  declare(spec: CommandSpec): void {
    const { load, commands = [] } = spec;
    const command = this.command(spec.name).description(spec.description) as DeclaredCommand;
    // A new command inherits that of its parent.
    command.#throwErrors();
    command.examples = spec.examples;
    command.isOnePage = spec.isOnePage ?? false;
    for (const argument of spec.arguments ?? []) command.addArgument(argument);
    for (const option of [...(spec.options ?? []), ...this.#tree.options]) command.addOption(option);
    // `keys help create` is `help keys create`.
    if (commands.length > 0) command.helpCommand(true);
    if (load === undefined) command.usage('<command>');
    else {
      command.action((...args) => {
        requireValues(command, this.#tree.argv);
        requireOwnOptions(command);
        // Commander adds the options and the command itself to the arguments.
        return this.#tree.run(load, args.slice(0, -2), command.allOptions());
      });
    }
    for (const child of commands) command.declare(child);
  }

  /**
   * The options of a command and of the commands above it. Where both have an option, what is given counts before a
   * default, and what stands nearest to the command before the rest; commander lets the program's defaults win.
   */
  allOptions<Options extends GlobalOptions>(): Options {
    const path: DeclaredCommand[] = [];
    for (let command: DeclaredCommand | null = this; command !== null; command = command.parent)
      path.unshift(command);
    const given = path.map((command) =>
      Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
    );
    return Object.assign({}, ...path.map((each) => each.opts()), ...given.map(Object.fromEntries));
  }
}

/** Refuses the options of a command above this one, which it does not have: it would ignore them. */
function requireOwnOptions(command: DeclaredCommand): void {
  const { parent } = command;
  const foreign = parent?.options.find(
    (option) =>
      parent.getOptionValueSource(option.attributeName()) === 'cli' &&
      !command.options.some(({ long }) => long === option.long),
  );
  if (foreign !== undefined)
    command.error(`error: unknown option '${foreign.long}'`, { code: 'commander.unknownOption' });
}
