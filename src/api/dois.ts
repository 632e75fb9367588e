import { CliError, toCliError, usageError } from '../errors.ts';
import { bareDoi, isAddressable } from '../text/doi.ts';
import { compactJson, memberText } from '../text/json.ts';
import { isNonEmptyString, isObject, valueAt } from '../text/json-values.ts';
import { abridged } from '../text/words.ts';
import { BadBody, parseJson, readText } from './http/body.ts';
import type { Call } from './http/call.ts';
import type { WireResponse } from './http/transport.ts';
import { matchesRequest, unstoredAttribute } from './record-match.ts';
import type { HttpService, Service } from './service.ts';

export type Attributes = Readonly<Record<string, unknown>>;

export interface Doi {
  readonly id: string;
  readonly attributes: Attributes;
  /**
   * The repository account, in lower case; undefined if the record has none (service.md, F10).
   */
  readonly client: string | undefined;
  /** The resource object's own text on one line, with its spelling of numbers and strings. */
  readonly text: string;
}

/**
 * The parameters of reads and writes: affiliations and publisher as the objects that are stored
 * (service.md, F9).
 */
export const AS_OBJECTS = [
  ['affiliation', 'true'],
  ['publisher', 'true'],
] as const;

/**
 * The path of one DOI, with a single segment for it. @throws {CliError} for a text that cannot be
 * one segment.
 */
export function doiPath(doi: string): string {
  if (!isAddressable(doi))
    throw usageError(`${JSON.stringify(doi)} is not a DOI such as 10.5072/abc`);
  return `/dois/${encodeURIComponent(doi)}`;
}

/** The JSON:API document of a request with these attributes. */
export function doiBody(attributes: Attributes): string {
  return JSON.stringify({ data: { type: 'dois', attributes } });
}

/**
 * Creates a DOI (service.md, W1). The request is never repeated once it may have taken effect
 * (service.md, E11), and an interrupt waits for the answer. The service ignores an event that it
 * does not accept (service.md, W4): check the state.
 * @param compared how the record is compared with the request.
 * @throws {CliError} kind `unavailable` if the record may exist nevertheless; {@link NotStored}.
 */
export async function createDoi(
  service: HttpService,
  body: string,
  compared: Compared,
): Promise<Doi> {
  const { http } = service;
  const { doi, prefix } = attributesIn(body);
  // The answer could not be verified otherwise.
  if (isNonEmptyString(doi)) doiPath(doi);
  const made = await http.call({
    method: 'POST',
    url: http.url('/dois', AS_OBJECTS),
    body,
    uninterruptible: true,
    probesNotFound: true,
    read: readDoi,
  });
  const [below] = /10\.\d+(\.\d+)*/.exec(String(prefix)) ?? [];
  if (!isNonEmptyString(doi) && below !== undefined && !made.id.startsWith(`${below}/`)) {
    const message = `${otherDoi(made.id)}, not one below ${below}; a record may have been created`;
    throw new CliError('unexpected', message);
  }
  return verifyStored(service, isNonEmptyString(doi) ? doi : made.id, made, {
    done: 'created',
    compared,
  });
}

/**
 * A record, and the attributes of a request that it should contain, both as the service writes
 * them.
 * @param record as the service returns it.
 */
export type Compared = (record: Attributes) => readonly [stored: Attributes, sent: Attributes];

/** The service confirmed a write, but the record lacks what was sent, or cannot be read. */
export class NotStored extends CliError {}

/**
 * The record of an answer. If the answer lacks what was sent, the record is read again.
 * @throws {NotStored}
 */
async function verifyStored(
  service: HttpService,
  doi: string,
  answer: Doi,
  {
    done,
    compared,
    before,
  }: { done: 'created' | 'updated'; compared: Compared; before?: Attributes },
): Promise<Doi> {
  const isSame = isSameDoi(answer.id, doi);
  const old = before && compared(before)[0];
  const missingIn = ({ attributes }: Doi) => unstoredAttribute(...compared(attributes), old);
  if (isSame && missingIn(answer) === undefined) return answer;
  const answered = isSame ? `the service answered that ${doi} was ${done}` : otherDoi(answer.id);
  const now = await recordAfter(service, doi, answered);
  const name = now && missingIn(now);
  if (now !== undefined && name === undefined) return isSame ? answer : now;
  const which =
    name === undefined
      ? 'was not found'
      : `holds ${name} ${short(now?.attributes[name])}, not ${short(compared({})[1][name])}`;
  const doubt = `it may have been ${done} in part, or not at all`;
  const message = `${answered}, but the record ${doi} ${which}: ${doubt}`;
  throw new NotStored('unavailable', message, { hint: 'look at the record, and try again later' });
}

/**
 * The record after a write; undefined if there is none. @param lead the beginning of errors.
 */
function recordAfter(service: HttpService, doi: string, lead: string): Promise<Doi | undefined> {
  return findDoi(service, doi, { retries: 2 }).catch((cause: unknown) => {
    const { message, hint } = toCliError(cause);
    const doubt = `${lead}, and whether the request took effect is not known: ${message}`;
    throw new NotStored('unavailable', doubt, { hint, cause });
  });
}

function short(value: unknown): string {
  return abridged(JSON.stringify(value ?? null));
}

/**
 * Updates a DOI, or sends an event (service.md, W12). After a lost answer the record is read: if it
 * contains what was sent, it is the answer; otherwise the update is sent again. A DOI that does not
 * exist would be created.
 * @param before the record as it was, with affiliations and publisher as objects.
 * @param compared as for {@link createDoi}.
 * @throws {NotStored}
 */
export async function updateDoi(
  service: HttpService,
  { id: doi, attributes: before }: Pick<Doi, 'id' | 'attributes'>,
  body: string,
  compared: Compared = (record) => [record, attributesIn(body)],
): Promise<Doi> {
  const sent = attributesIn(body);
  const after = await service.http.call({
    method: 'PUT',
    url: service.http.url(doiPath(doi), AS_OBJECTS),
    body,
    uninterruptible: true,
    resolveLostAnswer: async () => {
      const now = await findDoi(service, doi);
      // XML, and values in another spelling, are sent again, which does no harm.
      const matching = { exact: true, spelling: true };
      const isStored =
        !('xml' in sent) && now !== undefined && matchesRequest(now.attributes, sent, matching);
      return isStored ? { value: now } : undefined;
    },
    probesNotFound: true,
    read: readDoi,
  });
  return verifyStored(service, doi, after, { done: 'updated', compared, before });
}

function attributesIn(body: string): Attributes {
  return (JSON.parse(body) as { data: { attributes: Attributes } }).data.attributes;
}

/** DOIs are case-insensitive (service.md, O4), and the service accepts them as links. */
function isSameDoi(doi: string, other: string): boolean {
  return bareDoi(doi).toLowerCase() === bareDoi(other).toLowerCase();
}

const otherDoi = (id: string): string => `the service answered with another DOI, ${id}`;

/**
 * Deletes a DOI, which the service does with Drafts only (service.md, W13). Whatever the answer, a
 * record that no longer exists counts as deleted.
 * @throws {NotStored} if it still exists, or may exist.
 */
export async function deleteDoi(service: HttpService, doi: string): Promise<void> {
  const find = () => findDoi(service, doi, { retries: 2 });
  const isDeleted = await service.http.call<boolean>({
    method: 'DELETE',
    url: service.http.url(doiPath(doi)),
    uninterruptible: true,
    probesNotFound: true,
    resolveLostAnswer: async () => ((await find()) === undefined ? { value: true } : undefined),
    read: async (response) => {
      response.discard();
      return response.status === 204;
    },
  });
  if (isDeleted) return;
  const said = `the service answered that ${doi} was deleted`;
  const now = await recordAfter(service, doi, said);
  if (now === undefined) return;
  throw new NotStored('unavailable', `${said}, but it still exists`, { hint: 'try again later' });
}

/**
 * Reads one DOI record, with affiliations and publisher as the objects that an update needs.
 * @throws {CliError} kind `not-found` also for a DOI that the credentials may not read (service.md,
 *   A12).
 */
export function getDoi(
  { http }: HttpService,
  doi: string,
  options: Pick<Call<unknown>, 'retries'> = {},
): Promise<Doi> {
  return http.call({
    method: 'GET',
    url: http.url(doiPath(doi), AS_OBJECTS),
    probesNotFound: true,
    ...options,
    read: async (response) => {
      const record = await readDoi(response);
      if (isSameDoi(record.id, doi)) return record;
      throw new CliError('unexpected', otherDoi(record.id));
    },
  });
}

/**
 * Reads a DOI to change it. @throws {CliError} kind `not-found` if it does not exist or is hidden.
 */
export function getExistingDoi(service: Service, doi: string): Promise<Doi> {
  return getDoi(service, doi).catch((error: unknown) => {
    throw asNotFound(error, doi, service);
  });
}

/** The same error; a `not-found` one mentions that the DOI may be hidden (service.md, A12). */
export function asNotFound(
  error: unknown,
  doi: string,
  { credentials }: Service,
  hint?: string,
): unknown {
  const reader = credentials === undefined ? 'anonymous readers' : 'these credentials';
  if (!(error instanceof CliError) || error.kind !== 'not-found') return error;
  return error.with({
    message: `${doi} does not exist, or ${reader} may not read it`,
    hint,
    problems: [],
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

/** Reads an answer that is one record. */
export async function readDoi(response: WireResponse): Promise<Doi> {
  const text = await readText(response);
  const { data } = (parseJson(text) ?? {}) as { data?: unknown };
  const { id, attributes } = (data ?? {}) as { id?: unknown; attributes?: unknown };
  const resource = memberText(text, 'data');
  if (typeof id !== 'string' || resource === undefined)
    throw new BadBody('the answer is not one DOI record');
  return {
    id,
    attributes: isObject(attributes) ? attributes : {},
    client: clientIn(data),
    text: compactJson(resource),
  };
}

/** The repository account of a resource object, in lower case (service.md, F10). */
export function clientIn(resource: unknown): string | undefined {
  const id = valueAt(resource, ['relationships', 'client', 'data', 'id']);
  return isNonEmptyString(id) ? id.toLowerCase() : undefined;
}
