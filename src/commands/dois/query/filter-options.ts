import { listOption, offering, option } from '../../../cli/options.ts';
import { FIELDS, FILTERS, parseFields } from '../../../core/filters.ts';
import { parseFilter } from '../../../core/other-filters.ts';
import { parseMoment } from '../../../text/parsers.ts';

/** The options that select records. */
export const filterOptions = () => [
  ...FILTERS.map(({ flags, description, parse, values }) => {
    const made = option(flags, description, parse);
    return values === undefined ? made : offering(values, made);
  }),
  option('--created-since <date>', 'records created since 7d (ago), 2024-05-01 or an ISO time', parseMoment),
  option(
    '--created-until <date>',
    'records created until a date; a day counts to its end, in UTC',
    parseMoment,
  ),
  option('--updated-since <date>', 'records created or updated since a date', parseMoment),
  option('--updated-until <date>', 'records not updated after a date', parseMoment),
  offering(FIELDS, option('--fields <a,b>', 'only these attributes of each record', parseFields)),
  listOption('--filter <name=value>', 'any other filter of the service; repeatable', parseFilter),
  option('--detail', 'more attributes, such as the numbers of views and citations'),
  option('--affiliation', 'affiliations as objects with identifiers'),
  option('--mine', 'records of the account in use, a repository or a member'),
];
