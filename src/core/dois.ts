import { acceptedAccount } from '../api/account.ts';
import * as api from '../api/dois.ts';
import { type Action, type Event, stateProblem } from '../api/states.ts';
import { CliError } from '../errors.ts';
import { countParams } from '../harvest/walk/query-params.ts';
import type { Attributes } from '../metadata/schema/types.ts';
import { parseDoi } from '../text/parsers.ts';
import { type CallOptions, type Client, carryOut, carryOutWrite } from './client.ts';
import { paramsOf, requireReadable } from './filter-params.ts';
import type { DoiQuery } from './filters.ts';
import { checkedFilters, text } from './given.ts';
import type { DoiRecord } from './record.ts';
import { bodyOf, heldOf } from './validate.ts';

/**
 * How many DOIs a query matches, by the service's count.
 * @throws {DoiCliError} kind `rejected` with the words of the service if it refuses the query.
 */
export async function countDois(
  client: Client,
  query: DoiQuery = {},
  options: CallOptions = {},
): Promise<number> {
  const filters = checkedFilters(query);
  return carryOut(client, options, (service) => {
    requireReadable(service.credentials, filters);
    return api.countDois(service, countParams(paramsOf(filters)));
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
  const bare = checkedDoi(doi);
  return carryOut(client, options, async (service) => recordOf(await api.getDoi(service, bare)));
}

/**
 * Creates a DOI. The request is never repeated once it may have taken effect.
 * @param attributes as the service takes them, with `doi`, or with `prefix` for a suffix that it
 *   chooses, and `event: 'publish'` or `'register'` for another state than Draft.
 * @throws {DoiCliError} kind `rejected` with the `problems` that the service names, and when it
 *   leaves the record in another state than asked for; `unavailable` if the record may exist
 *   nevertheless.
 */
export async function createDoi(
  client: Client,
  attributes: Attributes,
  options: CallOptions = {},
): Promise<DoiRecord> {
  const body = bodyOf(attributes);
  return carryOutWrite(client, options, async (service) =>
    inState(await api.createDoi(service, body, heldOf(attributes)), 'created', attributes.event),
  );
}

/**
 * Changes a DOI that exists: the attributes replace those of the record, others stay. An `event`
 * changes its state: `publish`, `register`, `hide` or `show`.
 * @throws {DoiCliError} kind `not-found` if it does not exist; `rejected` as {@link createDoi}.
 */
export async function updateDoi(
  client: Client,
  doi: string,
  attributes: Attributes,
  options: CallOptions = {},
): Promise<DoiRecord> {
  const bare = checkedDoi(doi);
  const body = bodyOf(attributes);
  return carryOutWrite(client, options, async (service) => {
    // The update of a DOI that does not exist would create it.
    const before = await api.getDoi(service, bare);
    const after = await api.updateDoi(service, before, body, heldOf(attributes));
    return attributes.event === undefined
      ? recordOf(after)
      : inState(after, 'updated', attributes.event);
  });
}

/**
 * Deletes a Draft; the service deletes no others.
 * @throws {DoiCliError} kind `rejected` for a DOI that is not a Draft.
 */
export async function deleteDoi(
  client: Client,
  doi: string,
  options: CallOptions = {},
): Promise<void> {
  const bare = checkedDoi(doi);
  await carryOutWrite(client, options, (service) => api.deleteDoi(service, bare));
}

/**
 * The account that the service takes the credentials for, in lower case: proof that it accepts
 * them.
 * @throws {DoiCliError} kind `credentials` when it does not, and for a client without credentials.
 */
export async function getAccount(client: Client, options: CallOptions = {}): Promise<string> {
  return carryOut(client, options, async (service) => {
    if (service.credentials === undefined)
      throw new CliError('credentials', 'the client has no credentials');
    return acceptedAccount(service);
  });
}

const checkedDoi = (doi: unknown) => text(parseDoi)(doi, 'doi');

/** @throws {CliError} kind `rejected` when the record is in another state than asked for. */
function inState(doi: api.Doi, action: Action, event: unknown): DoiRecord {
  const problem = stateProblem(doi, action, event as Event | undefined);
  if (problem !== undefined)
    throw new CliError('rejected', problem, { hint: 'the rest has been carried out' });
  return recordOf(doi);
}

function recordOf(doi: api.Doi): DoiRecord {
  return JSON.parse(doi.text) as DoiRecord;
}
