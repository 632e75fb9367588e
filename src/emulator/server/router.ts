import { credentialsEndpoint } from '../endpoints/api-keys.ts';
import { asRefused, consumerHeaders } from '../endpoints/consumer.ts';
import { datafileCredentials } from '../endpoints/datafile.ts';
import { createDoi } from '../endpoints/dois-create.ts';
import { MEDIA_TYPE_PATH } from '../endpoints/dois-formats.ts';
import { getDoi } from '../endpoints/dois-get.ts';
import { listDois } from '../endpoints/dois-list.ts';
import { getActivities, getDois, getUrl, PART_PATH } from '../endpoints/dois-parts.ts';
import { randomDois } from '../endpoints/dois-random.ts';
import { deleteDoi, putDoi } from '../endpoints/dois-update.ts';
import { validateDoi } from '../endpoints/dois-validate.ts';
import { MDS_PREFIX, mds } from '../endpoints/mds.ts';
import {
  DOIS_PATH,
  getOrganization,
  listPrefixes,
  ORGANIZATION_PATH,
} from '../endpoints/organizations.ts';
import { isObjectRequest, S3_PREFIX, s3 } from '../endpoints/s3.ts';
import {
  type Answer,
  BAD_CREDENTIALS,
  json,
  methodNotAllowed,
  NOT_FOUND,
  type Request,
} from '../http/answer.ts';
import { decode } from '../http/segment.ts';
import type { FaultRule, Topic } from '../state/faults.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import type { World } from '../state/world.ts';

/**
 * Answers one request of the service's own API (not of the control endpoint).
 *
 * @param fault the fault that strikes a list of DOIs or the object store
 * @returns `poisoned` when a poisoned record makes the page fail
 */
export function route(
  world: World,
  request: Request,
  identity: Identity,
  fault?: FaultRule,
): Answer | 'poisoned' {
  const answer = carryOut(world, request, identity, fault);
  return answer === 'poisoned' ? answer : asRefused(answer, identity);
}

function carryOut(
  world: World,
  request: Request,
  identity: Identity,
  fault: FaultRule | undefined,
): Answer | 'poisoned' {
  const { method } = request;
  const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
  if (path === '/heartbeat') return method === 'GET' ? HEARTBEAT : methodNotAllowed('GET');
  if (request.path.startsWith(S3_PREFIX)) return s3(world, request, fault);
  if (path.startsWith(MDS_PREFIX))
    return mds(world, request, identity, path.slice(MDS_PREFIX.length));
  if (method === 'OPTIONS') return { status: 204, contentType: 'text/plain' };
  // A token that cannot be read is refused before anything else (service.md, A14).
  if (identity.kind === 'unreadable') return BAD_CREDENTIALS;
  if (path === '/credentials/datafile') return datafileCredentials(world, request, identity);
  const list = (asked: Request, type?: string) =>
    listDois(world, asked, activeAccount(identity), fault, world.faults.poisons, type);
  if (path === '/dois') {
    if (method === 'GET') return list(request);
    return method === 'POST' ? createDoi(world, request, identity) : methodNotAllowed('GET, POST');
  }
  const owner = DOIS_PATH.exec(path)?.groups;
  if (owner !== undefined && method === 'GET') {
    // The id of a repository below /repositories is no parameter of a list, which holds all records
    // then.
    const name =
      { clients: 'client-id', providers: 'provider-id' }[owner['type'] ?? ''] ?? 'repository-id';
    return list({ ...request, query: `${request.query}&${name}=${owner['id']}` });
  }
  const key = /^\/credentials\/api-keys(?:\/(?<id>[^/]+))?$/.exec(path)?.groups;
  if (key !== undefined)
    return credentialsEndpoint(world, request, identity, key['id'] && decode(key['id']));
  if (path === '/dois/random')
    return method === 'GET' ? randomDois(request) : methodNotAllowed('GET');
  if (path === '/dois/get-dois' && method === 'GET') return getDois(world, identity);
  if (path === '/dois/validate')
    return method === 'POST' ? validateDoi(world, request, identity) : methodNotAllowed('POST');
  if (path === '/dois/status' && method === 'POST')
    return json(501, { message: 'Not Implemented.' });
  if (/^\/prefixes(\/|$)/.test(path) && method === 'GET') {
    return { ...listPrefixes(world, request), headers: consumerHeaders(activeAccount(identity)) };
  }
  const organization = ORGANIZATION_PATH.exec(path)?.groups;
  if (organization !== undefined && method === 'GET') {
    const found = getOrganization(
      world,
      organization['type'] ?? '',
      decode(organization['id'] ?? ''),
    );
    return { ...found, headers: { ...found.headers, ...consumerHeaders(activeAccount(identity)) } };
  }
  const typed = MEDIA_TYPE_PATH.exec(path)?.groups;
  if (typed !== undefined && method === 'GET') {
    const { type, doi } = typed;
    return doi === undefined
      ? list(request, type)
      : getDoi(world, request, activeAccount(identity), decode(doi), type);
  }
  return oneDoi(world, request, identity, path);
}

/** Answers a request about one DOI. */
function oneDoi(
  world: World,
  request: Request,
  identity: Identity,
  path: string,
): Answer | 'poisoned' {
  const { method } = request;
  const part = PART_PATH.exec(path)?.groups;
  if (part !== undefined && method === 'GET') {
    const [account, doi] = [activeAccount(identity), decode(part['doi'] ?? '')];
    return part['part'] === 'get-url'
      ? getUrl(world, account, doi)
      : getActivities(world, request, doi);
  }
  // A DOI contains a slash, percent-encoded or not.
  const doi = /^\/dois\/(.+)$/.exec(path)?.[1];
  if (doi === undefined) return NOT_FOUND;
  if (method === 'GET') return getDoi(world, request, activeAccount(identity), decode(doi));
  if (method === 'PUT' || method === 'PATCH') return putDoi(world, request, identity, decode(doi));
  return method === 'DELETE'
    ? deleteDoi(world, identity, decode(doi))
    : methodNotAllowed('GET, PATCH, PUT, DELETE');
}

/** The topic of a request, for faults that strike only some requests. */
export function topicOf(request: Pick<Request, 'method' | 'path'>): Topic {
  const { method, path } = request;
  if (path.startsWith(S3_PREFIX)) return isObjectRequest(request) ? 'object' : 'bucket';
  if (method === 'GET') return /^\/dois\/?$/.test(path) ? 'list' : 'other';
  return /^\/dois\/validate\/?$/.test(path) ? 'other' : 'write';
}

/** The answer of the service (service.md, O2). */
const HEARTBEAT: Answer = {
  status: 200,
  body: 'OK',
  contentType: 'text/plain; charset=utf-8',
  headers: consumerHeaders(undefined),
};
