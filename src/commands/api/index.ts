import { command } from '../../cli/declare.ts';
import type { TypedOption } from '../../cli/option-types.ts';
import { argument, expert, listOption, offering, option } from '../../cli/options.ts';
import { parseText } from '../../text/parsers.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const api = command({
  arguments: [argument('<path>', 'the endpoint below the base URL, such as /events?doi=10.5072/x')],
  options: [
    offering(
      METHODS,
      option('--method <verb>', METHODS.join(', '), parseMethod).default(
        undefined,
        'GET; POST with --input',
      ),
    ),
    listOption(
      '--field <name=value>',
      'a parameter of the query, or without --input a member of the JSON body of POST, PUT and' +
        ' PATCH, such as data[type]=dois; repeatable',
      parseText,
    ),
    inputOption(),
    option('--paginate', 'print the records of all pages as NDJSON'),
    option('--yes', 'send other requests than GET without asking'),
    ...expert(
      listOption('--header <name: value>', 'a header of the request; repeatable', parseText),
    ),
  ],
  examples: [
    'doi-cli api /heartbeat',
    'doi-cli api /events --paginate --field prefix=10.5072 > events.ndjson',
    'doi-cli api /prefixes/10.5072',
    'doi-cli api /dois/10.5072/abc --method DELETE --yes',
  ],
  load: async () => (await import('./api.ts')).apiCommand,
});

/** By default, commander would treat it as the opposite of `--no-input`. */
function inputOption() {
  const made = option('--input <file>', 'the JSON to send (- for stdin)', parseText);
  made.attributeName = () => 'inputFile';
  return made as TypedOption<{ readonly inputFile?: string }>;
}

function parseMethod(text: string): (typeof METHODS)[number] {
  const method = METHODS.find((each) => each === text.toUpperCase());
  if (method !== undefined) return method;
  throw new Error(`'${text}' is not one of ${METHODS.join(', ')}`);
}
