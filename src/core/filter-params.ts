import { AS_OBJECTS } from '../api/dois.ts';
import type { Credentials } from '../api/service.ts';
import { CliError, usageError } from '../errors.ts';
import { combinedQuery, type Params } from '../harvest/walk/query-params.ts';
import { FILTERS, type Filters } from './filters.ts';

/**
 * The query parameters of filters, in a fixed order; without a filter for them, affiliations and
 * publisher are objects. A filter that is given twice is an error.
 */
export function paramsOf(filters: Filters): Params {
  const params: [string, string | undefined][] = [
    ...FILTERS.map(({ name, param }) => [param, filters[name]] as [string, string | undefined]),
    // It acts on any value (service.md, F6), so false is never sent.
    ['detail', filters.detail ? 'true' : undefined],
    ['fields[dois]', filters.fields?.join(',')],
  ];
  const own = params.filter((param): param is [string, string] => param[1] !== undefined);
  const others = filters.filter ?? [];
  const twice = others.find(([name]) => own.some(([other]) => other === name));
  if (twice !== undefined)
    throw usageError(`the filter ${twice[0]} is given twice`, 'leave one of them out');
  const given = [...own, ...others];
  // The service counts facets again for each page, which makes large pages much slower (service.md,
  // P13).
  const facets: Params = given.some(([name]) => /facets$/.test(name))
    ? []
    : [['disable-facets', 'true']];
  return [...asObjects(given), ...facets];
}

/** The names of the parameters that say whether affiliations and publisher are objects. */
const FORM = AS_OBJECTS.map(([name]) => name as string);

/**
 * Parameters that ask for affiliations and publisher as objects, unless they ask for names
 * (service.md, F9).
 */
function asObjects(params: Params): Params {
  return [...params, ...AS_OBJECTS.filter(([name]) => !params.some(([own]) => own === name))];
}

/**
 * The parameters of a query for a copy on disk. One that was begun earlier keeps the form of its
 * affiliations and publishers, which may be names, so that all of its records have the same form.
 * @param copy the parameters of that copy; undefined for a new one. @param filters the query may
 *   name the form.
 */
export function inFormOf(
  copy: Params | undefined,
  params: Params,
  { filter = [] }: Filters,
): Params {
  if (copy === undefined) return asObjects(params);
  const isOpen = ([name]: Params[number]) =>
    FORM.includes(name) && !filter.some(([own]) => own === name);
  return [...params.filter((param) => !isOpen(param)), ...copy.filter(isOpen)];
}

/** The parameters without those that every query sends. */
export function withoutUsual(params: Params): Params {
  return params.filter(
    ([name, value]) => name !== 'disable-facets' && !(FORM.includes(name) && value === 'true'),
  );
}

/** Refuses what the service would answer with Findable records instead (service.md, A11). */
export function requireReadable(credentials: Credentials | undefined, { state }: Filters): void {
  if (credentials !== undefined || state === undefined || state === 'findable') return;
  throw new CliError('credentials', 'without credentials only Findable DOIs can be listed', {
    hint: 'doi-cli auth login',
  });
}

/**
 * @throws {CliError} kind `usage` for a filter that the service refuses with a cursor (service.md,
 * F2).
 */
export function requireCursor(query: Params, what: string): void {
  const found = query.find(
    ([name, value]) =>
      name === 'sample-group' || (name === 'random' && value.toLowerCase() === 'true'),
  );
  if (found !== undefined)
    throw usageError(`the filter ${found[0]} excludes ${what}`, 'leave one of them out');
}

/** The query parameters of a harvest, to whose query times of creation can be joined. */
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
