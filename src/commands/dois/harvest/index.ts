import type { CommandSpec } from '../../../cli/declare.ts';
import { MOST_JOBS } from '../../../cli/jobs.ts';
import { formatOption, option } from '../../../cli/options.ts';
import { parseDuration, parseInteger, parseRate, parseShard, parseText } from '../../../text/parsers.ts';
import { filterOptions } from '../query/filter-options.ts';
import { LARGEST_PAGE_SIZE } from '../query/query.ts';

const status = (): CommandSpec => ({
  name: 'status',
  description: 'what a directory holds; exit code 0 only when it is complete',
  options: [formatOption(['text', 'json'], 'for people, or the receipts as JSON').default('text')],
  examples: ['doi-cli dois harvest status --dir caltech'],
  load: async () => (await import('./status.ts')).statusCommand,
});

const verify = (): CommandSpec => ({
  name: 'verify',
  description:
    'compare the DOIs of a directory with those at the service; exit code 0 only when they are the same',
  options: [
    formatOption(['text', 'json', 'ndjson'], 'for people, all as one object, or one DOI a line').default(
      'text',
    ),
  ],
  examples: [
    'doi-cli dois harvest verify --dir caltech',
    'doi-cli dois harvest verify --dir caltech --format json > differences.json',
  ],
  load: async () => (await import('./verify.ts')).verifyCommand,
});

const compact = (): CommandSpec => ({
  name: 'compact',
  description: 'make one generation of all: the latest version of each DOI',
  examples: ['doi-cli dois harvest compact --dir caltech'],
  load: async () => (await import('./compact.ts')).compactCommand,
});

/** `doi-cli dois harvest …`: a durable copy on disk. */
export const harvest = (): CommandSpec => ({
  name: 'harvest',
  description: 'a durable copy of a query on disk: run it again to continue, or to bring what changed since',
  options: [
    option('--dir <directory>', 'where the copy is kept', parseText),
    ...filterOptions(),
    option('--jobs <n>', 'requests at once (default: from the rate)', parseInteger(1, MOST_JOBS)),
    option('--page-size <n>', 'records a page', parseInteger(1, LARGEST_PAGE_SIZE)).default(
      LARGEST_PAGE_SIZE,
    ),
    option('--rate <n/duration>', "requests in a time (default: the service's limit)", parseRate),
    option('--gzip', 'compressed files'),
    option('--plan', 'only write the plan that shards share'),
    option('--shard <i/n>', 'only every n-th window of the plan, from the i-th', parseShard),
    option('--fresh', 'start over, and remove what is there'),
    option('--yes', 'do not ask; required with --fresh where nobody can be asked'),
    option(
      '--overlap <duration>',
      'an update looks back so far before the last start',
      parseDuration,
    ).default(3_600_000, '1h'),
  ],
  examples: [
    'doi-cli dois harvest --dir caltech --provider-id caltech',
    'doi-cli dois harvest --dir all --gzip --jobs 8 --rate 3000/5m',
    'doi-cli dois harvest --dir shared --plan && doi-cli dois harvest --dir shared --shard 1/4',
    'doi-cli dois harvest status --dir caltech',
  ],
  commands: [status, verify, compact],
  load: async () => (await import('./harvest.ts')).harvestCommand,
});
