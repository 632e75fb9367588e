import { Argument, Option } from 'commander';

type Parse = (text: string) => unknown;

/** An option or argument with a value that is wrong. The message names the option, and not the value. */
export class InvalidValue extends Error {}

/** An option. Its value is checked while the command line is read, before anything else happens. */
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
  // The choices appear in the help. The parser comes last, to replace the one that `choices` sets.
  return new Option(flags, description).choices(choices).argParser(checked(`'${flags}'`, parse));
}

/** The `--format` option of a command; undefined unless given. */
export function formatOption(formats: readonly string[], description: string): Option {
  return choiceOption('--format <format>', formats, description);
}

/** An argument such as `<doi>`, `[doi]` or `<doi...>`; the last becomes a list. */
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
      throw new InvalidValue(`${name}: ${(error as Error).message}`, { cause: error });
    }
  };
}

function checkedList(name: string, parse: Parse): (text: string, list?: unknown) => unknown {
  const one = checked(name, parse);
  return (text, list = []) => [...(list as readonly unknown[]), one(text)];
}
