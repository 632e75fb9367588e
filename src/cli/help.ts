import { styleText } from 'node:util';
import { type Argument, type Command, Help, type Option } from 'commander';
import { EXPERT, LISTED_FILTERS } from './options.ts';

/** A longer list of choices is separated by commas, so that it can wrap. */
const LONGEST_CHOICES = 40;

export interface HelpPage extends Command {
  readonly examples: readonly string[];
  /** Whether this page also documents the subcommands, which have no pages of their own. */
  readonly isOnePage: boolean;
  readonly parent: HelpPage | null;
  readonly commands: readonly HelpPage[];
}

function pageOf(command: HelpPage): HelpPage {
  return command.parent?.isOnePage ? command.parent : command;
}

/**
 * Commander's help, with examples, but without expert options and, for commands, global options.
 */
export class CommandHelp extends Help {
  // Wrap even in a narrow terminal.
  override minWidthToWrap = 8;
  readonly #isComplete: boolean;
  #isPrinting = false;
  #page: HelpPage | undefined;

  constructor(isComplete: boolean) {
    super();
    this.#isComplete = isComplete;
  }

  override prepareContext(context: { readonly helpWidth?: number }): void {
    super.prepareContext(context);
    this.#isPrinting = true;
  }

  /**
   * The options shown on a help page. Outside of help, commander looks for similar names in all
   * options.
   */
  override visibleOptions(command: HelpPage): Option[] {
    const options = super.visibleOptions(command);
    if (!this.#isPrinting) return options;
    const shown = this.optionsOf(command);
    return this.#isComplete ? shown : shown.filter((option) => !isFurther(option));
  }

  /** The options of the command and of the subcommands on its help page. */
  optionsOf(command: HelpPage): Option[] {
    const isProgram = command.parent === null;
    const pages = command.isOnePage ? [command, ...command.commands] : [command];
    const options = pages.flatMap((each) => super.visibleOptions(each));
    const isFirst = ({ long }: Option, at: number) =>
      options.findIndex((other) => other.long === long) === at;
    const program = rootOf(command).options;
    return options.filter(
      (option, at) =>
        isFirst(option, at) &&
        (isProgram || (!program.includes(option) && option.long !== '--help')),
    );
  }

  /** Groups options in the order of the help, expert options last. */
  override groupItems<Item extends Command | Option>(
    _: Item[],
    visible: Item[],
    groupOf: (item: Item) => string,
  ): Map<string, Item[]> {
    const groups = super.groupItems([], visible, groupOf);
    const experts = groups.get(`${EXPERT}:`);
    if (experts !== undefined && groups.delete(`${EXPERT}:`)) groups.set(`${EXPERT}:`, experts);
    return groups;
  }

  override optionDescription(option: Option): string {
    const { isOnePage } = this.#page ?? {};
    const commands = this.#page === undefined ? [] : this.visibleCommands(this.#page);
    const takers = commands.filter(({ options }) =>
      options.some(({ long }) => long === option.long),
    );
    const isShared = !isOnePage || takers.length === 0 || takers.length === commands.length;
    return withValues(option.description, option, isShared ? [] : [`for ${namesOf(takers)}`]);
  }

  override argumentDescription(argument: Argument): string {
    return withValues(argument.description, argument);
  }

  override visibleCommands(command: HelpPage): Command[] {
    // Every group has `help`, which only the program's help lists.
    return super
      .visibleCommands(command)
      .filter((each) => command.parent === null || each.name() !== 'help');
  }

  override subcommandTerm(command: Command): string {
    const operands = command.usage().replace(/<command>|\[(options|command)\]/g, '');
    return `${command.name()} ${operands.trim()}`.trim();
  }

  override formatHelp(command: HelpPage, help: Help): string {
    const page = pageOf(command);
    this.#page = page;
    const hidden = this.#isComplete ? [] : this.optionsOf(page).filter(isFurther);
    const name =
      page.parent === null ? page.name() : help.commandUsage(page).replace(/ [[<].*/, '');
    const notes = [
      ...(hidden.some((each) => isOf(LISTED_FILTERS, each))
        ? ['Filters: doi-cli dois list --help']
        : []),
      ...(hidden.length === 0 ? [] : [`More options: ${name} --help --all`]),
      ...(page.parent === null ? [] : ['Global options: doi-cli --help']),
    ];
    const examples = page.examples.map((line) => `  $ ${line}`);
    return [
      super.formatHelp(page, help),
      help.styleTitle('Examples:'),
      ...examples,
      ...(notes.length === 0
        ? []
        : ['', ...notes.map((note) => help.boxWrap(note, help.helpWidth ?? 80))]),
      '',
    ].join('\n');
  }

  override styleTitle(title: string): string {
    // Commander removes colours where they are not wanted.
    return styleText('bold', title, { validateStream: false });
  }
}

/** A description with the accepted values and the default, as typed: `format (text|json; …)`. */
function withValues(
  description: string,
  { argChoices = [], defaultValue, defaultValueDescription }: Option | Argument,
  further: readonly string[] = [],
): string {
  const usual = defaultValueDescription ?? defaultValue;
  const isLong = argChoices.join('|').length > LONGEST_CHOICES;
  const notes = [
    argChoices.join(isLong ? ', ' : '|'),
    usual === undefined ? '' : `default: ${usual}`,
    ...further,
  ].filter((note) => note !== '');
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

/** `list, set and unset` */
function namesOf(commands: readonly Command[]): string {
  const names = commands.map((command) => command.name());
  return names.length === 1
    ? `${names[0]}`
    : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Whether only `--help --all` shows an option. */
function isFurther(option: Option): boolean {
  return isOf(EXPERT, option) || isOf(LISTED_FILTERS, option);
}

function isOf(title: string, { helpGroupHeading }: Option): boolean {
  return helpGroupHeading === `${title}:`;
}

function rootOf(command: HelpPage): HelpPage {
  return command.parent === null ? command : rootOf(command.parent);
}
