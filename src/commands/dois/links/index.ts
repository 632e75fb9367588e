import { command } from '../../../cli/declare.ts';
import { expert, formatOption, option, outOption, USUAL_ROWS } from '../../../cli/options.ts';
import { MAX_JOBS } from '../../../core/defaults.ts';
import { parseInteger, parseRate, parseText } from '../../../text/parsers.ts';
import { filterGroup } from '../list/index.ts';

const COUNT = parseInteger(1, Number.MAX_SAFE_INTEGER);
const ROWS = ['table', 'json', 'ndjson', 'csv'] as const;

export const checkLinks = command({
  options: [
    option('--file <path>', 'check the DOIs in this file, one per line; - for stdin', parseText),
    option('--limit <n>', 'maximum number of records', COUNT),
    option('--exit-code', 'exit with 1 if a URL is broken'),
    outOption('write all results to a file, and continue a run that was stopped'),
    formatOption(ROWS, 'output format; a table shows what is broken', USUAL_ROWS),
    ...filterGroup(),
    ...expert(
      option('--rate <n/duration>', 'rate limit for each host', parseRate).default(
        parseRate('1/s'),
        '1/1s',
      ),
      option('--jobs <n>', 'number of URLs to check at once', parseInteger(1, MAX_JOBS)).default(8),
      option('--allow-private', 'check loopback and private addresses as well'),
    ),
  ],
  examples: [
    'doi-cli dois check-links --mine --limit 2',
    'doi-cli dois check-links --mine --limit 2 | grep \'"ok":false\'',
    'doi-cli dois check-links --file dois.txt --out links.csv',
  ],
  load: async () => (await import('./check-links.ts')).checkLinksCommand,
});
