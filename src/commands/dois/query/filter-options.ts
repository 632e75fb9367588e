import {
  expert,
  group,
  LISTED_FILTERS,
  listOption,
  offering,
  option,
} from '../../../cli/options.ts';
import { FIELDS, FILTERS, parseFields } from '../../../core/filters.ts';
import { FILTER_STARTS, parseFilter } from '../../../core/other-filters.ts';
import { parseDateRange, parseMoment } from '../../../text/moment.ts';

/** Filters of years. As options they take any dates, which may become a part of the query. */
const YEARS: readonly string[] = ['created', 'registered'];

const filterOptions = () => [
  ...FILTERS.filter(({ name }) => !YEARS.includes(name)).map(
    ({ flags, description, parse, values }) => {
      const made = option(flags, description, parse);
      return values === undefined ? made : offering(values, made);
    },
  ),
  // They are the account of --mine, of a repository or a member, and would widen the list
  // (service.md, F5).
  option('--mine', 'records of the account in use').conflicts(['clientId', 'providerId']),
  option(
    '--created <dates>',
    'date of creation: 2019, 2024-05, 7d.. or 2017..2019',
    parseDateRange,
  ),
  option('--registered <dates>', 'date of registration, such as 2017..2019', parseDateRange),
  option('--updated <dates>', 'date of the latest change, such as 7d..', parseDateRange),
  offering(
    FILTER_STARTS,
    listOption('--filter <name=value>', 'another filter; repeatable', parseFilter),
  ),
  // Scripts use these, one for each bound.
  ...['--created-since', '--created-until', '--updated-since', '--updated-until'].map((name) =>
    option(`${name} <date>`, 'a bound of the range', parseMoment).hideHelp(),
  ),
];

const EXPERT_FLAGS = FILTERS.filter(({ isExpert }) => isExpert).map(({ flags }) => flags);

/** The filters of `dois list`, whose help explains them for all commands. */
export const listFilters = () => {
  const options = filterOptions();
  const isExpert = ({ flags }: { readonly flags: string }) => EXPERT_FLAGS.includes(flags);
  return [
    ...group('Filters', ...options.filter((each) => !isExpert(each))),
    ...expert(...options.filter(isExpert)),
  ];
};

/** The filters of every other command, whose everyday help refers to `dois list`. */
export const filterGroup = () => group(LISTED_FILTERS, ...filterOptions());

export const fieldsOption = () =>
  offering(FIELDS, option('--fields <a,b>', 'only these attributes of each record', parseFields));

export const detailOption = () =>
  option('--detail', 'more attributes, such as the numbers of views and citations');
