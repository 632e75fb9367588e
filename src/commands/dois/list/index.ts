import { command } from '../../../cli/declare.ts';
import type { TypedOption } from '../../../cli/option-types.ts';
import {
  EXPERT,
  expert,
  formatOption,
  group,
  jobsOption,
  LISTED_FILTERS,
  listOption,
  offering,
  option,
  outOption,
  rateOption,
  USUAL_ROWS,
} from '../../../cli/options.ts';
import type { DatedOptions } from '../../../core/dates.ts';
import { MAX_PAGE_SIZE } from '../../../core/defaults.ts';
import { FIELDS, parseFields } from '../../../core/filter-values.ts';
import { FILTERS, type Filters } from '../../../core/filters.ts';
import { FILTER_STARTS, parseFilter, parseSort, SORTS } from '../../../core/other-filters.ts';
import { WRITTEN_FORMATS } from '../../../formats/registry.ts';
import { parseDateRange } from '../../../text/moment.ts';
import { parseInteger, parseList, parseText } from '../../../text/parsers.ts';
import type { FilterOptions } from '../query/filters.ts';

const COUNT = parseInteger(1, Number.MAX_SAFE_INTEGER);
const PAGE_SIZE = parseInteger(0, MAX_PAGE_SIZE);
/** The list of all columns is loaded by the command. */
const parseColumns = (text: string) =>
  parseList(parseText(text), (name) =>
    /^\w+$/.test(name) ? undefined : 'the name of a column such as title',
  );
const WITHOUT_COUNT = 'pageSize page sort limit format columns'.split(' ');
const SORT_NAMES = SORTS.filter((name) => !name.startsWith('-')).join(', ');

type Selection = Omit<DatedOptions<FilterOptions>, 'fields' | 'detail'>;

/** The filter options of a command. Only the help of `dois list` lists the everyday ones. */
export const filterGroup = (title = LISTED_FILTERS): readonly TypedOption<Selection>[] => [
  ...FILTERS.map(({ flags, description, parse, values, isExpert }) => {
    const made: TypedOption<Selection> = option(flags, description, parse);
    group(isExpert ? EXPERT : title, made);
    return values === undefined ? made : offering(values, made);
  }),
  ...group(
    title,
    // --mine is a filter by client-id or provider-id: another one would widen the list (service.md,
    // F5).
    option('--mine', 'records of the account in use').conflicts(['clientId', 'providerId']),
    option(
      '--created <dates>',
      'date of creation: 2019, 2024-05, 7d.. or 2017..2019',
      parseDateRange,
    ),
    option('--registered <dates>', 'date of registration, such as 2017..2019', parseDateRange),
    option('--updated <dates>', 'date of the latest change, such as 7d..', parseDateRange),
    offering(
      FILTER_STARTS,
      listOption('--filter <name=value>', 'another filter; repeatable', parseFilter),
    ),
  ),
];

export const fieldsOption = (): TypedOption<Pick<Filters, 'fields'>> =>
  offering(FIELDS, option('--fields <a,b>', 'only these attributes of each record', parseFields));

export const detailOption = (): TypedOption<Pick<Filters, 'detail'>> =>
  option('--detail', 'more attributes, such as the numbers of views and citations');

export const list = command({
  options: [
    ...filterGroup('Filters'),
    ...group(
      'Pages',
      option('--all', 'list all records, with cursor pagination').conflicts(['page', 'sort']),
      option('--limit <n>', 'maximum number of records', COUNT),
      option(
        '--page <n>',
        'page to print, from 1; pages cover only the first 10,000 records',
        COUNT,
      ),
      offering(
        SORTS,
        option('--sort <order>', `${SORT_NAMES}; a leading - reverses it`, parseSort),
      ),
    ),
    ...group(
      'Output',
      option('--count', 'print only the number of records').conflicts(WITHOUT_COUNT),
      fieldsOption(),
      option(
        '--columns <a,b>',
        'columns for people, such as doi,title,creators,year,type,url',
        parseColumns,
      ).conflicts('fields'),
      formatOption(['table', ...WRITTEN_FORMATS], 'output format', USUAL_ROWS),
      outOption('write a complete file; its ending sets format and compression'),
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
  load: async () => (await import('./list.ts')).listDoisCommand,
});
