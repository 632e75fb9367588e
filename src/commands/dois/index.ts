import type { Command } from 'commander';
import { argument, examples, formatOption, option, type Runner, type Wanted } from '../../cli/options.ts';
import { parseDoi, parseInteger, parseText } from '../../text/parsers.ts';
import type { GetOptions } from './get.ts';
import { addHarvest } from './harvest/index.ts';
import { addFilters } from './query/filter-options.ts';
import { LARGEST_PAGE_SIZE, type ListOptions } from './query/query.ts';
import { addMaintenance } from './write/index.ts';

const COUNT = parseInteger(1, Number.MAX_SAFE_INTEGER);

/** `doi-cli dois …`: DOI records. */
export function addDois(program: Command, run: Runner, wanted: Wanted): void {
  const dois = program
    .command('dois')
    .description('list, harvest, read, create and maintain DOIs')
    .addHelpText('after', examples('doi-cli dois list --prefix 10.5438', 'doi-cli dois get 10.5438/0012'));
  if (!wanted(dois)) return;
  addList(dois, run);
  addHarvest(dois, run);

  dois
    .command('get')
    .description('print one DOI record')
    .argument('<doi>', 'a DOI, bare or as https://doi.org/…', argument(parseDoi))
    .addOption(
      formatOption(
        ['json', 'ndjson', 'bibtex', 'ris', 'citation', 'datacite-xml'],
        'JSON laid out for people or on one line, or another format of the service',
      ).default('json'),
    )
    .option(
      '--affiliation',
      'affiliations and publisher as objects with their identifiers, as update takes them',
    )
    .addOption(option('--style <name>', 'style of a citation, such as apa or nature', parseText))
    .addOption(option('--locale <locale>', 'language of a citation, such as en-GB', parseText))
    .addHelpText(
      'after',
      examples(
        'doi-cli dois get 10.5438/0012',
        'doi-cli dois get https://doi.org/10.5438/0012',
        'doi-cli dois get 10.5438/0012 --format citation --style apa',
      ),
    )
    .action(
      run(async (context, doi: string, options: GetOptions) => {
        const { getDoiCommand } = await import('./get.ts');
        await getDoiCommand(context, doi, options);
      }),
    );
  addMaintenance(dois, run);
}

function addList(dois: Command, run: Runner): void {
  const list = dois.command('list').description('list DOI records, one page or every one of them');
  for (const [flags, description, parse] of [
    [
      '--page-size <n>',
      'records a page, 0 to 1000 (default: 25; with --all 1000)',
      parseInteger(0, LARGEST_PAGE_SIZE),
    ],
    ['--page <n>', 'the page to print, from 1; the pages reach the first 10,000 records', COUNT],
    [
      '--sort <order>',
      'name, created, updated, published, title, relevance, …; with - the other way',
      parseText,
    ],
    ['--limit <n>', 'at most so many records', COUNT],
    ['--out <file>', 'write to a file, which appears complete or not at all', parseText],
  ] as const) {
    list.addOption(option(flags, description, parse));
  }
  addFilters(list)
    .option('--all', 'every record, through cursor pagination')
    .option('--count', 'only the number of records')
    .addOption(
      formatOption(
        ['table', 'json', 'ndjson', 'csv'],
        'default: table on a terminal, else ndjson; with --all ndjson',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'doi-cli dois list --provider-id caltech --limit 10',
        'doi-cli dois list --all --provider-id caltech > dois.ndjson',
        'doi-cli dois list --count --created 2024',
      ),
    )
    .action(
      run(async (context, options: ListOptions) => {
        const { listDoisCommand } = await import('./list.ts');
        await listDoisCommand(context, options);
      }),
    );
}
