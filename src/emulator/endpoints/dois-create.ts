import {
  type Answer,
  BAD_CREDENTIALS,
  FORBIDDEN,
  JSON_API,
  json,
  NOT_FOUND,
  problem,
  type Request,
} from '../http/answer.ts';
import { isObject, parseJson } from '../http/json-body.ts';
import type { State } from '../records/pattern.ts';
import { isoSeconds } from '../records/times.ts';
import { resourceTypeId } from '../records/types.ts';
import type { Account } from '../state/accounts.ts';
import { type Identity, knownAccount } from '../state/identity.ts';
import { resourceDocument } from '../state/resource-document.ts';
import type { StoredDoi } from '../state/stored-doi.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { missingFields, type Wrong, wrongFields } from './dois-check.ts';
import { freeDoi } from './dois-random.ts';
import { readDataciteXml } from './read-xml.ts';

export type Attributes = Readonly<Record<string, unknown>>;

const CREATED_VIEW = { detail: true, affiliation: false, publisher: false };

/** POST /dois (service.md, W1, W7, W8). */
export function createDoi(world: World, request: Request, identity: Identity): Answer {
  if (identity.kind === 'anonymous') return BAD_CREDENTIALS;
  const sent = sentAttributes(request, identity, 'new');
  if ('refusal' in sent) return sent.refusal;
  const { account, attributes } = sent;
  const name = nameFor(world, attributes);
  if (name === undefined) return FORBIDDEN;
  if (world.catalogue.find(name) !== undefined) {
    return mayWrite(account, name) ? invalid(name, [['doi', 'This DOI has already been taken']]) : FORBIDDEN;
  }
  return createNamed(world, account, name, attributes);
}

function createNamed(world: World, account: Account, name: string, attributes: Attributes): Answer {
  const made = makeNamed(world, account, name, attributes);
  return writeAnswer(world, account, name, made, 201);
}

/** The result of a write: the record as it is now, its errors, or a refusal of the account. */
export type Written = StoredDoi | readonly Wrong[] | 'forbidden';

/** Creates a record with an unused DOI. */
export function makeNamed(world: World, account: Account, name: string, given: Attributes): Written {
  if (!mayWrite(account, name)) return 'forbidden';
  // Takes more DOIs than the service does (service.md, W10).
  if (!/^10\.\d{4,9}\/\S+$/.test(name)) return [['doi', 'is invalid']];
  const { attributes, xml } = withXml(given);
  const state = stateAfter(attributes['event']);
  const wrong = [...missingFields(attributes, state), ...wrongFields(attributes)];
  if (wrong.length > 0) return wrong;

  const record = { ...makeRecord(world, account, name, attributes, state), xml };
  world.catalogue.add(record);
  return record;
}

/** The answer to a write of one record. */
export function writeAnswer(
  world: World,
  account: Account,
  name: string,
  written: Written,
  status: number,
): Answer {
  if (written === 'forbidden') return FORBIDDEN;
  return 'doi' in written ? documentAnswer(world, account, written, status) : invalid(name, written);
}

/**
 * Metadata may also be sent as XML in base64 (service.md, W16). The attributes sent with it win; here a null
 * wins, too.
 */
export function withXml(given: Attributes): { attributes: Attributes; xml: string | undefined } {
  const { xml: encoded, ...attributes } = given;
  if (typeof encoded !== 'string' || encoded === '') return { attributes, xml: undefined };
  const xml = Buffer.from(encoded, 'base64').toString();
  return { attributes: { ...readDataciteXml(xml), ...attributes }, xml };
}

function documentAnswer(world: World, account: Account, record: StoredDoi, status: number): Answer {
  const document = resourceDocument(world.catalogue, record, CREATED_VIEW);
  return { status, body: document, contentType: JSON_API, headers: consumerHeaders(account) };
}

/** The account that writes and the attributes that it sent, or the refusal. */
export function sentAttributes(
  request: Request,
  identity: Identity,
  target: Target,
): { readonly account: Account; readonly attributes: Attributes } | { readonly refusal: Answer } {
  const writer = writerOf(identity, target);
  // The service reads the body of a new record before it looks for the account.
  if (target === 'existing' && 'refusal' in writer) return writer;
  // The service ignores a body of another media type, as if there were none.
  const body = isJson(request) ? parseJson(request.body) : undefined;
  const data = isObject(body) ? body['data'] : undefined;
  if (!isObject(data)) {
    // A body without `data` is a bad request (service.md, W9).
    return { refusal: problem(400, 'You need to provide a payload following the JSONAPI spec') };
  }
  if ((data['type'] ?? 'dois') !== 'dois') {
    return { refusal: problem(409, `The type must be dois and not ${JSON.stringify(data['type'])}`) };
  }
  if ('refusal' in writer) return writer;
  return { ...writer, attributes: isObject(data['attributes']) ? data['attributes'] : {} };
}

function isJson({ headers }: Request): boolean {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return ['application/vnd.api+json', 'application/json', 'text/x-json'].includes(type);
}

/** Whether a write is for a record that exists. */
type Target = 'new' | 'existing';

/**
 * The account that may write, or the refusal. A new record needs a repository, so that credentials without
 * one get a 404; for an existing one they get a 401 or 403 (service.md, A9).
 */
export function writerOf(
  identity: Identity,
  target: Target,
): { readonly account: Account } | { readonly refusal: Answer } {
  const account = knownAccount(identity);
  if (target === 'new' && account?.kind !== 'repository') return { refusal: NOT_FOUND };
  if (account === undefined) return { refusal: BAD_CREDENTIALS };
  return account.active && account.kind === 'repository' ? { account } : { refusal: FORBIDDEN };
}

function mayWrite(account: Account, name: string): boolean {
  return account.prefixes.includes(name.split('/')[0] ?? '');
}

/**
 * The DOI asked for, in lower case (service.md, O4), or a free one under the prefix asked for (service.md,
 * W2).
 */
function nameFor(world: World, attributes: Attributes): string | undefined {
  const { doi, prefix } = attributes;
  if (typeof doi === 'string' && doi !== '') return doi.toLowerCase();
  if (typeof prefix !== 'string' || prefix === '') return undefined;
  return freeDoi(world, prefix);
}

/**
 * The state of a new record (service.md, W3). An event that is unknown or does not fit is ignored
 * (service.md, W4): `hide` is for Findable records, so a new record stays a Draft.
 */
function stateAfter(event: unknown): State {
  if (event === 'publish') return 'findable';
  return event === 'register' ? 'registered' : 'draft';
}

/** Errors in a record name the attribute in snake_case and have no status (service.md, E2). */
export function invalid(doi: string, errors: readonly Wrong[]): Answer {
  return json(422, { errors: errors.map(([source, title]) => ({ source, title, uid: doi })) });
}

function makeRecord(world: World, account: Account, doi: string, given: Attributes, state: State): StoredDoi {
  const seconds = Math.floor(world.clock.now() / 1000);
  const now = isoSeconds(seconds);
  const registered = state === 'draft' ? undefined : seconds;
  const own = ownMembers(given);
  const year = yearOf(given);
  return {
    doi,
    kind: {
      clientId: account.id,
      providerId: account.providerId,
      prefix: doi.split('/')[0] ?? '',
      state,
      resourceTypeId: typeOf(given),
    },
    times: {
      created: seconds,
      updated: seconds,
      registered,
      published: year,
    },
    attributes: {
      ...DEFAULTS,
      ...own,
      doi,
      isActive: state === 'findable',
      state,
      created: now,
      registered: registered === undefined ? null : now,
      published: year === undefined ? null : String(year),
      updated: now,
    },
  };
}

/**
 * The sent attributes that become part of the record; the others have no effect (service.md, W15). The
 * service takes `reason`, too.
 */
export function ownMembers(given: Attributes): Attributes {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !OF_THE_SERVICE.has(name)));
}

const OF_THE_SERVICE = new Set([
  ...['doi', 'prefix', 'suffix', 'event', 'isActive', 'state', 'reason', 'metadataVersion'],
  ...['viewCount', 'downloadCount', 'referenceCount', 'citationCount', 'partCount', 'partOfCount'],
  ...['versionCount', 'versionOfCount', 'viewsOverTime', 'downloadsOverTime', 'citationsOverTime'],
  ...['created', 'registered', 'published', 'updated'],
]);

/** The year of publication, if there is one. */
export function yearOf(given: Attributes): number | undefined {
  const year = Number(given['publicationYear'] ?? Number.NaN);
  return Number.isInteger(year) ? year : undefined;
}

/** The type in the spelling of the `resource-type-id` filter; empty without one. */
export function typeOf(given: Attributes): string {
  const types = given['types'];
  const general = isObject(types) ? types['resourceTypeGeneral'] : undefined;
  return typeof general === 'string' ? resourceTypeId(general) : '';
}

/** The members of an empty record, in the order of the service. */
const DEFAULTS: Attributes = {
  doi: '',
  identifiers: [],
  creators: [],
  titles: [],
  publisher: null,
  container: {},
  publicationYear: null,
  subjects: [],
  contributors: [],
  dates: [],
  language: null,
  types: {},
  relatedIdentifiers: [],
  relatedItems: [],
  sizes: [],
  formats: [],
  version: null,
  rightsList: [],
  descriptions: [],
  geoLocations: [],
  fundingReferences: [],
  url: null,
  contentUrl: null,
  metadataVersion: 0,
  schemaVersion: 'http://datacite.org/schema/kernel-4',
  source: 'api',
  isActive: false,
  state: 'draft',
  reason: null,
  viewCount: 0,
  downloadCount: 0,
  referenceCount: 0,
  citationCount: 0,
  partCount: 0,
  partOfCount: 0,
  versionCount: 0,
  versionOfCount: 0,
  created: '',
  registered: null,
  published: null,
  updated: '',
};
