import { MOST_JOBS } from '../../../cli/jobs.ts';
import { option } from '../../../cli/options.ts';
import { parseInteger, parseRate, parseText } from '../../../text/parsers.ts';

/** The options for a file with many records. */
export const bulkOptions = () => [
  option('--jobs <n>', 'concurrent records (default: derived from the rate)', parseInteger(1, MOST_JOBS)),
  option('--rate <n/duration>', "rate limit, such as 3000/5m (default: the service's limit)", parseRate),
  option('--ledger <path>', 'file with the state of each line (default: next to the input file)', parseText),
  option('--fail-fast', 'stop at the first record that fails').conflicts('continueOnError'),
  option('--continue-on-error', 'continue after a record fails (default)'),
];
