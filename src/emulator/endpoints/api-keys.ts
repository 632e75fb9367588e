import {
  type Answer,
  BAD_CREDENTIALS,
  FORBIDDEN,
  json,
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
    return request.method === 'POST' ? create(world, request, identity) : NOT_FOUND;
  }
  return request.method === 'DELETE' ? revoke(world, identity, keyId) : NOT_FOUND;
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
  // Without the credentials of a repository account, the answer is 404, not 401 (service.md, K14,
  // K15).
  if (account === undefined) return NOT_FOUND;
  const name = nameIn(parseJson(request.body));
  if (typeof name !== 'string') return name;
  // An inactive account may list its keys and nothing else (service.md, K16).
  if (!account.active) return FORBIDDEN;
  if (name.trim() === '') return problem(422, "Name can't be blank", consumerHeaders(account));
  // The length of the database column (service.md, K6).
  if ([...name].length > 191)
    return problem(500, "Mysql2::Error: Data too long for column 'name' at row 1");
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

/**
 * The name in the body, or the answer that refuses it. A number counts as text, and a list or an
 * object as a missing name (service.md, K6).
 */
function nameIn(body: unknown): string | Answer {
  let value: unknown = isObject(body) ? body : {};
  for (const [member, method] of [
    ['data', 'require'],
    ['attributes', 'permit'],
  ] as const) {
    value = (value as Readonly<Record<string, unknown>>)[member];
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0;
    if (value === undefined || value === '' || isEmpty)
      return problem(422, `param is missing or the value is empty or invalid: ${member}`);
    if (!isObject(value)) {
      const type = Array.isArray(value) ? 'Array' : 'String';
      return problem(400, `undefined method '${method}' for an instance of ${type}`);
    }
  }
  const { name } = value as { name?: unknown };
  if (typeof name === 'boolean') return name ? 't' : 'f';
  return typeof name === 'string' || typeof name === 'number' ? String(name) : '';
}
