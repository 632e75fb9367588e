import type { Credentials } from '../api/service.ts';
import { CliError, usageError } from '../errors.ts';
import { combinedQuery, type Params } from '../harvest/walk/query-params.ts';
import { parsePrefixes, parseStates, parseText, parseYears } from '../text/parsers.ts';
import {
  excludesCursor,
  filterWarnings,
  parseClientIds,
  parseFields,
  parseFilter,
  parseProviderIds,
  parseResourceTypes,
} from './filters.ts';
import { checkedFlag, checkedText, requireKnown } from './given.ts';

/** Filters whose values have been checked. */
export interface Filters {
  readonly providerId?: string;
  readonly clientId?: string;
  readonly prefix?: string;
  readonly state?: string;
  readonly query?: string;
  readonly created?: string;
  readonly registered?: string;
  readonly resourceTypeId?: string;
  readonly filter?: readonly (readonly [name: string, value: string])[];
  readonly fields?: readonly string[];
  readonly detail?: boolean;
  readonly affiliation?: boolean;
}

/**
 * Which DOI records: those that match all of these filters; without any, all that the credentials may read.
 * A filter takes several values with commas between them, and a record matches one of them.
 */
export interface DoiQuery {
  /** Providers, such as `caltech`. With {@link clientId}, the service lists the records of either. */
  readonly providerId?: string | undefined;
  /** Repository accounts, such as `caltech.library`. */
  readonly clientId?: string | undefined;
  /** DOI prefixes, such as `10.5072`. */
  readonly prefix?: string | undefined;
  /** `findable`, `registered` or `draft`. Without it, credentials also read Draft and Registered records. */
  readonly state?: string | undefined;
  /** A query in Lucene syntax, such as `titles.title:lake AND updated:[2024-05-01 TO *]`. */
  readonly query?: string | undefined;
  /** Years of creation, such as `2019`, or `2017,2019` for the three years from 2017. */
  readonly created?: string | undefined;
  /** Years of registration, in the same form. */
  readonly registered?: string | undefined;
  /** Resource types, such as `dataset`. */
  readonly resourceTypeId?: string | undefined;
  /** Other filters of the service by their names, such as `{ 'has-citations': '1' }`. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /** The only attributes that the records have, such as `['titles', 'url']`; all by default. */
  readonly fields?: readonly string[] | undefined;
  /** More attributes, such as the numbers of views and citations. */
  readonly detail?: boolean | undefined;
  /** Affiliations as objects with identifiers, not as names. */
  readonly affiliation?: boolean | undefined;
}

/**
 * The filters of a query.
 * @throws {CliError} kind `usage` for a value that the service would misread, and for a filter that it would
 *   ignore: it would list other records.
 */
export function checkedFilters(query: DoiQuery): Filters {
  requireKnown('query', query, [...Object.keys(PARSERS), 'filter', 'fields', 'detail', 'affiliation']);
  const { filter = {}, fields } = query;
  requireKnown('query.filter', filter, Object.keys(filter ?? {}));
  const pairs = Object.entries(filter).map(([name, value]) =>
    checkedText(`query.filter: ${name}`, value, (text) => parseFilter(`${name}=${text}`)),
  );
  if (fields !== undefined && !Array.isArray(fields)) throw usageError('query.fields is not an array');
  const [doubt] = filterWarnings(pairs);
  if (doubt !== undefined) throw usageError(`query.filter: ${doubt}`);
  const texts = Object.entries(PARSERS).map(([name, parse]) => {
    const value = query[name as keyof typeof PARSERS];
    return [name, value === undefined ? undefined : checkedText(`query.${name}`, value, parse)] as const;
  });
  const given = {
    ...Object.fromEntries(texts),
    filter: pairs.length === 0 ? undefined : pairs,
    fields: fields && checkedText('query.fields', fields.join(','), parseFields),
    detail: checkedFlag('query.detail', query.detail),
    affiliation: checkedFlag('query.affiliation', query.affiliation),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Filters;
}

const PARSERS = {
  providerId: parseProviderIds,
  clientId: parseClientIds,
  prefix: parsePrefixes,
  state: parseStates,
  query: parseText,
  created: parseYears,
  registered: parseYears,
  resourceTypeId: parseResourceTypes,
} as const;

/**
 * The query parameters of filters, in a fixed order.
 * @throws {CliError} kind `usage` when a filter is given twice.
 */
export function paramsOf(filters: Filters): Params {
  const params: [string, string | undefined][] = [
    ['provider-id', filters.providerId],
    ['client-id', filters.clientId],
    ['prefix', filters.prefix],
    ['state', filters.state],
    ['query', filters.query],
    ['created', filters.created],
    ['registered', filters.registered],
    ['resource-type-id', filters.resourceTypeId],
    // `detail` acts on any value, `affiliation` only on `true` (service.md, F6), so false is never sent.
    ['detail', filters.detail ? 'true' : undefined],
    ['affiliation', filters.affiliation ? 'true' : undefined],
    ['fields[dois]', filters.fields?.join(',')],
  ];
  const own = params.filter((param): param is [string, string] => param[1] !== undefined);
  const others = filters.filter ?? [];
  const twice = others.find(([name]) => own.some(([other]) => other === name));
  if (twice !== undefined) throw usageError(`the filter ${twice[0]} is given twice`, 'leave one of them out');
  const given = [...own, ...others];
  // The service counts facets again for each page, which makes large pages much slower (service.md, P13).
  const facets: Params = given.some(([name]) => /facets$/.test(name)) ? [] : [['disable-facets', 'true']];
  return [...given, ...facets];
}

/**
 * The service would silently list Findable records instead (service.md, A11).
 * @throws {CliError} kind `credentials` when an anonymous reader asks for others.
 */
export function requireReadable(credentials: Credentials | undefined, { state }: Filters): void {
  if (credentials !== undefined || state === undefined || state === 'findable') return;
  throw new CliError('credentials', 'without credentials only Findable DOIs can be listed', {
    hint: 'set DOI_CLI_API_KEY, or use --state findable',
  });
}

/** @throws {CliError} kind `usage` for a filter that the service refuses with a cursor. */
export function requireCursor(query: Params, what: string): void {
  const filter = excludesCursor(query);
  if (filter !== undefined)
    throw usageError(`the filter ${filter} excludes ${what}`, 'leave one of them out');
}

/**
 * @param name of the query in the error.
 * @throws {CliError} kind `usage` for a query that times of creation cannot be joined to.
 */
export function requireBalance(query: string | undefined, name: string): void {
  try {
    combinedQuery(query);
  } catch (error) {
    throw usageError(`${name}: ${(error as Error).message}`, 'times of creation are joined to it by AND');
  }
}
