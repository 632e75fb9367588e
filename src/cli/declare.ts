import {
  type Argument,
  Command,
  type CommanderError,
  type Option,
  type ParseOptions,
} from 'commander';
import { CliError, usageError } from '../errors.ts';
import type { GlobalOptions } from '../ui/host.ts';
import type { Context } from './context.ts';
import { CommandHelp, type HelpPage } from './help.ts';
import type { TypedOption } from './option-types.ts';
import { optionOf, ownWords, pathOf } from './options.ts';

/** The code of a command, with the parsed arguments and options. It may return an exit code. */
type Handler = (context: Context, ...args: never[]) => Promise<void> | Promise<number>;

/** The arguments, options and code of a command. */
export interface Declaration {
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Command lines that work as typed. */
  readonly examples: readonly string[];
  readonly commands?: readonly (CommandSpec | DeferredSpec)[];
  /** Lists the subcommands' options in the group's help, for groups with few options. */
  readonly isOnePage?: boolean;
  /** Imports the command's code when it runs. */
  readonly load?: () => Promise<Handler>;
}

/** A command's line in the help of its group. */
interface Entry {
  readonly name: string;
  readonly description: string;
}

export type CommandSpec = Entry & Declaration;

/**
 * A declaration with the types of its options, from which its code takes them: see `OptionsOf`. Its
 * own `load` cannot be a part of that type, and is compared where the command is listed.
 */
export function command<const Spec extends Omit<Declaration, 'load'>>(spec: Spec): Spec {
  return spec;
}

/**
 * A command whose declaration is imported when the command is used, or when help or a hint needs
 * it.
 */
export interface DeferredSpec extends Entry {
  readonly declaration: () => Promise<Declaration>;
}

export type RunCommand = (
  load: () => Promise<Handler>,
  args: readonly unknown[],
  options: GlobalOptions & { readonly format?: string },
) => Promise<void>;

interface Tree {
  readonly run: RunCommand;
  readonly argv: readonly string[];
  /** The options of the program, which every command has. */
  readonly options: readonly TypedOption<Partial<GlobalOptions>>[];
  /** Whether help also shows expert options. */
  readonly isComplete: boolean;
}

/** The parser has stopped at a command: to print help or the version, or because of an error. */
class Ended extends Error {
  readonly command: DeclaredCommand;
  readonly reason: CommanderError | CliError;

  constructor(command: DeclaredCommand, reason: CommanderError | CliError) {
    super(reason.message);
    this.command = command;
    this.reason = reason;
  }
}

export class DeclaredCommand extends Command implements HelpPage {
  examples: readonly string[] = [];
  isOnePage = false;
  declare readonly parent: DeclaredCommand | null;
  declare readonly commands: readonly DeclaredCommand[];
  readonly #tree: Tree;
  #declaration: DeferredSpec['declaration'] | undefined;

  constructor(name: string | undefined, tree: Tree) {
    super(name);
    this.#tree = tree;
    // By default, commander would take a program option out of a command's option values. So each
    // group parses only up to the subcommand's name, and every command accepts the program's
    // options.
    this.enablePositionalOptions();
    this.hook('preSubcommand', (_, command) => (command as DeclaredCommand).#complete());
    this.#throwErrors();
  }

  override createCommand(name?: string): DeclaredCommand {
    return new DeclaredCommand(name, this.#tree);
  }

  override createHelp(): CommandHelp {
    return Object.assign(new CommandHelp(this.#tree.isComplete), this.configureHelp());
  }

  #throwErrors(): void {
    this.exitOverride((reason) => {
      throw new Ended(this, reason);
    });
  }

  /**
   * Runs a command line. Help and errors wait until the commands that they mention are declared.
   */
  override async parseAsync(argv?: readonly string[], options?: ParseOptions): Promise<this> {
    try {
      return await super.parseAsync(argv, options);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      await this.#answer(error);
      return this;
    }
  }

  /** Prints help, or throws the error. Commander has printed the version. */
  async #answer({ command, reason }: Ended): Promise<void> {
    const [word] = command.args;
    const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
    const code = reason instanceof CliError ? undefined : reason.code;
    const isHelp = code === 'commander.helpDisplayed' || code === 'commander.help';
    // Commander treats `keys frob --help` as `keys --help`.
    const isUnknown =
      code === 'commander.helpDisplayed' && isGroup && word !== undefined && !word.startsWith('-');
    if (isHelp && !isUnknown) return command.#printHelp();
    if (code === 'commander.version') return;
    const { wrongCommandLine } = await import('./wrong-command-line.ts');
    throw wrongCommandLine(command, reason, this.#tree.argv);
  }

  /** Does nothing: commander calls it before the commands in the help are declared. */
  override outputHelp(): void {}

  async #printHelp(): Promise<void> {
    await this.#complete();
    await Promise.all(this.commands.map((command) => command.#complete()));
    super.outputHelp();
  }

  /** Adds a command below this one. */
  declare(spec: CommandSpec | DeferredSpec): void {
    const command = this.command(spec.name).description(spec.description) as DeclaredCommand;
    // A new command inherits its parent's callback.
    command.#throwErrors();
    if ('declaration' in spec) command.#declaration = spec.declaration;
    else command.#take(spec);
  }

  /** Declares this command and all commands below it. */
  async declareAll(): Promise<void> {
    await this.#complete();
    await Promise.all(this.commands.map((command) => command.declareAll()));
  }

  async #complete(): Promise<void> {
    const declaration = this.#declaration;
    this.#declaration = undefined;
    if (declaration !== undefined) this.#take(await declaration());
  }

  #take({
    arguments: operands = [],
    options = [],
    examples,
    commands = [],
    isOnePage,
    load,
  }: Declaration): void {
    this.examples = examples;
    this.isOnePage = isOnePage ?? false;
    for (const argument of operands) this.addArgument(this.#withHint(argument));
    for (const option of [...options, ...this.#tree.options]) this.addOption(option);
    // `keys help create` means `help keys create`.
    if (commands.length > 0) this.helpCommand(true);
    if (load === undefined) this.usage('<command>');
    else {
      this.action((...args) => {
        requireValues(this, this.#tree.argv);
        requireOwnOptions(this);
        // Commander adds the options and the command itself to the arguments.
        return this.#tree.run(load, args.slice(0, -2), this.allOptions());
      });
    }
    for (const command of commands) this.declare(command);
  }

  /** A copy of an argument, which commands may share, with hints in its errors. */
  #withHint(argument: Argument): Argument {
    const { parseArg } = argument;
    if (parseArg === undefined) return argument;
    return (Object.create(argument) as Argument).argParser((text, previous) => {
      try {
        return parseArg(text, previous);
      } catch (error) {
        throw error instanceof CliError ? new Ended(this, error) : error;
      }
    });
  }

  /**
   * The options of a command and its parents. A typed option wins over a default, and the nearest
   * command over its parents; in commander itself, the program's defaults win.
   */
  allOptions<Options extends GlobalOptions>(): Options {
    const path: DeclaredCommand[] = [];
    for (let command: DeclaredCommand | null = this; command !== null; command = command.parent)
      path.unshift(command);
    const typed = path.map((command) =>
      Object.entries(command.opts()).filter(
        ([name]) => command.getOptionValueSource(name) === 'cli',
      ),
    );
    return Object.assign({}, ...path.map((each) => each.opts()), ...typed.map(Object.fromEntries));
  }
}

/** Commander takes any next word as an option's value: `--name --save` would name a key --save. */
function requireValues(command: Command, argv: readonly string[]): void {
  const words = ownWords(argv);
  for (const [index, word] of words.entries()) {
    // Drop a value as in `--format=json`: it may be a secret.
    const next = (words[index + 1] ?? '').replace(/^(--[^=]*)=.*$/s, '$1');
    const isOption =
      optionOf(command, next) !== undefined || /^(-h|--help|-V|--version)$/.test(next);
    if (!isOption || !optionOf(command, word)?.required) continue;
    throw usageError(
      `${word} needs a value, and ${next} is an option`,
      `${pathOf(command)} --help`,
    );
  }
}

/** Refuses options of the parent that this command does not have: it would ignore them. */
function requireOwnOptions(command: DeclaredCommand): void {
  const { parent } = command;
  const foreign = parent?.options.find(
    (option) =>
      parent.getOptionValueSource(option.attributeName()) === 'cli' &&
      !command.options.some(({ long }) => long === option.long),
  );
  if (foreign !== undefined)
    throw usageError(`unknown option '${foreign.long}'`, `${pathOf(command)} --help`);
}
