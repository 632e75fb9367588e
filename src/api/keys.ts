import { CliError } from '../errors.ts';
import { isObject } from '../text/json-values.ts';
import { BadBody, readJson } from './http/body.ts';
import type { Call } from './http/call.ts';
import type { Http } from './http/http.ts';
import { totalIn } from './pagination.ts';

const PATH = '/credentials/api-keys';

/** An API key of a repository account, as the service sends it (service.md, K1). */
export interface ApiKey {
  readonly id: string;
  readonly type: 'apiKeys';
  readonly attributes: {
    readonly name: string;
    /** The first 11 characters of the key (service.md, K2). */
    readonly keyPrefix: string;
    /** ISO 8601 UTC. */
    readonly created: string;
    readonly updated: string;
    /**
     * Null if never used; updated at most every 15 minutes (service.md, K17). It may be missing.
     */
    readonly lastUsedAt?: string | null;
    /** Null while the key is active. */
    readonly revokedAt?: string | null;
    /** The whole key: only in the answer to its creation (service.md, K4). */
    readonly key?: string;
  };
  readonly relationships?: {
    readonly client?: { readonly data?: { readonly id: string; readonly type: string } };
  };
}

/** A new key, with its `key`. */
export type NewApiKey = ApiKey & { readonly attributes: { readonly key: string } };

/**
 * All API keys of the account: the list is not paginated (service.md, K8).
 * @throws {CliError} kind `unexpected` when the service counts more keys than it lists.
 * @internal
 */
export async function listKeys(
  http: Http,
  includeRevoked: boolean,
  options: Pick<Call<unknown>, 'uninterruptible' | 'retries' | 'isProbe'> = {},
): Promise<readonly ApiKey[]> {
  // Any other value than `true` leaves revoked keys out (service.md, K9).
  const url = http.url(PATH, includeRevoked ? [['include_revoked', 'true']] : []);
  const { data, meta, links, errors } = await http
    .call({
      method: 'GET',
      url,
      ...options,
      read: readJson,
    })
    .catch((error: unknown) => {
      if (!(error instanceof CliError) || error.status !== 403) throw error;
      // Members get 403 (service.md, K15).
      const hint = 'API keys belong to repositories: use an active repository account';
      throw error.with({ hint });
    });
  if (!Array.isArray(data) || !data.every(isApiKey))
    throw new BadBody('the answer is not a list of API keys');
  const ids = new Set(data.map(({ id }) => id));
  const failed =
    Array.isArray(errors) && errors.length > 0 ? 'the service reports errors' : undefined;
  // With duplicate ids, either entry may be wrong.
  const twice = ids.size < data.length ? 'it contains a key twice' : undefined;
  const problem = whyIncomplete(ids.size, meta, links) ?? failed ?? twice;
  if (problem === undefined) return data;
  throw new CliError('unexpected', `the list of keys is not complete: ${problem}`, {
    hint: 'check --base-url',
  });
}

/** Why there must be more keys than the `listed` ids; undefined if nothing suggests it. */
function whyIncomplete(listed: number, meta: unknown, links: unknown): string | undefined {
  const total = totalIn(meta);
  // A missing total is accepted, an unreadable one is not.
  const unreadable = total === undefined && isObject(meta) && 'total' in meta;
  if (unreadable)
    return `it has ${listed} keys, and the service's total (meta.total) is unreadable`;
  if (total !== undefined && total > listed)
    return `the service counts ${total} keys, but lists ${listed}`;
  const next = isObject(links) ? (links['next'] ?? '') : '';
  return next === '' ? undefined : `it has ${listed} keys, and the service links to another page`;
}

// Other characters could be commands in a terminal or a CI log. Otherwise the format of a key is
// open (service.md, K3).
const PRINTABLE_KEY = /^[\x21-\x7e]{1,1000}$/;

/**
 * Creates an API key (service.md, K5). The request is never repeated once it may have taken effect,
 * and an interrupt waits for the answer: an unread answer leaves an orphaned active key. @throws
 * {BadBody} for an answer without a printable key.
 * @internal
 */
export async function createKey(http: Http, name: string): Promise<NewApiKey> {
  const { data } = await http.call({
    method: 'POST',
    url: http.url(PATH),
    body: JSON.stringify({ data: { type: 'apiKeys', attributes: { name } } }),
    uninterruptible: true,
    read: readJson,
  });
  if (!isApiKey(data) || !data.attributes.key) throw new BadBody('the answer contains no API key');
  if (typeof data.attributes.key !== 'string' || !PRINTABLE_KEY.test(data.attributes.key))
    throw new BadBody('the key in the answer is not printable text');
  return data as NewApiKey;
}

/**
 * Revokes an API key permanently (service.md, K10); an interrupt waits for the answer. Do not call
 * it for a revoked key: the service would overwrite the time of revocation (service.md, K11).
 * @internal
 */
export async function revokeKey(
  http: Http,
  id: string,
  options: Pick<Call<unknown>, 'retries'>,
): Promise<void> {
  // An id of dots would change the path.
  if (/^\.*$/.test(id)) throw new CliError('unexpected', `'${id}' is not the id of a key`);
  await http.call({
    method: 'DELETE',
    url: http.url(`${PATH}/${encodeURIComponent(id)}`),
    uninterruptible: true,
    ...options,
    read: async (response) => response.discard(),
  });
}

function isApiKey(value: unknown): value is ApiKey {
  const { id, attributes } = (value ?? {}) as Partial<ApiKey>;
  return (
    isShort(id) &&
    typeof attributes === 'object' &&
    attributes !== null &&
    [attributes.name, attributes.keyPrefix, attributes.created].every(isShort) &&
    [attributes.lastUsedAt, attributes.revokedAt].every((value) => isShort(value ?? ''))
  );
}

// The service's own limit is far lower. Questions and errors repeat these texts.
const MAX_TEXT_LENGTH = 10_000;

function isShort(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH;
}
