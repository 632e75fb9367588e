import type { Command } from 'commander';
import { listOption, option } from '../../../cli/options.ts';
import { parsePrefixes, parseStates, parseText, parseYears } from '../../../text/parsers.ts';
import { parseFields, parseFilter } from './query.ts';

/** The options that say which records. */
export function addFilters(command: Command): Command {
  for (const [flags, description, parse] of [
    ['--provider-id <id>', 'records of a provider', parseText],
    ['--client-id <id>', 'records of a repository account', parseText],
    ['--prefix <prefix>', 'records with a DOI prefix', parsePrefixes],
    ['--state <state>', 'findable, registered, draft; comma-separated', parseStates],
    ['--query <query>', 'a query in Lucene syntax', parseText],
    ['--created <years>', 'years such as 2019 or 2017,2019', parseYears],
    ['--registered <years>', 'years such as 2019 or 2017,2019', parseYears],
    ['--resource-type-id <id>', 'records of a resource type, such as dataset', parseText],
    ['--fields <a,b>', 'only these attributes of each record', parseFields],
  ] as const) {
    command.addOption(option(flags, description, parse));
  }
  return command
    .addOption(
      listOption('--filter <name=value>', 'any other filter of the service; repeatable', parseFilter),
    )
    .option('--detail', 'more about each record, such as counts of views and citations')
    .option('--affiliation', 'affiliations as objects with their identifiers')
    .option('--mine', 'records of the account in use');
}
