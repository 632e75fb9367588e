import { expert, jobsOption, option, rateOption } from '../../../cli/options.ts';
import { parseText } from '../../../text/parsers.ts';

/** The options for a file with many records. */
export const bulkOptions = () => [
  ...expert(
    jobsOption('records'),
    rateOption(),
    option(
      '--ledger <path>',
      'file with the state of each line (default: next to the input file)',
      parseText,
    ),
    option('--fail-fast', 'stop at the first record that fails').conflicts('continueOnError'),
  ),
  // It says what happens anyway; scripts use it.
  option('--continue-on-error', 'continue after a record fails').hideHelp(),
];
