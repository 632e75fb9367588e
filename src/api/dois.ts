import { CliError, toCliError } from '../errors.ts';
import { jsonPositions, positionAt } from '../text/json-positions.ts';
import { compactJson } from '../text/json-text.ts';
import { isObject } from '../text/json-values.ts';
import { BadBody, parseJson, readJson, readText } from './http/body.ts';
import type { Call } from './http/call.ts';
import { serviceMessage } from './http/error-response.ts';
import type { WireResponse } from './http/transport.ts';
import { totalIn } from './pagination.ts';
import { matchesRequest } from './record-match.ts';
import type { Service } from './service.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** One DOI record as the service sent it. */
export interface Doi {
  readonly id: string;
  readonly attributes: Attributes;
  /** The resource object's own text on one line, with its spelling of numbers and strings. */
  readonly text: string;
}

type Reader = Pick<Service, 'http' | 'caller'>;

// Far more than any record.
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
// Affiliations and publisher as the objects that the service stores (service.md, F9).
const EXPANDED = [
  ['affiliation', 'true'],
  ['publisher', 'true'],
] as const;

/** The path of one DOI: a single segment, so that a suffix of dots or slashes cannot lead elsewhere. */
function doiPath(doi: string): string {
  return `/dois/${encodeURIComponent(doi)}`;
}

/** The JSON:API document of a request with these attributes. */
export function doiBody(attributes: Attributes): string {
  return JSON.stringify({ data: { type: 'dois', attributes } });
}

/**
 * Creates a DOI (service.md, W1). The request is never repeated once it may have taken effect (service.md,
 * E11), and an interrupt waits for the answer, so that it is known whether the DOI exists. Check the state of
 * the returned record: the service ignores an event that it does not accept (service.md, W4).
 * @param body the text of a JSON:API document.
 * @throws {CliError} kind `unavailable` if the record may exist nevertheless.
 */
export function createDoi({ http }: Pick<Service, 'http'>, body: string): Promise<Doi> {
  return http.call({ method: 'POST', url: http.url('/dois'), body, uninterruptible: true, read: readDoi });
}

/**
 * Updates a DOI, or sends an event: the given attributes replace those of the record, others stay
 * (service.md, W12). After a lost answer the record is read: if it holds what was sent, it is the answer;
 * else the update is sent again.
 * @param body the text of a JSON:API document. It would create a DOI that does not exist.
 */
export function updateDoi(service: Reader, doi: string, body: string): Promise<Doi> {
  const { attributes } = (JSON.parse(body) as { data: { attributes: Attributes } }).data;
  return service.http.call({
    method: 'PUT',
    url: service.http.url(doiPath(doi)),
    body,
    uninterruptible: true,
    resolveLostAnswer: async () => {
      const now = await findDoi(service, doi, { expanded: true, retries: 2 });
      const updated = now !== undefined && matchesRequest(now.attributes, attributes, { exact: true });
      return updated ? { value: now } : undefined;
    },
    read: readDoi,
  });
}

/**
 * Deletes a DOI. The service deletes Drafts only and answers 405 for others (service.md, W13). After a lost
 * answer, a record that no longer exists counts as deleted.
 */
export async function deleteDoi(service: Reader, doi: string): Promise<void> {
  await service.http.call<void>({
    method: 'DELETE',
    url: service.http.url(doiPath(doi)),
    uninterruptible: true,
    resolveLostAnswer: async () =>
      (await findDoi(service, doi, { retries: 2 })) === undefined ? { value: undefined } : undefined,
    read: async (response) => response.discard(),
  });
}

/**
 * Reads one DOI record.
 * @param options.expanded affiliations and publisher as the objects that an update needs, not as names.
 * @throws {CliError} kind `not-found` also for a Draft or Registered DOI that the credentials may not read
 *   (service.md, A12); `credentials` when the service does not accept them.
 */
export function getDoi(
  { http, caller }: Reader,
  doi: string,
  { expanded, ...options }: Pick<Call<unknown>, 'retries'> & { readonly expanded?: boolean } = {},
): Promise<Doi> {
  return http.call({
    method: 'GET',
    url: http.url(doiPath(doi), expanded ? EXPANDED : []),
    ...options,
    inspect: (response) => caller.check(response),
    read: async (response) => {
      const found = await readDoi(response);
      // DOIs are case-insensitive (service.md, O4).
      if (found.id.toLowerCase() === doi.toLowerCase()) return found;
      throw new CliError('unexpected', `the service answered with another DOI, ${found.id}`);
    },
  });
}

/** Other formats of a record, and their media types for DataCite's content negotiation (service.md, O3). */
const MEDIA_TYPES = {
  bibtex: 'application/x-bibtex',
  ris: 'application/x-research-info-systems',
  citation: 'text/x-bibliography',
  'datacite-xml': 'application/vnd.datacite.datacite+xml',
} as const;
export type OtherFormat = keyof typeof MEDIA_TYPES;

/**
 * Reads one DOI record in another format, as text.
 * @param params for a citation: `style`, a name of the Citation Style Language, and `locale`.
 * @throws {CliError} as {@link getDoi}; kind `rejected` also if the service does not offer the format.
 */
export function getDoiAs(
  { http, caller }: Reader,
  doi: string,
  format: OtherFormat,
  params: Iterable<readonly [string, string]> = [],
): Promise<string> {
  return http.call({
    method: 'GET',
    url: http.url(doiPath(doi), params),
    accept: MEDIA_TYPES[format],
    inspect: (response) => caller.check(response),
    read: async (response) => {
      const type = response.header('content-type')?.split(';')[0]?.trim();
      const text = await readText(response, MAX_RECORD_BYTES);
      // A service that does not know the format may answer with JSON.
      if (/json$/i.test(type ?? '')) throw new CliError('rejected', `the service does not offer ${format}`);
      if (text.trim() === '') throw new BadBody('the answer is empty');
      return text;
    },
  });
}

/** Reads one DOI record; undefined if there is none that the credentials may read. */
export async function findDoi(...args: Parameters<typeof getDoi>): Promise<Doi | undefined> {
  try {
    return await getDoi(...args);
  } catch (error) {
    if (toCliError(error).kind === 'not-found') return undefined;
    throw error;
  }
}

async function readDoi(response: WireResponse): Promise<Doi> {
  const text = await readText(response, MAX_RECORD_BYTES);
  const { data } = (parseJson(text) ?? {}) as { data?: unknown };
  const { id, attributes } = (data ?? {}) as { id?: unknown; attributes?: unknown };
  const position = positionAt(jsonPositions(text), ['data']);
  if (typeof id !== 'string' || position === undefined) throw new BadBody('the answer is not one DOI record');
  const own = isObject(attributes) ? attributes : {};
  return { id, attributes: own, text: compactJson(text.slice(position.start, position.end)) };
}

/**
 * The service's count of the DOIs that a query matches; `page[size]=0` gives it alone (service.md, P2).
 * @throws {CliError} kind `rejected` with the service's message if it refuses the query; `unexpected` if the
 *   answer holds no usable count.
 */
export async function countDois(
  { http, caller }: Reader,
  params: Iterable<readonly [name: string, value: string]>,
  options: Pick<Call<unknown>, 'signal'> = {},
): Promise<number> {
  const document = await http.call({
    method: 'GET',
    url: http.url('/dois', params),
    ...options,
    inspect: (response) => caller.check(response),
    read: readJson,
  });
  const message = document['data'] === undefined ? serviceMessage(document) : undefined;
  if (message !== undefined) throw new CliError('rejected', message);
  const total = totalIn(document['meta']);
  if (total === undefined) {
    throw new CliError('unexpected', 'the service gave no usable count of DOIs (meta.total)', {
      hint: 'try again later, and check --base-url',
    });
  }
  return total;
}
