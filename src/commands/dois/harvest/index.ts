import { command } from '../../../cli/declare.ts';
import {
  expert,
  formatOption,
  jobsOption,
  option,
  rateOption,
  required,
} from '../../../cli/options.ts';
import { MAX_JOBS, MAX_PAGE_SIZE, OVERLAP_MS } from '../../../core/defaults.ts';
import { parseDurationUpTo, parseInteger, parseText } from '../../../text/parsers.ts';
import { detailOption, fieldsOption, filterGroup } from '../list/index.ts';

const dirOption = option('--dir <directory>', 'directory of the copy (required)', parseText);

export const status = command({
  name: 'status',
  description: 'show the state of a copy; exits with 0 only if it is complete',
  options: [
    dirOption,
    option('--check', 'read all files back, and compare them with the receipts'),
    formatOption(['text', 'json'], 'readable text, or the receipts as JSON').default('text'),
  ],
  examples: [
    'doi-cli dois harvest status --dir caltech',
    'doi-cli dois harvest status --dir caltech --check',
  ],
  load: async () => (await import('./status.ts')).statusCommand,
});

export const verify = command({
  name: 'verify',
  description:
    'compare the DOIs of a copy with those of the service; exits with 0 only if they agree',
  options: [
    dirOption,
    ...expert(jobsOption('requests'), rateOption()),
    formatOption(
      ['text', 'json', 'ndjson'],
      'readable text, one JSON object, or one DOI per line',
    ).default('text'),
  ],
  examples: [
    'doi-cli dois harvest verify --dir caltech',
    'doi-cli dois harvest verify --dir caltech --format json > differences.json',
  ],
  load: async () => (await import('./verify.ts')).verifyCommand,
});

export const compact = command({
  name: 'compact',
  description: 'merge all generations into one, with the latest version of each DOI',
  options: [dirOption],
  examples: ['doi-cli dois harvest compact --dir caltech'],
  load: async () => (await import('./compact.ts')).compactCommand,
});

export const tables = command({
  name: 'export',
  description:
    'write the current records of a copy as tables in Parquet; run it again to update them',
  options: [
    dirOption,
    required('--out <directory>', 'directory of the tables', parseText),
    ...expert(
      option('--records', 'also write whole records as JSON text; later runs keep them'),
      option(
        '--jobs <n>',
        'files of a table to write at once (default: 2, or 1 on one core)',
        parseInteger(1, MAX_JOBS),
      ),
    ),
  ],
  examples: ['doi-cli dois harvest export --dir caltech --out tables'],
  load: async () => (await import('./export.ts')).exportCommand,
});

export const harvest = command({
  options: [
    dirOption,
    option('--gzip', 'compress the files'),
    ...expert(
      option(
        '--estimate',
        'only estimate records, requests, time and size, from a small sample',
      ).conflicts(['plan', 'shard', 'check', 'fresh']),
    ),
    option('--fresh', 'remove the existing copy and start over'),
    option('--check', 'read all files back, and fetch damaged ones again'),
    option('--yes', 'skip confirmations; --fresh needs it without a terminal'),
    formatOption(['text', 'json', 'ndjson'], 'format of the receipt or the estimate'),
    ...filterGroup(),
    ...expert(
      fieldsOption(),
      detailOption(),
      jobsOption('requests'),
      option('--page-size <n>', 'records per page', parseInteger(1, MAX_PAGE_SIZE)).default(
        MAX_PAGE_SIZE,
      ),
      rateOption(),
      option('--plan', 'only write the plan that shards share').conflicts('shard'),
      option(
        '--shard <i/n>',
        'harvest only every n-th window of the plan, from the i-th',
        parseShard,
      ),
      option(
        '--overlap <duration>',
        'how far an update looks back before the start of the last run',
        parseDurationUpTo('5000w'),
      ).default(OVERLAP_MS, '1h'),
    ),
  ],
  examples: [
    'doi-cli dois harvest --dir caltech --provider-id caltech',
    'doi-cli dois harvest --dir caltech',
    'doi-cli dois harvest --dir all --gzip',
    'doi-cli dois harvest status --dir caltech',
  ],
  commands: [status, verify, compact, tables],
  load: async () => (await import('./harvest.ts')).harvestCommand,
});

/** The number of a part and of all parts, such as `2/4`. */
function parseShard(text: string): { index: number; of: number } {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index === undefined || of === undefined || index < 1 || index > of) {
    throw new Error(
      `'${text}' is not a shard: write its number and how many there are, such as 1/4`,
    );
  }
  return { index, of };
}
