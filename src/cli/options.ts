import { Argument, Option } from 'commander';
import { MAX_JOBS } from '../core/defaults.ts';
import { didYouMean } from '../text/closest.ts';
import { parseInteger, parseRate } from '../text/parsers.ts';

type Parse = (text: string) => unknown;

/** Options that have a short form, in every command that has them. */
const SHORT: Readonly<Record<string, string>> = {
  '--out': '-o',
  '--file': '-f',
  '--yes': '-y',
  '--quiet': '-q',
};

/**
 * The value of an option or argument is wrong. The message leaves out the value, which may be a misplaced
 * secret.
 */
export class InvalidValue extends Error {
  /** The value of an argument, which may be the name of a file; undefined for an option. */
  readonly operand: string | undefined;

  constructor(message: string, operand?: string) {
    super(message);
    this.operand = operand;
  }
}

/** An option whose value is checked before the command runs. */
export function option(flags: string, description: string, parse?: Parse): Option {
  const made = optionOf(flags, description);
  return parse === undefined ? made : made.argParser(checked(`'${flags}'`, parse));
}

/** A repeatable option: each value is checked and added to a list. */
export function listOption(flags: string, description: string, parse: Parse): Option {
  return optionOf(flags, description).argParser(checkedList(`'${flags}'`, parse));
}

/** An option with a closed set of values. */
export function choiceOption(flags: string, choices: readonly string[], description: string): Option {
  const [, noun = 'value'] = /<(.*)>/.exec(flags) ?? [];
  // `choices` adds the values to the help and sets a parser, which `argParser` replaces.
  return optionOf(flags, description)
    .choices(choices)
    .argParser(checked(`'${flags}'`, oneOf(choices, noun)));
}

/** What completion offers for options that check their values by a rule of their own. */
const offered = new WeakMap<Option, readonly string[]>();

/** An option whose values are known, although it takes several of them, or others too. */
export function offering(values: readonly string[], made: Option): Option {
  offered.set(made, values);
  return made;
}

/** The values that completion offers for an option; undefined where they are not known. */
export function valuesOf(made: Option): readonly string[] | undefined {
  return made.argChoices ?? offered.get(made);
}

/** The `--format` option. */
export function formatOption(formats: readonly string[], description: string): Option {
  return choiceOption('--format <format>', formats, description);
}

/** The `--format` option of a command that changes something. */
export function changeFormat(): Option {
  return formatOption(['text', 'json'], 'readable text, or one object for each change').default('text');
}

/** The `--jobs` option, for concurrent `requests` or `records`. */
export function jobsOption(items: string): Option {
  return option(
    '--jobs <n>',
    `concurrent ${items} (default: derived from the rate)`,
    parseInteger(1, MAX_JOBS),
  );
}

/** The `--rate` option of requests to the service. */
export function rateOption(): Option {
  return option(
    '--rate <n/duration>',
    "rate limit, such as 3000/5m (default: the service's limit)",
    parseRate,
  );
}

/** An argument such as `<doi>`, `[doi]` or `<doi...>`, which becomes a list. */
export function argument(name: string, description: string, parse?: Parse): Argument {
  const made = new Argument(name, description);
  if (parse === undefined) return made;
  return made.argParser((made.variadic ? checkedList : checked)(made.name(), parse, true));
}

/** An argument with a closed set of values. */
export function choiceArgument(flags: string, choices: readonly string[], description: string): Argument {
  const made = new Argument(flags, description).choices(choices);
  return made.argParser(checked(made.name(), oneOf(choices, made.name())));
}

function optionOf(flags: string, description: string): Option {
  const short = SHORT[flags.split(' ')[0] ?? ''];
  return new Option(short === undefined ? flags : `${short}, ${flags}`, description);
}

function oneOf(choices: readonly string[], noun: string): Parse {
  return (text) => {
    if (choices.includes(text)) return text;
    const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
    const meant = didYouMean(text, choices);
    throw new Error(`'${text}' is not ${article} ${noun}; the ${noun}s are ${choices.join(', ')}${meant}`);
  };
}

function checked(name: string, parse: Parse, isOperand = false): Parse {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidValue(`${name}: ${(error as Error).message}`, isOperand ? text : undefined);
    }
  };
}

function checkedList(
  name: string,
  parse: Parse,
  isOperand = false,
): (text: string, list?: unknown) => unknown {
  const one = checked(name, parse, isOperand);
  return (text, list = []) => [...(list as readonly unknown[]), one(text)];
}
