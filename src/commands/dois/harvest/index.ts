import type { Command } from 'commander';
import { MOST_JOBS } from '../../../cli/jobs.ts';
import { examples, formatOption, option, type Runner } from '../../../cli/options.ts';
import { parseDuration, parseInteger, parseRate, parseShard, parseText } from '../../../text/parsers.ts';
import { addFilters } from '../query/filter-options.ts';
import { LARGEST_PAGE_SIZE } from '../query/query.ts';
import type { HarvestFlags } from './harvest.ts';
import type { StatusFlags } from './status.ts';
import type { VerifyFlags } from './verify.ts';

/** `doi-cli dois harvest …`: a durable copy on disk. */
export function addHarvest(dois: Command, run: Runner): void {
  const harvest = addFilters(
    dois
      .command('harvest')
      .description(
        'a durable copy of a query on disk: run it again to continue, or to bring what changed since',
      )
      .addOption(option('--dir <directory>', 'where the copy is kept', parseText)),
  )
    .addOption(option('--jobs <n>', 'requests at once (default: from the rate)', parseInteger(1, MOST_JOBS)))
    .addOption(
      option('--page-size <n>', 'records a page', parseInteger(1, LARGEST_PAGE_SIZE)).default(
        LARGEST_PAGE_SIZE,
      ),
    )
    .addOption(option('--rate <n/duration>', "requests in a time (default: the service's limit)", parseRate))
    .option('--gzip', 'compressed files')
    .option('--plan', 'only write the plan that shards share')
    .addOption(option('--shard <i/n>', 'only every n-th window of the plan, from the i-th', parseShard))
    .option('--fresh', 'start over, and remove what is there')
    .option('--yes', 'do not ask; required with --fresh where nobody can be asked')
    .addOption(
      option(
        '--overlap <duration>',
        'an update looks back so far before the last start',
        parseDuration,
      ).default(3_600_000, '1h'),
    )
    .addHelpText(
      'after',
      examples(
        'doi-cli dois harvest --dir caltech --provider-id caltech',
        'doi-cli dois harvest --dir all --gzip --jobs 8 --rate 3000/5m',
        'doi-cli dois harvest --dir shared --plan && doi-cli dois harvest --dir shared --shard 1/4',
        'doi-cli dois harvest status --dir caltech',
      ),
    )
    .action(
      run(async (context, options: HarvestFlags) => {
        const { harvestCommand } = await import('./harvest.ts');
        await harvestCommand(context, options);
      }),
    );

  harvest
    .command('status')
    .description('what a directory holds; exit code 0 only when it is complete')
    .addOption(formatOption(['text', 'json'], 'for people, or the receipts as JSON').default('text'))
    .addHelpText('after', examples('doi-cli dois harvest status --dir caltech'))
    .action(
      run(async (context, options: StatusFlags) => {
        const { statusCommand } = await import('./status.ts');
        await statusCommand(context, options);
      }),
    );

  harvest
    .command('verify')
    .description(
      'compare the DOIs of a directory with those at the service; exit code 0 only when they are the same',
    )
    .addOption(
      formatOption(['text', 'json', 'ndjson'], 'for people, all as one object, or one DOI a line').default(
        'text',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'doi-cli dois harvest verify --dir caltech',
        'doi-cli dois harvest verify --dir caltech --format json > differences.json',
      ),
    )
    .action(
      run(async (context, options: VerifyFlags) => {
        const { verifyCommand } = await import('./verify.ts');
        await verifyCommand(context, options);
      }),
    );

  harvest
    .command('compact')
    .description('make one generation of all: the latest version of each DOI')
    .addHelpText('after', examples('doi-cli dois harvest compact --dir caltech'))
    .action(
      run(async (context, options: HarvestFlags) => {
        const { compactCommand } = await import('./compact.ts');
        await compactCommand(context, options);
      }),
    );
}
