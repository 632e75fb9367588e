import { Argument, Option } from 'commander';
import { parseInteger, parseRate } from '../text/parsers.ts';

type Parse = (text: string) => unknown;

/**
 * The value of an option or argument is wrong. The message leaves out the value, which may be a misplaced
 * secret.
 */
export class InvalidValue extends Error {}

/** An option whose value is checked before the command runs. */
export function option(flags: string, description: string, parse?: Parse): Option {
  const made = new Option(flags, description);
  return parse === undefined ? made : made.argParser(checked(`'${flags}'`, parse));
}

/** A repeatable option: each value is checked and added to a list. */
export function listOption(flags: string, description: string, parse: Parse): Option {
  return new Option(flags, description).argParser(checkedList(`'${flags}'`, parse));
}

/** An option with a closed set of values. */
export function choiceOption(flags: string, choices: readonly string[], description: string): Option {
  const parse = (text: string) => {
    if (!choices.includes(text)) throw new Error(`Allowed choices are ${choices.join(', ')}.`);
    return text;
  };
  // `choices` adds the values to the help and sets a parser, which `argParser` replaces.
  return new Option(flags, description).choices(choices).argParser(checked(`'${flags}'`, parse));
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
  return option('--jobs <n>', `concurrent ${items} (default: derived from the rate)`, parseInteger(1, 64));
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
  return made.argParser((made.variadic ? checkedList : checked)(made.name(), parse));
}

function checked(name: string, parse: Parse): Parse {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidValue(`${name}: ${(error as Error).message}`);
    }
  };
}

function checkedList(name: string, parse: Parse): (text: string, list?: unknown) => unknown {
  const one = checked(name, parse);
  return (text, list = []) => [...(list as readonly unknown[]), one(text)];
}
