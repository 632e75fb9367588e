import { acceptedAccount } from '../api/account.ts';
import * as api from '../api/dois.ts';
import { type Action, type Event, isEvent, stateProblem } from '../api/states.ts';
import { CliError, usageError } from '../errors.ts';
import { countParams } from '../harvest/walk/query-params.ts';
import { selected } from '../harvest/walk/repeat-guard.ts';
import { WalkTotals } from '../harvest/walk/walk-totals.ts';
import { heldAttributes } from '../metadata/corrections.ts';
import type { Attributes } from '../metadata/schema/types.ts';
import { recordOf as parsedRecord } from '../records/document.ts';
import { findingsIn } from '../records/findings.ts';
import { isObject, parseBounded, TooComplex } from '../text/json-values.ts';
import { parseDoi } from '../text/parsers.ts';
import { type CallOptions, type Client, carryOut, carryOutWrite, yieldAll } from './client.ts';
import { MAX_PAGE_SIZE } from './defaults.ts';
import { paramsOf, requireCursor, requireReadable } from './filter-params.ts';
import type { DoiQuery } from './filters.ts';
import { checkedFilters, checkedOptions, text } from './given.ts';
import { listAll, wantedPages } from './list.ts';
import type { DoiRecord } from './record.ts';

/** How to list records. */
export interface ListOptions extends CallOptions {
  /** Whether to parse the records; otherwise they are the bytes of the service. */
  readonly parse?: boolean | undefined;
  /** The most records; all by default. */
  readonly limit?: number | undefined;
  /** Records per request, from 1 to 1000; 1000 by default. */
  readonly pageSize?: number | undefined;
  /** The most requests at once; by default as many as the rate limit calls for. */
  readonly jobs?: number | undefined;
}

/**
 * All DOI records of a query, the oldest first, each once: JSON in UTF-8 on one line, without a newline, in
 * the service's own spelling.
 *
 * Records arrive while others are used; a slow reader slows the requests down, and `break` stops them. The
 * end is reached only when the records are as many as the service counts.
 * @throws {DoiCliError} during the iteration: kind `usage` before any request; `incomplete` when records are
 *   missing, or are not those of the query; `credentials`, `unavailable` or `throttled` as they say.
 */
export function listDois(
  client: Client,
  query?: DoiQuery,
  options?: ListOptions & { readonly parse?: false | undefined },
): AsyncIterable<Uint8Array>;
/** All DOI records of a query, parsed. Otherwise it is the same. */
export function listDois(
  client: Client,
  query: DoiQuery | undefined,
  options: ListOptions & { readonly parse: true },
): AsyncIterable<DoiRecord>;
export function listDois(
  client: Client,
  query: DoiQuery = {},
  options: ListOptions = {},
): AsyncIterable<Uint8Array | DoiRecord> {
  const left = new AbortController();
  const records = recordsOf(client, query, options, left.signal);
  const end = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        records.next().catch((error: unknown) => {
          if (left.signal.aborted) return end;
          throw error;
        }),
      // A generator alone would wait for the answer to a request: minutes, where the service is silent.
      return: async () => {
        left.abort();
        await records.return();
        return end;
      },
    }),
  };
}

async function* recordsOf(
  client: Client,
  query: DoiQuery,
  options: ListOptions,
  left: AbortSignal,
): AsyncGenerator<Uint8Array | DoiRecord, void, undefined> {
  const names = ['signal', 'parse', 'limit', 'pageSize', 'jobs'] as const;
  const { signal, parse, limit, jobs, ...given } = checkedOptions(options, ...names);
  const filters = checkedFilters(query);
  const params = paramsOf(filters);
  requireCursor(params, 'listDois');
  const pageSize = given.pageSize ?? Math.min(limit ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE);
  const signals = signal === undefined ? [left] : [left, signal];
  const pages = yieldAll(client, signals, async function* (service) {
    requireReadable(service.credentials, filters);
    const list = listAll(service, params, { pageSize, limit, jobs, now: Date.now });
    const totals = new WalkTotals();
    for await (const { walked, most } of wantedPages(list, totals, limit)) yield selected(walked, most);
    await totals.compare(list.count, { before: 0, asked: limit ?? Number.POSITIVE_INFINITY });
  });
  for await (const page of pages) {
    for (const record of page) {
      // A view would keep the page in memory, megabytes, as long as its record.
      yield parse ? parsed(record) : new Uint8Array(record);
      signal?.throwIfAborted();
    }
  }
}

/** @throws {CliError} kind `unexpected` when it is too large for that. */
function parsed(record: Buffer): DoiRecord {
  try {
    return parseBounded(record.toString()) as DoiRecord;
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    throw new CliError('unexpected', `a record has ${error.message}`, { hint: 'list it without parse' });
  }
}

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
 * @throws {DoiCliError} kind `not-found` also for a Draft or Registered DOI that the credentials may not read.
 */
export async function getDoi(client: Client, doi: string, options: CallOptions = {}): Promise<DoiRecord> {
  const bare = checkedDoi(doi);
  return carryOut(client, options, async (service) => recordOf(await api.getDoi(service, bare)));
}

/**
 * Creates a DOI. The request is never repeated once it may have taken effect.
 * @param attributes as the service takes them, with `doi`, or with `prefix` for a suffix that it chooses, and
 *   `event: 'publish'` or `'register'` for another state than Draft.
 * @throws {DoiCliError} kind `rejected` with the `problems` that the service names, and when it leaves the
 *   record in another state than asked for; `unavailable` if the record may exist nevertheless.
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
 * Changes a DOI that exists: the attributes replace those of the record, others stay. An `event` changes its
 * state: `publish`, `register`, `hide` or `show`.
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
    const before = await api.getDoi(service, bare, { expanded: true });
    const after = await api.updateDoi(service, before, body, heldOf(attributes));
    return inState(after, 'updated', attributes.event);
  });
}

/**
 * Deletes a Draft; the service deletes no others.
 * @throws {DoiCliError} kind `rejected` for a DOI that is not a Draft.
 */
export async function deleteDoi(client: Client, doi: string, options: CallOptions = {}): Promise<void> {
  const bare = checkedDoi(doi);
  await carryOutWrite(client, options, (service) => api.deleteDoi(service, bare));
}

/**
 * The account that the service takes the credentials for, in lower case: proof that it accepts them.
 * @throws {DoiCliError} kind `credentials` when it does not, and for a client without credentials.
 */
export async function getAccount(client: Client, options: CallOptions = {}): Promise<string> {
  return carryOut(client, options, async (service) => {
    if (service.credentials === undefined) throw new CliError('credentials', 'the client has no credentials');
    return acceptedAccount(service);
  });
}

const checkedDoi = (doi: unknown) => text(parseDoi)(doi, 'doi');

/** The document to send. @throws {CliError} kind `usage` for attributes that JSON would leave out or alter. */
function bodyOf(attributes: Attributes): string {
  if (!isObject(attributes) || Symbol.iterator in attributes) throw usageError('attributes: not an object');
  const { event } = attributes;
  if (event !== undefined && !isEvent(event)) {
    throw usageError('attributes.event is not publish, register, hide or show');
  }
  try {
    requireJson(attributes);
    return api.doiBody(attributes);
  } catch (error) {
    throw usageError(`attributes: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** What the service stores of attributes: it drops some without a word (service.md, S1). */
function heldOf(attributes: Attributes): api.Attributes {
  return heldAttributes(attributes, findingsIn(parsedRecord(attributes, 'attributes'), 'update'));
}

/** @throws for a value that JSON has no word for, such as NaN, which would become null. */
function requireJson(attributes: object): void {
  JSON.stringify(attributes, (name, value: unknown) => {
    const isLost =
      ['function', 'symbol', 'bigint'].includes(typeof value) ||
      (typeof value === 'number' && !Number.isFinite(value)) ||
      value instanceof Map ||
      value instanceof Set;
    if (isLost) throw new Error(`${name} is not a value of JSON`);
    return value;
  });
}

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
