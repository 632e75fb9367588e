import { styleText } from 'node:util';
import { type Argument, type Command, Help, type Option } from 'commander';
import { EXPERT, LISTED_FILTERS } from './options.ts';

/** Choices that are longer than this in all are wrapped as words. */
const LONGEST_CHOICES = 40;

export interface Page extends Command {
  readonly examples: readonly string[];
  /**
   * Whether the commands below it have no helps of their own, and their options are in its help.
   */
  readonly isOnePage: boolean;
  readonly parent: Page | null;
  readonly commands: readonly Page[];
}

function pageOf(command: Page): Page {
  return command.parent?.isOnePage ? command.parent : command;
}

/**
 * Commander's help, with examples; without options of experts, and for a command without the
 * program's.
 */
export class CommandHelp extends Help {
  // In a narrow terminal, too.
  override minWidthToWrap = 8;
  readonly #isComplete: boolean;
  #isPrinting = false;
  #page: Page | undefined;

  constructor(isComplete: boolean) {
    super();
    this.#isComplete = isComplete;
  }

  override prepareContext(context: { readonly helpWidth?: number }): void {
    super.prepareContext(context);
    this.#isPrinting = true;
  }

  /**
   * The options of a help; where commander looks for a similar name, all that the command takes.
   */
  override visibleOptions(command: Page): Option[] {
    const options = super.visibleOptions(command);
    if (!this.#isPrinting) return options;
    const shown = this.optionsOf(command);
    return this.#isComplete ? shown : shown.filter((option) => !isFurther(option));
  }

  /** The options that a help explains: those of the command, and of the commands on its page. */
  optionsOf(command: Page): Option[] {
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

  /** Groups options in the order in which the help shows them, those of experts last. */
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
    const { commands, isOnePage } = this.#page ?? { commands: [] };
    const takers = commands.filter(({ options }) =>
      options.some(({ long }) => long === option.long),
    );
    const isShared = !isOnePage || takers.length === 0 || takers.length === commands.length;
    return withValues(option.description, option, isShared ? [] : [`for ${namesOf(takers)}`]);
  }

  override argumentDescription(argument: Argument): string {
    return withValues(argument.description, argument);
  }

  override visibleCommands(command: Page): Command[] {
    // Each group takes `help`, which the program's help explains.
    return super
      .visibleCommands(command)
      .filter((each) => command.parent === null || each.name() !== 'help');
  }

  override subcommandTerm(command: Command): string {
    const operands = command.usage().replace(/<command>|\[(options|command)\]/g, '');
    return `${command.name()} ${operands.trim()}`.trim();
  }

  override formatHelp(command: Page, help: Help): string {
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
    // Commander takes the colours out again where they are not wanted.
    return styleText('bold', title, { validateStream: false });
  }
}

/**
 * A description with the values that are accepted and the default, as they are typed: `format
 * (text|json; …)`.
 */
function withValues(
  description: string,
  { argChoices = [], defaultValue, defaultValueDescription }: Option | Argument,
  further: readonly string[] = [],
): string {
  const choices = argChoices.join('|');
  const usual = defaultValueDescription ?? defaultValue;
  const notes = [
    ...(choices.length > LONGEST_CHOICES
      ? [argChoices.join(', ')]
      : choices === ''
        ? []
        : [choices]),
    ...(usual === undefined ? [] : [`default: ${usual}`]),
    ...further,
  ];
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

function rootOf(command: Page): Page {
  return command.parent === null ? command : rootOf(command.parent);
}
