import { MOST_JOBS } from '../../../cli/jobs.ts';
import { option } from '../../../cli/options.ts';
import { parseInteger, parseRate, parseText } from '../../../text/parsers.ts';

/** The options that matter when a file holds many records. */
export const bulkOptions = () => [
  option('--jobs <n>', 'records at once (default: from the rate)', parseInteger(1, MOST_JOBS)),
  option('--rate <n/duration>', "requests in a time (default: the service's limit)", parseRate),
  option('--ledger <path>', 'where the state of each line is kept (default: beside the file)', parseText),
  option('--fail-fast', 'stop at the first record that fails').conflicts('continueOnError'),
  option('--continue-on-error', 'go on with the others when records fail (default)'),
];
