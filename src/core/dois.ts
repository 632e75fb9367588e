import { acceptedAccount } from '../api/account.ts';
import * as api from '../api/dois.ts';
import { countDois as count } from '../api/pagination.ts';
import { type Action, type Event, isEvent, stateProblem } from '../api/states.ts';
import { CliError, usageError } from '../errors.ts';
import { recordOf as parsedOf } from '../formats/input/record.ts';
import { countParams } from '../harvest/walk/query-params.ts';
import { comparisonWith } from '../metadata/corrections.ts';
import type { Attributes } from '../metadata/schema/types.ts';
import { parseDoi } from '../text/doi.ts';
import { findingsIn } from '../writing/findings.ts';
import { callOptions, jsonObject, queryFilters, text } from './arguments.ts';
import { type CallOptions, type Client, read, write } from './client.ts';
import { type DoiQuery, paramsOf, requireReadable } from './filters.ts';
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
  const { signal } = callOptions(options, {});
  return read(client, signal, async (service) => {
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
  const bare = bareDoi(doi);
  const { signal } = callOptions(options, {});
  return read(client, signal, async (service) => recordOf(await api.getDoi(service, bare)));
}

/**
 * Creates a DOI. The request is not repeated once it may have taken effect.
 * @param attributes as the service takes them, with `doi`, or with `prefix` to let the service
 *   choose the suffix. `event: 'publish'` or `'register'` creates another state than Draft.
 * @throws {DoiCliError} kind `rejected` with the `problems` that the service reports, or when the
 *   record gets another state than requested; `unavailable` if the record may exist nevertheless.
 */
export async function createDoi(
  client: Client,
  attributes: Attributes,
  options: CallOptions = {},
): Promise<DoiRecord> {
  const sent = attributesToSend(attributes);
  const { signal } = callOptions(options, {});
  return write(client, signal, async (service) =>
    inState(
      await api.createDoi(service, api.doiBody(sent), comparison(sent)),
      'created',
      sent.event,
    ),
  );
}

/**
 * Changes a DOI that exists: these attributes are replaced, others stay. An `event` changes
 * its state: `publish`, `register`, `hide` or `show`.
 * @throws {DoiCliError} kind `not-found` if it does not exist; `rejected` as {@link createDoi}.
 */
export async function updateDoi(
  client: Client,
  doi: string,
  attributes: Attributes,
  options: CallOptions = {},
): Promise<DoiRecord> {
  const bare = bareDoi(doi);
  const sent = attributesToSend(attributes);
  const { signal } = callOptions(options, {});
  return write(client, signal, async (service) => {
    // Updating a DOI that does not exist would create it.
    const before = await api.getDoi(service, bare);
    const after = await api.updateDoi(service, before, api.doiBody(sent), comparison(sent));
    return sent.event === undefined ? recordOf(after) : inState(after, 'updated', sent.event);
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
  const bare = bareDoi(doi);
  const { signal } = callOptions(options, {});
  await write(client, signal, (service) => api.deleteDoi(service, bare));
}

/**
 * The account that the service recognises, in lower case: proof that it accepts the credentials.
 * @throws {DoiCliError} kind `credentials` when it does not, and for a client without credentials.
 */
export async function getAccount(client: Client, options: CallOptions = {}): Promise<string> {
  const { signal } = callOptions(options, {});
  return read(client, signal, async (service) => {
    if (service.credentials === undefined)
      throw new CliError('credentials', 'the client has no credentials');
    return acceptedAccount(service);
  });
}

const bareDoi = (doi: unknown) => text(parseDoi)(doi, 'doi');

/**
 * The attributes of a request.
 * @throws {CliError} kind `usage` for attributes that JSON would drop or alter, or an unknown
 *   event.
 */
function attributesToSend(attributes: unknown): Attributes {
  const sent: Attributes = jsonObject(attributes, 'attributes');
  if (sent.event === undefined || isEvent(sent.event)) return sent;
  throw usageError('attributes.event is not publish, register, hide or show');
}

/** How a record is compared with attributes, of which the service drops some (service.md, S1). */
function comparison(attributes: Attributes): api.Comparison {
  return comparisonWith(attributes, findingsIn(parsedOf(attributes, 'attributes'), 'update'));
}

/** @throws {CliError} kind `rejected` when the record has another state than requested. */
function inState(doi: api.Doi, action: Action, event: unknown): DoiRecord {
  const problem = stateProblem(doi, action, event as Event | undefined);
  if (problem !== undefined)
    throw new CliError('rejected', problem, { hint: 'the rest has been carried out' });
  return recordOf(doi);
}

function recordOf(doi: api.Doi): DoiRecord {
  return JSON.parse(doi.text) as DoiRecord;
}
