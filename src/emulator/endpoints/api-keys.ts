import {
  type Answer,
  BAD_CREDENTIALS,
  FORBIDDEN,
  json,
  methodNotAllowed,
  NOT_FOUND,
  problem,
  type Request,
} from '../http/answer.ts';
import { isObject, parseJson } from '../http/json-body.ts';
import { Params } from '../http/params.ts';
import type { Account } from '../state/accounts.ts';
import { apiKeyResource } from '../state/api-keys.ts';
import type { Identity } from '../state/identity.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';

/** /credentials/api-keys and /credentials/api-keys/{id} (service.md, K5, K8, K10). */
export function credentialsEndpoint(
  world: World,
  request: Request,
  identity: Identity,
  keyId?: string,
): Answer {
  if (keyId === undefined) {
    if (request.method === 'GET') return list(world, request, identity);
    if (request.method === 'POST') return create(world, request, identity);
    return methodNotAllowed('GET, POST');
  }
  return request.method === 'DELETE' ? revoke(world, identity, keyId) : methodNotAllowed('DELETE');
}

function list(world: World, request: Request, identity: Identity): Answer {
  if (identity.kind === 'api-key') return FORBIDDEN;
  if (identity.kind !== 'account') return BAD_CREDENTIALS;
  if (identity.account.kind === 'member') return FORBIDDEN;
  const revoked = new Params(request.query).get('include_revoked')?.toLowerCase() === 'true';
  const keys = world.keys.list(identity.account.id, revoked);
  const body = {
    data: keys.map((key) => apiKeyResource(key, false)),
    meta: { total: keys.length },
  };
  return json(200, body, consumerHeaders(identity.account));
}

function create(world: World, request: Request, identity: Identity): Answer {
  if (identity.kind === 'api-key') return FORBIDDEN;
  const account = repositoryOf(identity);
  // Without the credentials of a repository account, a create answers 404 and not 401 (service.md,
  // K14, K15).
  if (account === undefined) return NOT_FOUND;
  // An inactive account may list its keys and nothing else (service.md, K16).
  if (!account.active) return FORBIDDEN;
  const name = nameIn(parseJson(request.body));
  if (typeof name !== 'string') return name;
  const key = world.keys.create(account.id, name);
  return json(201, { data: apiKeyResource(key, true) }, consumerHeaders(account));
}

function revoke(world: World, identity: Identity, keyId: string): Answer {
  if (identity.kind === 'api-key') return FORBIDDEN;
  const key = world.keys.get(keyId);
  if (key === undefined) return NOT_FOUND;
  if (identity.kind !== 'account') return BAD_CREDENTIALS;
  const { active, id, kind } = identity.account;
  // A member can also revoke the keys of its repositories (service.md, K12).
  const owner = kind === 'member' ? key.accountId.split('.')[0] : key.accountId;
  if (!active || owner !== id) return FORBIDDEN;
  world.keys.revoke(key);
  return { status: 204, headers: consumerHeaders(identity.account) };
}

function repositoryOf(identity: Identity): Account | undefined {
  return identity.kind === 'account' && identity.account.kind === 'repository'
    ? identity.account
    : undefined;
}

/** The name in a create body, or the answer that refuses it. */
function nameIn(body: unknown): string | Answer {
  const missing = (member: string) =>
    problem(422, `param is missing or the value is empty: ${member}`);
  if (!isObject(body) || !isObject(body['data'])) return missing('data');
  const attributes = body['data']['attributes'];
  if (!isObject(attributes)) return missing('attributes');
  const name = attributes['name'];
  if (typeof name !== 'string' || name.trim() === '') return problem(422, "Name can't be blank");
  // The length of the database column (service.md, K6).
  if ([...name].length > 191)
    return problem(500, "Mysql2::Error: Data too long for column 'name' at row 1");
  return name;
}
