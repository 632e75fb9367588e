import { credentialsEndpoint } from '../endpoints/api-keys.ts';
import { asRefused, consumerHeaders } from '../endpoints/consumer.ts';
import { datafileCredentials } from '../endpoints/datafile.ts';
import { createDoi } from '../endpoints/dois-create.ts';
import { MEDIA_TYPE_PATH } from '../endpoints/dois-formats.ts';
import { getDoi, resolve } from '../endpoints/dois-get.ts';
import { listDois } from '../endpoints/dois-list.ts';
import { getActivities, getDois, getMedia, getUrl, PART_PATH } from '../endpoints/dois-parts.ts';
import { randomDois } from '../endpoints/dois-random.ts';
import { deleteDoi, putDoi } from '../endpoints/dois-update.ts';
import { validateDoi } from '../endpoints/dois-validate.ts';
import { EVENTS_PATH, getEvents } from '../endpoints/events.ts';
import { DOIS_PATH, readOrganizations } from '../endpoints/organizations.ts';
import { type Answer, BAD_CREDENTIALS, json, NOT_FOUND, type Request } from '../http/answer.ts';
import { decode } from '../http/params.ts';
import { PREFLIGHT } from '../http/service-headers.ts';
import type { FaultRule, Topic } from '../state/faults.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import type { World } from '../state/world.ts';

/**
 * Answers one request to the service's own API (not to the control endpoint).
 *
 * @param fault the fault that strikes a list of DOIs
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
  const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
  if (request.method === 'OPTIONS') return PREFLIGHT;
  // A token that cannot be read is refused before anything else (service.md, A14).
  if (identity.kind === 'unreadable') return BAD_CREDENTIALS;
  const list = (listed: Request, type?: string) =>
    listDois(world, listed, activeAccount(identity), fault, world.faults.poisons, type);
  const handler = FIXED_ROUTES[`${request.method} ${path}`];
  if (handler !== undefined) return handler(world, request, identity);
  if (path === '/dois' && request.method === 'GET') return list(request);
  const key = /^\/credentials\/api-keys(?:\/(?<id>[^/]+))?$/.exec(path)?.groups;
  if (key !== undefined)
    return credentialsEndpoint(world, request, identity, key['id'] && decode(key['id']));
  if (request.method === 'GET') {
    const owner = DOIS_PATH.exec(path)?.groups;
    // The service does not filter by the id in /repositories/{id}/dois: that list contains all
    // records.
    const name =
      { clients: 'client-id', providers: 'provider-id' }[owner?.['type'] ?? ''] ?? 'none';
    if (owner !== undefined)
      return list({ ...request, query: `${request.query}&${name}=${owner['id']}` });
    const events = EVENTS_PATH.exec(path)?.groups;
    if (events !== undefined) return getEvents(world, request, events['id']);
    const answer = readOrganizations(world, request, path);
    if (answer !== undefined) return forReader(answer, identity);
    const typed = MEDIA_TYPE_PATH.exec(path)?.groups;
    if (typed?.['doi'] !== undefined)
      return getDoi(world, request, activeAccount(identity), decode(typed['doi']), typed['type']);
    if (typed !== undefined) return list(request, typed['type']);
  }
  return oneDoi(world, request, identity, path);
}

/** An answer that every caller gets, with the headers about this caller. */
function forReader(answer: Answer, identity: Identity): Answer {
  if (answer === NOT_FOUND) return answer;
  return { ...answer, headers: { ...answer.headers, ...consumerHeaders(activeAccount(identity)) } };
}

type Handler = (world: World, request: Request, identity: Identity) => Answer;

/** The requests whose path is fixed. */
const FIXED_ROUTES: Readonly<Record<string, Handler>> = {
  'GET /': () => ({ status: 301, headers: { location: 'https://support.datacite.org/docs/api' } }),
  'GET /heartbeat': () => HEARTBEAT,
  'GET /credentials/datafile': datafileCredentials,
  'POST /dois': createDoi,
  'GET /dois/random': (_, request, identity) => forReader(randomDois(request), identity),
  'GET /dois/get-dois': (world, _, identity) => getDois(world, identity),
  'POST /dois/validate': validateDoi,
  'POST /dois/status': (_, __, identity) =>
    forReader(json(501, { message: 'Not Implemented.' }), identity),
};

/** Answers a request about one DOI. */
function oneDoi(
  world: World,
  request: Request,
  identity: Identity,
  path: string,
): Answer | 'poisoned' {
  const { method } = request;
  const account = activeAccount(identity);
  const part = PART_PATH.exec(path)?.groups;
  if (part !== undefined && method === 'GET') {
    const doi = decode(part['doi'] ?? '');
    if (part['part'] === 'get-url') return getUrl(world, account, doi);
    return part['part'] === 'media'
      ? getMedia(world, request, account, doi)
      : getActivities(world, request, doi);
  }
  // A DOI contains a slash, percent-encoded or not.
  const doi = /^\/dois\/(.+)$/.exec(path)?.[1];
  if (doi === undefined)
    return method === 'GET' ? resolve(world, request, account, decode(path.slice(1))) : NOT_FOUND;
  if (method === 'GET') return getDoi(world, request, account, decode(doi));
  if (method === 'PUT' || method === 'PATCH') return putDoi(world, request, identity, decode(doi));
  return method === 'DELETE' ? deleteDoi(world, identity, decode(doi)) : NOT_FOUND;
}

/** The topic of a request; some faults strike only requests about one topic. */
export function topicOf(request: Pick<Request, 'method' | 'path'>): Topic {
  const { method, path } = request;
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
