import type { OtherFormat } from '../../api/doi-formats.ts';
import type { CommandSpec } from '../../cli/declare.ts';
import {
  argument,
  expert,
  formatOption,
  group,
  jobsOption,
  offering,
  option,
  rateOption,
  USUAL_ROWS,
} from '../../cli/options.ts';
import { MAX_JOBS, MAX_PAGE_SIZE } from '../../core/defaults.ts';
import { parseSort, SORTS } from '../../core/filters.ts';
import { parseDoi, parseInteger, parseRate, parseText } from '../../text/parsers.ts';
import { harvest } from './harvest/index.ts';
import { detailOption, filterGroup, filterOptions, shapeOptions } from './query/filter-options.ts';
import { COPY_NAMES, NAMES, parseDimensions } from './stats/dimensions.ts';
import { writeCommands } from './write/index.ts';

const OTHER_FORMATS: readonly OtherFormat[] = [
  ...(['bibtex', 'ris', 'citation', 'datacite-xml', 'datacite-json', 'citeproc'] as const),
  ...(['schema-org', 'codemeta', 'crosscite', 'jats', 'csv'] as const),
];
/** Common styles, for completion; there are thousands. */
const STYLES =
  'apa chicago-author-date harvard-cite-them-right ieee modern-language-association vancouver'.split(' ');
const doiArgument = argument('<doi>', 'a DOI, with or without https://doi.org/', parseDoi);
const COUNT = parseInteger(1, Number.MAX_SAFE_INTEGER);
const PAGE_SIZE = parseInteger(0, MAX_PAGE_SIZE);
const ROWS = ['table', 'json', 'ndjson', 'csv'];
const WITHOUT_COUNT = 'pageSize page sort limit format'.split(' ');
const SORT_NAMES = SORTS.filter((name) => !name.startsWith('-')).join(', ');
const USUAL_DIMENSIONS = 'state,type,created,client,license';

const list: CommandSpec = {
  name: 'list',
  description: 'list DOI records: one page, or all',
  options: [
    ...group('Filters', ...filterOptions()),
    ...group(
      'Pages',
      option('--all', 'list all records, with cursor pagination').conflicts(['page', 'sort']),
      option('--limit <n>', 'maximum number of records', COUNT),
      option('--page <n>', 'page to print, from 1; pages cover only the first 10,000 records', COUNT),
      offering(SORTS, option('--sort <order>', `${SORT_NAMES}; a leading - reverses it`, parseSort)),
    ),
    ...group(
      'Output',
      option('--count', 'print only the number of records').conflicts(WITHOUT_COUNT),
      ...shapeOptions(),
      formatOption(['table', 'json', 'ndjson', 'csv', 'tsv', 'parquet'], 'output format', USUAL_ROWS),
      option('--out <file>', 'write a complete file; its ending sets format and compression', parseText),
    ),
    ...expert(
      detailOption(),
      option('--page-size <n>', 'records per page (default: 25; with --all 1000)', PAGE_SIZE),
      jobsOption('cursors with --all'),
      rateOption(),
    ),
  ],
  examples: [
    'doi-cli dois list --provider-id caltech --limit 10',
    'doi-cli dois list --all --provider-id caltech > dois.ndjson',
    'doi-cli dois list --count --created 2024',
  ],
  load: async () => (await import('./list/list.ts')).listDoisCommand,
};

const get: CommandSpec = {
  name: 'get',
  description: 'print DOI records, several as one file',
  arguments: [argument('[doi...]', 'one or more DOIs, with or without https://doi.org/', parseDoi)],
  options: [
    option('--file <path>', 'DOIs, records or results, one per line; - for stdin', parseText),
    formatOption(
      ['text', 'json', 'ndjson', 'url', ...OTHER_FORMATS],
      'readable text, JSON, the URL alone, or a format of the service',
      'text on a terminal, else json, or ndjson for several',
    ),
    option('--web', 'open the landing page in the browser').conflicts('format'),
    option('--affiliation', 'affiliations and publisher with identifiers, as update expects them'),
    offering(STYLES, option('--style <name>', 'name of a CSL citation style, such as ieee', parseText)),
    ...expert(option('--locale <locale>', 'citation language, such as en-GB', parseText)),
  ],
  examples: [
    'doi-cli dois get 10.5438/0012',
    'doi-cli dois get https://doi.org/10.5438/0012',
    'doi-cli dois get 10.5438/0012 --format citation --style apa',
    'doi-cli dois get 10.5072/found --format url',
    'doi-cli dois get 10.5072/found --web',
    'doi-cli dois get --file dois.txt --format bibtex > references.bib',
  ],
  load: async () => (await import('./get.ts')).getDoiCommand,
};

const history: CommandSpec = {
  name: 'history',
  description: 'list the changes of a DOI record, oldest first',
  arguments: [doiArgument],
  options: [formatOption(ROWS, 'output format', USUAL_ROWS)],
  examples: ['doi-cli dois history 10.5072/found', 'doi-cli dois history 10.5072/found --format table'],
  load: async () => (await import('./history.ts')).historyCommand,
};

const stats: CommandSpec = {
  name: 'stats',
  description: 'count what a query or a copy holds, by year, state, type, repository and more',
  options: [
    offering(
      COPY_NAMES,
      option(
        '--by <a,b>',
        `what to count by: ${NAMES.join(', ')}; in a copy also publisher, funding.funder, creators.orcid and other columns`,
        parseDimensions,
      ).default(USUAL_DIMENSIONS.split(','), USUAL_DIMENSIONS),
    ),
    option('--dir <directory>', 'count the records of a copy on disk instead', parseText),
    option('--out <file>', 'write to a file: .html (a page with charts), .json or .csv', parseText),
    formatOption(['table', 'json', 'csv', 'html'], 'output format', 'table on a terminal, else json'),
    ...filterGroup(),
  ],
  examples: [
    'doi-cli dois stats --provider-id caltech',
    'doi-cli dois stats --mine --by created,type --format csv',
    'doi-cli dois stats --client-id cern.zenodo --out report.html',
    'doi-cli dois stats --dir caltech --by funding.funder --created 2024..',
  ],
  load: async () => (await import('./stats/stats.ts')).statsCommand,
};

const checkLinks: CommandSpec = {
  name: 'check-links',
  description: 'check whether the URL of each DOI answers',
  options: [
    option('--file <path>', 'check the DOIs in this file, one per line; - for stdin', parseText),
    option('--limit <n>', 'maximum number of records', COUNT),
    option('--exit-code', 'exit with 1 if a URL is broken'),
    option('--out <file>', 'write all results to a file, and continue a run that was stopped', parseText),
    formatOption(ROWS, 'output format; a table shows what is broken', USUAL_ROWS),
    ...filterGroup(),
    ...expert(
      option('--rate <n/duration>', 'rate limit for each host', parseRate).default(parseRate('1/s'), '1/1s'),
      option('--jobs <n>', 'number of URLs to check at once', parseInteger(1, MAX_JOBS)).default(8),
      option('--allow-private', 'check loopback and private addresses, too'),
    ),
  ],
  examples: [
    'doi-cli dois check-links --mine --limit 2',
    'doi-cli dois check-links --mine --limit 2 | grep \'"ok":false\'',
    'doi-cli dois check-links --file dois.txt --out links.csv',
  ],
  load: async () => (await import('./links/check-links.ts')).checkLinksCommand,
};

export const dois: CommandSpec = {
  name: 'dois',
  description: 'list, harvest, read, create and maintain DOIs',
  examples: ['doi-cli dois list --prefix 10.5438', 'doi-cli dois get 10.5438/0012'],
  commands: [list, harvest, stats, get, history, checkLinks, ...writeCommands],
};
