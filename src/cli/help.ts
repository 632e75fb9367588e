import { type Argument, type Command, Help, type Option } from 'commander';
import { HOMEPAGE } from '../version.ts';
import { type Help as HelpParts, helpText } from './help-text.ts';

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

  override prepareContext({ helpWidth }: { readonly helpWidth?: number }): void {
    if (helpWidth !== undefined) this.helpWidth = helpWidth;
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
    return helpText(this.partsOf(command), this.helpWidth);
  }

  /** What the help of a command says. */
  partsOf(command: Command): HelpParts {
    const groups = this.groupsOf(command);
    const anyShort = groups.some(([, options]) => options.some(({ short }) => short !== undefined));
    return {
      usage: this.commandUsage(command),
      description: command.description(),
      sections: [
        [
          'Commands',
          this.visibleCommands(command).map((child) => [this.subcommandTerm(child), child.description()]),
        ],
        [
          'Arguments',
          this.visibleArguments(command).map((each) => [
            this.argumentTerm(each),
            this.argumentDescription(each),
          ]),
        ],
        ...groups.map(([title, options]): HelpParts['sections'][number] => [
          title,
          options.map((option) => [termOf(option, anyShort), this.optionDescription(option)]),
        ]),
      ],
      examples: this.#examples,
      notes: [...(command.parent === null ? [] : ['Global options: doi-cli --help']), documentsAt(HOMEPAGE)],
    };
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
}

/** An option as it is typed. Where others have a short form, one without stands below their long forms. */
function termOf({ flags, short }: Option, anyShort: boolean): string {
  return anyShort && short === undefined ? `    ${flags}` : flags;
}

function operand(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
