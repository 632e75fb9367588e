import { type Answer, json, problem, type Request } from '../http/answer.ts';
import { isObject, parseJson } from '../http/json-body.ts';
import { Params } from '../http/params.ts';
import { identify, tokenOf } from '../state/identity.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';

const LIFETIME_SECONDS = 30 * 24 * 3600;

/** POST /token: a token for an account and its password, not for an API key. */
export function createToken({ accounts, keys }: World, request: Request): Answer {
  const given = parametersOf(request);
  const refused = (title: string) => problem(400, title, consumerHeaders(undefined));
  if (given('grant_type') !== 'password') return refused('Wrong grant type.');
  const [username, password] = [given('username'), given('password')];
  if ([username, password].some((text) => text.trim() === '' || text === 'undefined'))
    return refused('Missing account ID or password.');
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const identity = identify(`Basic ${credentials}`, accounts, keys);
  if (identity.kind !== 'account') return refused('Wrong account ID or password.');
  const body = { access_token: tokenOf(identity.account), expires_in: LIFETIME_SECONDS };
  return json(200, body, consumerHeaders(undefined));
}

/** The parameters of a form, of JSON or of the query. */
function parametersOf({ body, query, headers }: Request): (name: string) => string {
  if (/json/.test(headers['content-type'] ?? '')) {
    const value = parseJson(body);
    return (name) => String((isObject(value) && value[name]) || '');
  }
  const params = new Params(`${query}&${body}`);
  return (name) => params.get(name) ?? '';
}
