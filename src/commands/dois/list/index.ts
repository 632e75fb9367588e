import type { Declaration } from '../../../cli/declare.ts';
import {
  affiliationOption,
  expert,
  formatOption,
  group,
  jobsOption,
  offering,
  option,
  rateOption,
  USUAL_ROWS,
} from '../../../cli/options.ts';
import { MAX_PAGE_SIZE } from '../../../core/defaults.ts';
import { parseSort, SORTS } from '../../../core/other-filters.ts';
import { WRITTEN_FORMATS } from '../../../formats/registry.ts';
import { parseInteger, parseText } from '../../../text/parsers.ts';
import { detailOption, fieldsOption, listFilters } from '../query/filter-options.ts';

const COUNT = parseInteger(1, Number.MAX_SAFE_INTEGER);
const PAGE_SIZE = parseInteger(0, MAX_PAGE_SIZE);
const WITHOUT_COUNT = 'pageSize page sort limit format'.split(' ');
const SORT_NAMES = SORTS.filter((name) => !name.startsWith('-')).join(', ');

export const list: Declaration = {
  options: [
    ...listFilters(),
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
      formatOption(['table', ...WRITTEN_FORMATS], 'output format', USUAL_ROWS),
      option(
        '--out <file>',
        'write a complete file; its ending sets format and compression',
        parseText,
      ),
    ),
    ...expert(
      affiliationOption(),
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
};
