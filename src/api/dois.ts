import { CliError, toCliError } from '../errors.ts';
import { compactJson, placeAt, placesOf } from '../text/json-places.ts';
import { BadBody, readJson, readText } from './http/body.ts';
import type { Call } from './http/call.ts';
import type { Identity } from './http/caller.ts';
import { serviceMessage } from './http/error-response.ts';
import type { Http } from './http/http.ts';
import type { WireResponse } from './http/transport.ts';
import { keeps } from './record-match.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** One DOI record as the service sent it. */
export interface Doi {
  readonly id: string;
  readonly attributes: Attributes;
  /** The resource object's own text on one line, with its spelling of numbers and strings. */
  readonly text: string;
}

/** Whom to ask, and the check that it answers to the credentials that were sent. */
interface Asked {
  readonly http: Http;
  readonly identity: Identity;
}

type Options = Pick<Call<unknown>, 'retries' | 'signal'>;

// No record comes near it.
const MOST_RECORD_BYTES = 64 * 1024 * 1024;
// With affiliations and publishers as the objects that they are kept as.
const WHOLE = [
  ['affiliation', 'true'],
  ['publisher', 'true'],
] as const;

/** The path of one DOI: a single segment, so that a suffix of dots or slashes cannot lead elsewhere. */
function doiPath(doi: string): string {
  return `/dois/${encodeURIComponent(doi)}`;
}

/** The text of a request that says only these attributes. */
export function doiBody(attributes: Attributes): string {
  return JSON.stringify({ data: { type: 'dois', attributes } });
}

/**
 * Creates a DOI (specification, section 4.4). It is never repeated once it may have had its effect, and an interrupt
 * waits for the answer, so that it is known whether the DOI exists. The state of what came back is for the caller to
 * look at: an event that the service does not take is ignored (observed).
 * @param body the text of a JSON:API document.
 * @throws {CliError} kind `unavailable` where the record may exist all the same.
 */
export function createDoi({ http }: Pick<Asked, 'http'>, body: string, options: Options = {}): Promise<Doi> {
  return http.call({
    method: 'POST',
    url: http.url('/dois'),
    body,
    uninterruptible: true,
    ...options,
    read: readDoi,
  });
}

/**
 * Updates a DOI, or sends an event: the attributes given replace those of the record, others stay (observed). Where
 * an answer was lost, the record is read: if it holds what was sent this is the answer, else the update is sent again.
 * @param body the text of a JSON:API document. A DOI that does not exist would be created by it (observed).
 */
export function updateDoi(asked: Asked, doi: string, body: string, options: Options = {}): Promise<Doi> {
  const { http } = asked;
  const { attributes } = (JSON.parse(body) as { data: { attributes: Attributes } }).data;
  return http.call({
    method: 'PUT',
    url: http.url(doiPath(doi)),
    body,
    uninterruptible: true,
    ...options,
    resolveLostAnswer: async () => {
      const now = await findDoi(asked, doi, { whole: true, retries: 2 });
      return now !== undefined && keeps(now.attributes, attributes, true) ? { value: now } : undefined;
    },
    read: readDoi,
  });
}

/**
 * Deletes a DOI; the service does so for Drafts only, and answers 405 for others (observed). Where an answer was lost,
 * the record is looked for: if it is gone, this is the answer.
 */
export async function deleteDoi(asked: Asked, doi: string, options: Options = {}): Promise<void> {
  const { http } = asked;
  await http.call<void>({
    method: 'DELETE',
    url: http.url(doiPath(doi)),
    uninterruptible: true,
    ...options,
    resolveLostAnswer: async () =>
      (await findDoi(asked, doi, { retries: 2 })) === undefined ? { value: undefined } : undefined,
    read: async (response) => response.discard(),
  });
}

/**
 * One DOI record.
 * @param options.whole affiliations and publisher as objects, which is what an update takes, instead of their names.
 * @throws {CliError} kind `not-found` also for a Draft or Registered DOI that the credentials may not read (observed);
 *   `credentials` when the service did not accept them.
 */
export function getDoi(
  { http, identity }: Asked,
  doi: string,
  { whole, ...options }: Options & { readonly whole?: boolean } = {},
): Promise<Doi> {
  return http.call({
    method: 'GET',
    url: http.url(doiPath(doi), whole ? WHOLE : []),
    ...options,
    inspect: (response) => identity.check(response),
    read: async (response) => {
      const found = await readDoi(response);
      // Case does not matter in DOIs.
      if (found.id.toLowerCase() === doi.toLowerCase()) return found;
      throw new CliError('unexpected', `the service answered with another DOI, ${found.id}`);
    },
  });
}

/** The other formats of a record, and the media types that ask for them (content negotiation of DataCite). */
const MEDIA_TYPES = {
  bibtex: 'application/x-bibtex',
  ris: 'application/x-research-info-systems',
  citation: 'text/x-bibliography',
  'datacite-xml': 'application/vnd.datacite.datacite+xml',
} as const;
export type OtherFormat = keyof typeof MEDIA_TYPES;

/**
 * One DOI record in another format, as text.
 * @param params for a citation: `style`, a name of the Citation Style Language, and `locale`.
 * @throws {CliError} as {@link getDoi}; kind `rejected` also for a format that the service does not make of it.
 */
export function getDoiAs(
  { http, identity }: Asked,
  doi: string,
  format: OtherFormat,
  params: Iterable<readonly [string, string]> = [],
): Promise<string> {
  const accept = MEDIA_TYPES[format];
  return http.call({
    method: 'GET',
    url: http.url(doiPath(doi), params),
    accept,
    inspect: (response) => identity.check(response),
    read: async (response) => {
      const type = response.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? accept;
      const text = await readText(response, MOST_RECORD_BYTES);
      // A service that knows no such format may answer in its usual one.
      if (type.endsWith('json')) throw new CliError('rejected', `the service does not offer ${format}`);
      if (text.trim() === '') throw new BadBody('the answer is empty');
      return text;
    },
  });
}

/** One DOI record; undefined where there is none that the credentials may read. */
export async function findDoi(...args: Parameters<typeof getDoi>): Promise<Doi | undefined> {
  try {
    return await getDoi(...args);
  } catch (error) {
    if (toCliError(error).kind === 'not-found') return undefined;
    throw error;
  }
}

async function readDoi(response: WireResponse): Promise<Doi> {
  const text = await readText(response, MOST_RECORD_BYTES);
  let data: unknown;
  try {
    ({ data } = JSON.parse(text) as { data?: unknown });
  } catch {
    throw new BadBody('the answer is not valid JSON');
  }
  const { id, attributes } = (data ?? {}) as { id?: unknown; attributes?: unknown };
  const place = placeAt(placesOf(text), ['data']);
  if (typeof id !== 'string' || place === undefined) throw new BadBody('the answer is not one DOI record');
  const known = typeof attributes === 'object' && attributes !== null ? attributes : {};
  return { id, attributes: known as Attributes, text: compactJson(text.slice(place.start, place.end)) };
}

/**
 * How many DOIs a query matches, by the service's count.
 * @param params in the order in which they are sent; with `page[size]=0` the answer is small.
 * @throws {CliError} kind `rejected` with the service's words where it refuses the query; `unexpected` when the
 *   answer holds no count.
 */
export async function countDois(
  { http, identity }: Asked,
  params: Iterable<readonly [name: string, value: string]>,
  options: Options = {},
): Promise<number> {
  const document = await http.call({
    method: 'GET',
    url: http.url('/dois', params),
    ...options,
    inspect: (response) => identity.check(response),
    read: readJson,
  });
  const words = document['data'] === undefined ? serviceMessage(document) : undefined;
  if (words !== undefined) throw new CliError('rejected', words);
  const { total } = (document['meta'] ?? {}) as { total?: unknown };
  if (typeof total !== 'number' || !Number.isSafeInteger(total)) {
    throw new CliError('unexpected', 'the service gave no total');
  }
  return total;
}
