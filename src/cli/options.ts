import { Argument, type Command, Option } from 'commander';
import { MAX_JOBS } from '../core/defaults.ts';
import { usageError } from '../errors.ts';
import { expandHome } from '../settings/environment.ts';
import {
  parseDuration,
  parseDurationUpTo,
  parseFrom,
  parseInteger,
  parseRate,
  parseText,
} from '../text/parsers.ts';
import type { MemberOf, TypedOption, ValueIn } from './option-types.ts';

type Parse<Value = unknown> = (text: string) => Value;

/** The group of the options that only `--help --all` shows. */
export const EXPERT = 'For experts';
/** The group of filters that only the help of `dois list` shows without `--all`. */
export const LISTED_FILTERS = 'Filters of dois list';

const SHORT: Readonly<Record<string, string>> = {
  '--out': '-o',
  '--file': '-f',
  '--yes': '-y',
  '--quiet': '-q',
};

/** An option whose value is checked before the command runs. */
export function option<Flags extends string, Value = ValueIn<Flags>>(
  flags: Flags,
  description: string,
  parse?: Parse<Value>,
): TypedOption<MemberOf<Flags, Value>> {
  const short = SHORT[flags.split(' ')[0] ?? ''];
  const made: Option = new Option(short === undefined ? flags : `${short}, ${flags}`, description);
  if (parse === undefined) return made;
  // Shells do not expand `--out=~/file`.
  const isPath = /<(?:path|file|directory)>/.test(flags);
  const expanded = (text: string) => parse(expandHome(text));
  return made.argParser(checked(flags, isPath ? expanded : parse));
}

/** A mandatory option. */
export function required<Flags extends string, Value>(
  flags: Flags,
  description: string,
  parse: Parse<Value>,
) {
  return option(flags, `${description} (required)`, parse).makeOptionMandatory();
}

/** An option with an age. @param usual the default, such as `90d`. */
export function ageOption<Flags extends string>(flags: Flags, description: string, usual: string) {
  return option(flags, description, parseDurationUpTo('5000w')).default(
    parseDuration(usual),
    usual,
  );
}

/** A repeatable option: each value is checked and added to a list. */
export function listOption<Flags extends string, Value>(
  flags: Flags,
  description: string,
  parse: Parse<Value>,
): TypedOption<MemberOf<Flags, readonly Value[]>> {
  return option(flags, description).argParser(checkedList(flags, parse)) as Option;
}

/** An option whose value is one text, or a list if the option is repeated. */
export function repeatable<Member>(made: TypedOption<Member>): TypedOption<{
  readonly [Name in keyof Member]: Member[Name] | readonly NonNullable<Member[Name]>[];
}> {
  const parse = made.parseArg ?? String;
  return made.argParser((text, previous?: unknown) => {
    const value = parse(text, undefined);
    return previous === undefined ? value : [previous, value].flat();
  }) as Option;
}

export function choiceOption<Flags extends string, Choice extends string>(
  flags: Flags,
  choices: readonly Choice[],
  description: string,
): TypedOption<MemberOf<Flags, Choice>> {
  return option(flags, description).choices(choices) as Option;
}

/** The `--out` option of a file. */
export function outOption(description: string) {
  return option('--out <file>', description, (text) => {
    if (text === '-') throw new Error("'-' is not a file name: leave --out away for stdout");
    // `-o json` of kubectl.
    if (/^(json|ndjson|jsonl|csv|tsv|table|text|html|yaml|xml|parquet)$/i.test(text))
      throw new Error(
        `'${text}' is a format: write --format ${text}, or --out ./${text} for a file`,
      );
    return parseText(text);
  });
}

/** Options with their own title in the help. */
export function group<Options extends readonly Option[]>(
  title: string,
  ...options: Options
): Options {
  for (const each of options) each.helpGroup(`${title}:`);
  return options;
}

/** Options that few people need. */
export function expert<Options extends readonly Option[]>(...options: Options): Options {
  return group(EXPERT, ...options);
}

/** Values that completion offers for options with their own parser. */
const offered = new WeakMap<Option, readonly string[]>();

/** An option with suggested values, which accepts lists of them and other values. */
export function offering<Made extends Option>(values: readonly string[], made: Made): Made {
  offered.set(made, values);
  return made;
}

/** The values that completion offers for an option; undefined without any. */
export function valuesOf(made: Option): readonly string[] | undefined {
  return made.argChoices ?? offered.get(made);
}

/** The default format of rows, in words. */
export const USUAL_ROWS = 'table on a terminal, else ndjson';

/** The `--format` option. @param usual the default, where it depends on more than the command. */
export function formatOption<Format extends string>(
  formats: readonly Format[],
  description: string,
  usual?: string,
) {
  return choiceOption('--format <format>', formats, description).default(undefined, usual);
}

export function changeFormat() {
  return formatOption(['text', 'json'], 'output format; json prints one object per change').default(
    'text',
  );
}

export function jobsOption(items: string) {
  return option(
    '--jobs <n>',
    `concurrent ${items} (default: by the rate)`,
    parseInteger(1, MAX_JOBS),
  );
}

export function rateOption() {
  return option(
    '--rate <n/duration>',
    "rate limit, such as 3000/5m (default: the service's)",
    parseRate,
  );
}

/** An argument such as `<doi>`, `[doi]` or `<doi...>`, which becomes a list. */
export function argument(name: string, description: string, parse?: Parse): Argument {
  const made = new Argument(name, description);
  if (parse === undefined) return made;
  return made.argParser((made.variadic ? checkedList : checked)(made.name(), parse));
}

export function choiceArgument(
  flags: string,
  choices: readonly string[],
  description: string,
): Argument {
  const made = new Argument(flags, description).choices(choices);
  return made.argParser((text) => {
    if (choices.includes(text)) return text;
    throw usageError(`unknown ${made.name()} '${text}'; allowed are ${choices.join(', ')}.`);
  });
}

/** The command line without the words of another command after `--`. */
export function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** The option of a command with this long or short name. */
export function optionOf(command: Command, word: string): Option | undefined {
  return command.options.find(({ short, long }) => word === short || word === long);
}

/** A command with the names of its parents: `doi-cli keys create`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/**
 * Commander's own error quotes the value, which may be a misplaced secret. Our parsers decide when
 * to quote.
 */
function checked(name: string, parse: Parse): Parse {
  return (text) => parseFrom(name, text, parse);
}

function checkedList(name: string, parse: Parse): (text: string, list?: unknown) => unknown {
  const parseItem = checked(name, parse);
  return (text, list = []) => [...(list as readonly unknown[]), parseItem(text)];
}
