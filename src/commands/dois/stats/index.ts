import { command } from '../../../cli/declare.ts';
import { formatOption, offering, option, outOption } from '../../../cli/options.ts';
import { COPY_NAMES, NAMES, parseDimensions, USUAL_NAMES } from '../../../core/stats/dimensions.ts';
import { parseText } from '../../../text/parsers.ts';
import { filterGroup } from '../list/index.ts';

const MORE_IN_COPY = 'in a copy also publisher, funding.funder, creators.orcid and other columns';
const USUAL = `${USUAL_NAMES.join(',')}; in .html also completeness and affiliation`;

export const stats = command({
  options: [
    offering(
      COPY_NAMES,
      option(
        '--by <a,b>',
        `what to count by: ${NAMES.join(', ')}; ${MORE_IN_COPY}`,
        parseDimensions,
      ).default(undefined, USUAL),
    ),
    option('--dir <directory>', 'count the records of a copy on disk instead', parseText),
    outOption('write to a file: .html (a page with charts), .json or .csv'),
    formatOption(
      ['table', 'json', 'csv', 'html'],
      'output format',
      'table on a terminal, else json',
    ),
    ...filterGroup(),
  ],
  examples: [
    'doi-cli dois stats --provider-id caltech',
    'doi-cli dois stats --mine --by created,type --format csv',
    'doi-cli dois stats --client-id cern.zenodo --out report.html',
    'doi-cli dois stats --mine --by completeness',
    'doi-cli dois stats --dir caltech --by funding.funder --created 2024..',
  ],
  load: async () => (await import('./stats.ts')).statsCommand,
});
