import { type Answer, JSON_TYPE, NOT_FOUND, problem, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import type { Kind } from '../records/pattern.ts';
import type { Account } from '../state/accounts.ts';
import type { Entry } from '../state/catalogue.ts';
import { singleDocument } from '../state/resource-document.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { formatted, wantedType } from './dois-formats.ts';
import { attributesOf } from './dois-update.ts';
import { readSingleView } from './view.ts';

/**
 * GET /dois/{doi}: a single record, always with its details, or in another format that the Accept
 * header or the path requests.
 *
 * @param type the media type in the path
 */
export function getDoi(
  world: World,
  request: Request,
  account: Account | undefined,
  doi: string,
  type = wantedType(request.headers.accept),
): Answer {
  const entry = world.catalogue.find(doi.toLowerCase());
  if (entry === undefined || !mayRead(account, world.catalogue.kind(entry))) return NOT_FOUND;
  const headers = consumerHeaders(account);
  if (type !== 'json') {
    const style = new Params(request.query).get('style');
    const body = type === undefined ? undefined : inFormat(world, entry, type, style);
    if (body === undefined) return UNKNOWN_FORMAT;
    return { status: 200, body, contentType: `${type}; charset=utf-8`, headers };
  }
  const kind = world.catalogue.kind(entry);
  const view = readSingleView(world, new Params(request.query), account, kind);
  return {
    status: 200,
    body: withXml(world, entry, singleDocument(world.catalogue, entry, view)),
    contentType: JSON_TYPE,
    headers,
  };
}

/**
 * GET /{doi}: redirects to the address of a Findable DOI, or answers in the format that the Accept
 * header requests (service.md, O10).
 */
export function resolve(
  world: World,
  request: Request,
  account: Account | undefined,
  doi: string,
): Answer {
  const entry = world.catalogue.find(doi.toLowerCase());
  if (entry === undefined || world.catalogue.kind(entry).state !== 'findable') return NOT_FOUND;
  const type = wantedType(request.headers.accept);
  if (type !== undefined && type !== 'json') return getDoi(world, request, account, doi, type);
  const headers = {
    ...consumerHeaders(account),
    location: String(attributesOf(world, entry)['url']),
  };
  return { status: 303, headers };
}

/** The answer to an Accept header without a known format. */
export const UNKNOWN_FORMAT = problem(406, 'The content type is not recognized.');

/** Adds the XML of a generated record. Lists do not have it, because writing it takes too long. */
function withXml(world: World, entry: Entry, document: string): string {
  if (typeof entry !== 'number') return document;
  const xml = Buffer.from(inFormat(world, entry, 'application/vnd.datacite.datacite+xml') ?? '');
  // A replacement in the text, because parsing and printing would change numbers.
  return document.replace('"xml":null', `"xml":"${xml.toString('base64')}"`);
}

/** A record in another format; undefined for an unknown media type. */
export function inFormat(
  world: World,
  entry: Entry,
  type: string,
  style?: string,
): string | undefined {
  if (typeof entry !== 'number' && entry.xml !== undefined && /datacite\+xml$/.test(type))
    return entry.xml;
  const { clientId, providerId } = world.catalogue.kind(entry);
  return formatted(type, { ...attributesOf(world, entry), clientId, providerId }, style);
}

/**
 * Unlike in a list (service.md, A10), a single record that is not Findable is visible only to its
 * repository and to that repository's member (service.md, A12).
 */
function mayRead(account: Account | undefined, kind: Kind): boolean {
  if (kind.state === 'findable') return true;
  if (account === undefined) return false;
  return account.kind === 'repository'
    ? account.id === kind.clientId
    : account.id === kind.providerId;
}
