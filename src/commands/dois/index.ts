import type { CommandSpec } from '../../cli/declare.ts';
import { argument, formatOption, option } from '../../cli/options.ts';
import { parseDoi, parseInteger, parseText } from '../../text/parsers.ts';
import { harvest } from './harvest/index.ts';
import { filterOptions } from './query/filter-options.ts';
import { MAX_PAGE_SIZE } from './query/query.ts';
import { writeCommands } from './write/index.ts';

const COUNT = parseInteger(1, Number.MAX_SAFE_INTEGER);

const list = (): CommandSpec => ({
  name: 'list',
  description: 'list DOI records: one page, or all',
  options: [
    option(
      '--page-size <n>',
      'records per page, 0 to 1000 (default: 25; with --all 1000)',
      parseInteger(0, MAX_PAGE_SIZE),
    ),
    option('--page <n>', 'page to print, from 1; pages cover only the first 10,000 records', COUNT),
    option(
      '--sort <order>',
      'name, created, updated, published, title, relevance, …; a leading - reverses it',
      parseText,
    ),
    option('--limit <n>', 'maximum number of records', COUNT),
    option('--out <file>', 'write to a file, which appears only when it is complete', parseText),
    ...filterOptions(),
    option('--all', 'list all records, with cursor pagination'),
    option('--count', 'print only the number of records'),
    formatOption(
      ['table', 'json', 'ndjson', 'csv'],
      'default: table on a terminal, else ndjson; with --all ndjson',
    ),
  ],
  examples: [
    'doi-cli dois list --provider-id caltech --limit 10',
    'doi-cli dois list --all --provider-id caltech > dois.ndjson',
    'doi-cli dois list --count --created 2024',
  ],
  load: async () => (await import('./list.ts')).listDoisCommand,
});

const get = (): CommandSpec => ({
  name: 'get',
  description: 'print one DOI record',
  arguments: [argument('<doi>', 'a DOI, with or without https://doi.org/', parseDoi)],
  options: [
    formatOption(
      ['json', 'ndjson', 'bibtex', 'ris', 'citation', 'datacite-xml'],
      'json: indented; ndjson: on one line; the others are formats of the service',
    ).default('json'),
    option('--affiliation', 'affiliations and publisher as objects with identifiers, as update expects them'),
    option('--style <name>', 'citation style, such as apa or nature', parseText),
    option('--locale <locale>', 'citation language, such as en-GB', parseText),
  ],
  examples: [
    'doi-cli dois get 10.5438/0012',
    'doi-cli dois get https://doi.org/10.5438/0012',
    'doi-cli dois get 10.5438/0012 --format citation --style apa',
  ],
  load: async () => (await import('./get.ts')).getDoiCommand,
});

/** `doi-cli dois …`: DOI records. */
export const dois: CommandSpec = {
  name: 'dois',
  description: 'list, harvest, read, create and maintain DOIs',
  examples: ['doi-cli dois list --prefix 10.5438', 'doi-cli dois get 10.5438/0012'],
  commands: [list, harvest, get, ...writeCommands],
};
