import { listOption, offering, option } from '../../../cli/options.ts';
import {
  FIELDS,
  parseClientIds,
  parseFields,
  parseFilter,
  parseProviderIds,
  parseResourceTypes,
  RESOURCE_TYPES,
} from '../../../core/filters.ts';
import { parseMoment } from '../../../text/moment.ts';
import { parsePrefixes, parseStates, parseText, parseYears, STATES } from '../../../text/parsers.ts';

/** The options that select records. */
export const filterOptions = () => [
  option('--provider-id <id>', 'records of a provider', parseProviderIds),
  option('--client-id <id>', 'records of a repository account', parseClientIds),
  option('--prefix <prefix>', 'records with a DOI prefix', parsePrefixes),
  offering(STATES, option('--state <state>', 'findable, registered, draft; comma-separated', parseStates)),
  option('--query <query>', 'a query in Lucene syntax', parseText),
  option('--created <years>', 'records created in years such as 2019 or 2017,2019', parseYears),
  option('--registered <years>', 'records registered in years such as 2019 or 2017,2019', parseYears),
  option('--created-since <date>', 'records created since 7d (ago), 2024-05-01 or an ISO time', parseMoment),
  option(
    '--created-until <date>',
    'records created until a date; a day counts to its end, in UTC',
    parseMoment,
  ),
  option('--updated-since <date>', 'records created or updated since a date', parseMoment),
  option('--updated-until <date>', 'records not updated after a date', parseMoment),
  offering(
    RESOURCE_TYPES,
    option('--resource-type-id <id>', 'records of a resource type, such as dataset', parseResourceTypes),
  ),
  offering(FIELDS, option('--fields <a,b>', 'only these attributes of each record', parseFields)),
  listOption('--filter <name=value>', 'any other filter of the service; repeatable', parseFilter),
  option('--detail', 'more attributes, such as the numbers of views and citations'),
  option('--affiliation', 'affiliations as objects with identifiers'),
  option('--mine', 'records of the account in use, a repository or a member'),
];
