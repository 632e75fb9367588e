import { acceptedAccount } from '../api/account.ts';
import * as api from '../api/dois.ts';
import { countDois as count } from '../api/pagination.ts';
import { type DoiQuery, paramsOf, requireReadable } from '../core/filters.ts';
import { CliError } from '../errors.ts';
import { countParams } from '../harvest/walk/query-params.ts';
import { parseDoi } from '../text/doi.ts';
import { parseFrom } from '../text/parsers.ts';
import { queryFilters } from './arguments.ts';
import { type CallOptions, type Client, read } from './client.ts';
import type { DoiRecord } from './record.ts';

/**
 * The number of DOIs that match a query, as the service counts them.
 * @throws {DoiCliError} kind `rejected`, in the words of the service, if it refuses the query.
 */
export async function countDois(
  client: Client,
  query: DoiQuery = {},
  options: CallOptions = {},
): Promise<number> {
  const filters = queryFilters(query);
  return read(client, options.signal, async (service) => {
    requireReadable(service.credentials, filters);
    return count(service, countParams(paramsOf(filters)));
  });
}

/**
 * Reads one DOI record.
 * @param doi bare, or with `doi:` or `https://doi.org/` in front.
 * @throws {DoiCliError} kind `not-found` also for a Draft or Registered DOI that the credentials
 *   may not read.
 */
export async function getDoi(
  client: Client,
  doi: string,
  options: CallOptions = {},
): Promise<DoiRecord> {
  const bare = parseFrom('doi', doi, parseDoi);
  return read(client, options.signal, async (service) => {
    const { text } = await api.getDoi(service, bare);
    return JSON.parse(text) as DoiRecord;
  });
}

/**
 * The account that the service recognises, in lower case: proof that it accepts the credentials.
 * @throws {DoiCliError} kind `credentials` when it does not, and for a client without credentials.
 */
export async function getAccount(client: Client, options: CallOptions = {}): Promise<string> {
  return read(client, options.signal, async (service) => {
    if (service.credentials === undefined)
      throw new CliError('credentials', 'the client has no credentials');
    return acceptedAccount(service);
  });
}
