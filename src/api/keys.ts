import { CliError } from '../errors.ts';
import { BadBody, readJson } from './http/body.ts';
import type { Call } from './http/call.ts';
import type { Http } from './http/http.ts';
import type { ApiKey } from './types.ts';

const PATH = '/credentials/api-keys';

/**
 * The API keys of the authenticated repository account, active ones only unless asked otherwise
 * (specification, section 4.2). The list is not paginated (observed). After something that may have had its effect,
 * `uninterruptible` lets the look at what is there come to its end.
 */
export async function listKeys(
  http: Http,
  includeRevoked: boolean,
  options: Pick<Call<unknown>, 'uninterruptible' | 'retries'> = {},
): Promise<readonly ApiKey[]> {
  // Only the exact value `true` switches it on (observed).
  const url = http.url(PATH, includeRevoked ? [['include_revoked', 'true']] : []);
  const { data } = await http.call({ method: 'GET', url, ...options, read: readJson });
  if (!Array.isArray(data) || !data.every(isApiKey))
    throw new BadBody('the answer is not a list of API keys');
  return data;
}

/** A key that was just made: the resource object as the service sent it, `key` included. */
export type NewApiKey = ApiKey & { readonly attributes: { readonly key: string } };

/**
 * Creates an API key (specification, section 4.1). It is never repeated once it may have had its effect, and
 * an interrupt waits for it: an answer that nobody reads is an active key that nobody knows.
 */
export async function createKey(http: Http, name: string): Promise<NewApiKey> {
  const body = JSON.stringify({ data: { type: 'apiKeys', attributes: { name } } });
  const { data } = await http.call({
    method: 'POST',
    url: http.url(PATH),
    body,
    uninterruptible: true,
    read: readJson,
  });
  if (!isApiKey(data) || typeof data.attributes.key !== 'string' || data.attributes.key === '') {
    throw new BadBody('the answer holds no API key');
  }
  return data as NewApiKey;
}

/**
 * Revokes an API key for good (specification, section 4.3). Do not call it for a key that is revoked already:
 * the service would answer 204 again and overwrite the time of revocation (observed). An interrupt waits for the answer.
 */
export async function revokeKey(
  http: Http,
  id: string,
  options: Pick<Call<unknown>, 'retries'> = {},
): Promise<void> {
  // As a path these would lead to another address.
  if (/^\.*$/.test(id)) throw new CliError('unexpected', `'${id}' is not the id of a key`);
  const url = http.url(`${PATH}/${encodeURIComponent(id)}`);
  await http.call({
    method: 'DELETE',
    url,
    uninterruptible: true,
    ...options,
    read: async (response) => response.discard(),
  });
}

function isApiKey(value: unknown): value is ApiKey {
  const { id, attributes } = (value ?? {}) as Partial<ApiKey>;
  return (
    typeof id === 'string' &&
    typeof attributes === 'object' &&
    attributes !== null &&
    [attributes.name, attributes.keyPrefix, attributes.created].every((value) => typeof value === 'string') &&
    [attributes.lastUsedAt, attributes.revokedAt].every((value) => typeof (value ?? '') === 'string')
  );
}
