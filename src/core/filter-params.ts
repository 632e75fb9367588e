import type { Credentials } from '../api/service.ts';
import { CliError, usageError } from '../errors.ts';
import { combinedQuery, type Params } from '../harvest/walk/query-params.ts';
import { FILTERS, type Filters } from './filters.ts';

/** The query parameters of filters, in a fixed order. A filter that is given twice is an error. */
export function paramsOf(filters: Filters): Params {
  const params: [string, string | undefined][] = [
    ...FILTERS.map(({ name, param }) => [param, filters[name]] as [string, string | undefined]),
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

/** Refuses what the service would answer with Findable records instead (service.md, A11). */
export function requireReadable(credentials: Credentials | undefined, { state }: Filters): void {
  if (credentials !== undefined || state === undefined || state === 'findable') return;
  throw new CliError('credentials', 'without credentials only Findable DOIs can be listed', {
    hint: 'doi-cli auth login',
  });
}

/** @throws {CliError} kind `usage` for a filter that the service refuses with a cursor (service.md, F2). */
export function requireCursor(query: Params, what: string): void {
  const found = query.find(
    ([name, value]) => name === 'sample-group' || (name === 'random' && value.toLowerCase() === 'true'),
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
    throw usageError(`${name}: ${(error as Error).message}`, 'times of creation are joined to it by AND');
  }
  return params;
}
