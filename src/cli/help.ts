import { type Argument, type Command, Help, type Option } from 'commander';
import { HOMEPAGE } from '../version.ts';

/** The width of a help text where the terminal has none, and the widest that reads well. */
const USUAL_WIDTH = 80;
const MAX_WIDTH = 100;
/** A description narrower than this goes below its term. */
const NARROWEST_DESCRIPTION = 30;
/** A command with more options than this has them in groups. */
const MAX_UNGROUPED = 8;

/**
 * The last line of a help: where the documents are.
 * @param homepage of package.json, which has `OWNER` for an owner as long as the repository has no address
 */
export function documentsAt(homepage: string): string {
  const place = homepage.includes('/OWNER/') ? 'README.md of the package, docs/ of its sources' : homepage;
  return `Documents: ${place}, man doi-cli`;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The groups of long helps in their order. An option that none of them has comes last, in `Options`. */
const GROUPS: readonly (readonly [title: string, options: readonly string[]])[] = [
  ['Copy', words('--dir --plan --shard --overlap --fresh --check --yes --estimate')],
  [
    'Filters',
    words(`
      --provider-id --client-id --mine --prefix --state --query --created --registered --resource-type-id
      --created-since --created-until --updated-since --updated-until --filter --where`),
  ],
  ['Pages', words('--all --page --page-size --sort --limit')],
  ['Input', words('--file --map --set --edit --template')],
  [
    'Record',
    words(`
      --doi --title --creator --publisher --year --type --url --description --subject --event --reason
      --no-validate`),
  ],
  ['Many records', words('--ledger --fail-fast --continue-on-error')],
  ['Speed', words('--jobs --rate')],
  [
    'Output',
    words(`
      --format --out --count --fields --columns --detail --affiliation --wide --gzip --by --dry-run
      --style --locale --web --exit-code`),
  ],
];

/**
 * The help of a command: its commands before its options, options in groups, required ones marked, and the
 * global options in one line, because the help of the program lists them.
 */
export class CommandHelp extends Help {
  readonly #examples: readonly string[];

  /** @param examples command lines that work as typed. */
  constructor(examples: readonly string[]) {
    super();
    this.#examples = examples;
  }

  override prepareContext(context: { readonly helpWidth?: number }): void {
    this.helpWidth = Math.min(context.helpWidth ?? USUAL_WIDTH, MAX_WIDTH);
    this.minWidthToWrap = NARROWEST_DESCRIPTION;
  }

  /** The options of a command by the titles of their groups. The help option is one of the program. */
  groupsOf(command: Command): readonly (readonly [title: string, options: readonly Option[]])[] {
    const isProgram = command.parent === null;
    const options = this.visibleOptions(command).filter(({ long }) => isProgram || long !== '--help');
    if (isProgram || options.length <= MAX_UNGROUPED) return [['Options', options]];
    const titleOf = ({ long, helpGroupHeading }: Option) =>
      helpGroupHeading ?? GROUPS.find(([, names]) => names.includes(long ?? ''))?.[0] ?? 'Options';
    return [...GROUPS.map(([title]) => title), 'Options'].map((title) => [
      title,
      options.filter((option) => titleOf(option) === title),
    ]);
  }

  override formatHelp(command: Command): string {
    const commands = this.visibleCommands(command).map((child) => [
      this.styleSubcommandTerm(this.subcommandTerm(child)),
      child.description(),
    ]);
    const operands = this.visibleArguments(command).map((each) => [
      this.styleArgumentTerm(this.argumentTerm(each)),
      this.argumentDescription(each),
    ]);
    const groups = this.groupsOf(command);
    const anyShort = groups.some(([, options]) => options.some(({ short }) => short !== undefined));
    const sections: [title: string, rows: string[][]][] = [
      ['Commands', commands],
      ['Arguments', operands],
      ...groups.map(([title, options]): [string, string[][]] => [
        title,
        options.map((option) => [this.#term(option, anyShort), this.optionDescription(option)]),
      ]),
    ];
    return [
      this.boxWrap(
        `${this.styleTitle('Usage:')} ${this.styleUsage(this.commandUsage(command))}`,
        this.#width,
      ).replaceAll('\n', '\n  '),
      this.boxWrap(command.description(), this.#width),
      ...this.#sections(sections),
      `${this.styleTitle('Examples:')}\n${this.#examples.map((line) => `  $ ${this.#folded(line)}`).join('\n')}`,
      `${command.parent === null ? '' : 'Global options: doi-cli --help\n'}${this.boxWrap(documentsAt(HOMEPAGE), this.#width)}\n`,
    ].join('\n\n');
  }

  get #width(): number {
    return this.helpWidth ?? USUAL_WIDTH;
  }

  #sections(sections: readonly (readonly [title: string, rows: readonly string[][]])[]): string[] {
    const widths = sections.flatMap(([, rows]) => rows.map(([term = '']) => this.displayWidth(term)));
    const termWidth = Math.max(0, ...widths);
    return sections
      .filter(([, rows]) => rows.length > 0)
      .map(([title, rows]) => {
        const lines = rows.map(([term = '', description = '']) => this.#row(term, termWidth, description));
        return [this.styleTitle(`${title}:`), ...lines].join('\n');
      });
  }

  #row(term: string, termWidth: number, description: string): string {
    const isNarrow = this.#width - termWidth - 4 < NARROWEST_DESCRIPTION;
    const indent = ' '.repeat(isNarrow ? 6 : termWidth + 4);
    const text = this.boxWrap(description, this.#width - indent.length).replaceAll('\n', `\n${indent}`);
    const padding = ' '.repeat(termWidth - this.displayWidth(term));
    return isNarrow ? `  ${term}\n${indent}${text}` : `  ${term}${padding}  ${text}`.trimEnd();
  }

  /** An option as it is typed. Where others have a short form, one without stands below their long forms. */
  #term(option: Option, anyShort: boolean): string {
    const term = this.styleOptionTerm(option.flags);
    return anyShort && option.short === undefined ? `    ${term}` : term;
  }

  override optionDescription(option: Option): string {
    const { description, mandatory, argChoices, defaultValue, defaultValueDescription } = option;
    const usual = defaultValueDescription ?? String(defaultValue);
    const details = [
      ...(mandatory ? ['required'] : []),
      ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
      ...(defaultValue === undefined || option.isBoolean() || option.negate ? [] : [`default: ${usual}`]),
    ];
    return details.length === 0 ? description : `${description} (${details.join('; ')})`;
  }

  override subcommandTerm(command: Command): string {
    return [command.name(), ...command.registeredArguments.map(operand)].join(' ');
  }

  /** A command line in lines of the terminal's width, each but the last with a backslash at its end. */
  #folded(line: string): string {
    const lines = [''];
    // Blanks inside of quotes are no place to fold.
    for (const word of line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
      const last = lines.at(-1) ?? '';
      const room = this.#width - (lines.length === 1 ? 4 : 6) - 2;
      if (last !== '' && last.length + 1 + word.length > room) lines.push(word);
      else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
    return lines.join(' \\\n      ');
  }
}

function operand(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
