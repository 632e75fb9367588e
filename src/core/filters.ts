import { AS_OBJECTS } from '../api/dois.ts';
import type { Credentials } from '../api/service.ts';
import { CliError, usageError } from '../errors.ts';
import { WIDENING } from '../harvest/walk/filter-check.ts';
import { combinedQuery, type Params } from '../harvest/walk/query-params.ts';
import { parsePrefixes } from '../text/doi.ts';
import { parseText } from '../text/parsers.ts';
import {
  type Naming,
  parseClientIds,
  parseProviderIds,
  parseResourceTypes,
  parseStates,
  RESOURCE_TYPE_IDS,
  STATES,
} from './filter-values.ts';

/**
 * Selects the DOI records that match all of these filters; without filters, all that the
 * credentials may read. A filter accepts several values, comma-separated: a record matches one.
 */
export interface DoiQuery {
  /** Providers, such as `caltech`. With {@link clientId}, records of either are listed. */
  readonly providerId?: string | undefined;
  /** Repository accounts, such as `caltech.library`. */
  readonly clientId?: string | undefined;
  /** DOI prefixes, such as `10.5072`. */
  readonly prefix?: string | undefined;
  /** `findable`, `registered` or `draft`; by default all states that the credentials may read. */
  readonly state?: string | undefined;
  /** A query in Lucene syntax, such as `titles.title:lake AND updated:[2024-05-01 TO *]`. */
  readonly query?: string | undefined;
  /**
   * Dates of creation in UTC: a year, a month, a day, a time, an age, or a range of two of these,
   * such as `2019`, `2024-05-01..2024-06`, `..2023` or `7d..`. `2017,2019` means `2017..2019`.
   */
  readonly created?: string | undefined;
  /** Dates of registration, in the same forms. */
  readonly registered?: string | undefined;
  /** Dates of the latest change, in the same forms. */
  readonly updated?: string | undefined;
  /** Resource types, such as `dataset`. */
  readonly resourceTypeId?: string | undefined;
  /** Other filters of the service by their names, such as `{ 'has-citations': '1' }`. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /** The only attributes that the records have, such as `['titles', 'url']`; all by default. */
  readonly fields?: readonly string[] | undefined;
  /** More attributes, such as the numbers of views and citations. */
  readonly detail?: boolean | undefined;
}

/** The filters that take dates. They become years or a part of the query, see `withDates`. */
export const DATES = ['created', 'registered', 'updated'] as const;

/** Filters whose values have been checked. Dates are years for the service (service.md, F3). */
export type Filters = {
  readonly [Name in keyof Omit<DoiQuery, 'filter' | 'updated'>]?: NonNullable<DoiQuery[Name]>;
} & { readonly filter?: readonly Pair[] };

/** A parameter for a filter that has no option. */
export type Pair = readonly [name: string, value: string];

type TextName = Exclude<keyof DoiQuery, (typeof DATES)[number] | 'filter' | 'fields' | 'detail'>;
/** `provider-id` for `providerId`. */
type OptionName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${OptionName<Rest>}`
  : Name;

/** A filter: a member of {@link DoiQuery}, a parameter of the service, and an option. */
interface Filter {
  readonly name: TextName;
  readonly param: string;
  readonly flags: string;
  readonly description: string;
  /** @throws {Error} for a value that the service would misread. */
  readonly parse: (text: string, naming?: Naming) => string;
  /** The values that completion offers. */
  readonly values?: readonly string[];
  /** Whether only `dois list --help --all` shows the option. */
  readonly isExpert?: boolean;
}

const filter = <Name extends TextName>(
  name: Name,
  flags: `--${OptionName<Name>} <${string}>`,
  description: string,
  parse: Filter['parse'],
  more: Pick<Filter, 'values' | 'isExpert'> = {},
): Filter => ({
  name,
  param: flags.slice(2, flags.indexOf(' ')),
  flags,
  description,
  parse,
  ...more,
});

const LISTED_STATES = 'findable, registered, draft; comma-separated';
const TYPES = 'records of a resource type, such as dataset';

/** The filters except for dates, in the order of the parameters and of the options. */
export const FILTERS: readonly Filter[] = [
  filter('providerId', '--provider-id <id>', 'records of a provider', parseProviderIds),
  filter('clientId', '--client-id <id>', 'records of a repository account', parseClientIds),
  filter('prefix', '--prefix <prefix>', 'records with a DOI prefix', parsePrefixes),
  filter('state', '--state <state>', LISTED_STATES, parseStates, { values: STATES }),
  filter('query', '--query <query>', 'a query in Lucene syntax', parseText),
  filter('resourceTypeId', '--resource-type-id <id>', TYPES, parseResourceTypes, {
    values: RESOURCE_TYPE_IDS,
  }),
];

/**
 * The query parameters of filters, in a fixed order. Affiliations and publisher are objects unless
 * a filter asks for names (service.md, F9).
 * @throws {CliError} kind `usage` for a filter that occurs twice. @internal
 */
export function paramsOf(filters: Filters): Params {
  const params: [string, string | undefined][] = [
    ...FILTERS.map(({ name, param }) => [param, filters[name]] as [string, string | undefined]),
    ['created', filters.created],
    ['registered', filters.registered],
    // It acts on any value (service.md, F6), so false is never sent.
    ['detail', filters.detail ? 'true' : undefined],
    ['fields[dois]', filters.fields?.join(',')],
  ];
  const present = params.filter((param): param is [string, string] => param[1] !== undefined);
  const others = filters.filter ?? [];
  // The service takes the last of them.
  const twice = others.find(([name], index) =>
    [...present, ...others.slice(0, index)].some(([other]) => other === name),
  );
  if (twice !== undefined)
    throw usageError(`the filter ${twice[0]} is given twice`, 'leave one of them out');
  const all = [...present, ...others];
  // The service counts facets again for each page, which makes large pages much slower (service.md,
  // P13).
  const facets: Params = all.some(([name]) => /facets$/.test(name))
    ? []
    : [['disable-facets', 'true']];
  const form = AS_OBJECTS.filter(([name]) => !all.some(([param]) => param === name));
  return [...all, ...form, ...facets];
}

/** The parameters that decide whether affiliations and publisher are objects or names. */
const FORM = AS_OBJECTS.map(([name]) => name as string);

/** The parameters that not every query has. @internal */
export function withoutUsual(params: Params): Params {
  return params.filter(
    ([name, value]) => name !== 'disable-facets' && !(FORM.includes(name) && value === 'true'),
  );
}

/**
 * @throws {CliError} kind `credentials` where the service would list Findable records instead
 *   (service.md, A11). @internal
 */
export function requireReadable(credentials: Credentials | undefined, { state }: Filters): void {
  if (credentials !== undefined || state === undefined || state === 'findable') return;
  throw new CliError('credentials', 'without credentials only Findable DOIs can be listed', {
    hint: 'doi-cli auth login',
  });
}

/**
 * @throws {CliError} kind `usage` for a filter that excludes cursors (service.md, F2). @internal
 */
export function requireCursor(query: Params, what: string): void {
  const wrong = query.find(
    ([name, value]) =>
      name === 'sample-group' || (name === 'random' && value.toLowerCase() === 'true'),
  );
  if (wrong !== undefined)
    throw usageError(`the filter ${wrong[0]} excludes ${what}`, 'leave one of them out');
}

/** The parameters of a harvest, whose query is combined with times of creation. @internal */
export function harvestParams(filters: Filters, name: string): Params {
  const params = paramsOf(filters);
  requireCursor(params, 'a harvest');
  try {
    combinedQuery(filters.query);
  } catch (error) {
    throw usageError(
      `${name}: ${(error as Error).message}`,
      'times of creation are joined to it by AND',
    );
  }
  return params;
}

/** The filters that widen each other instead of narrowing the list; empty for fewer than two. */
export function widening(params: readonly Pair[]): readonly string[] {
  const names = params.map(([name]) => name).filter((name) => WIDENING.includes(name));
  return names.length > 1 ? names : [];
}
