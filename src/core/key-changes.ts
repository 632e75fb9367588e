import { BadBody } from '../api/http/body.ts';
import type { Call } from '../api/http/call.ts';
import type { Http } from '../api/http/http.ts';
import { type ApiKey, createKey, listKeys, type NewApiKey, revokeKey } from '../api/keys.ts';
import { CliError, toCliError } from '../errors.ts';
import { visible } from '../text/redact.ts';

type Suggest = (...words: readonly string[]) => string;

/**
 * Creates a key; an interrupt does not cut the answer off.
 * @param before the account's keys just before, so that a key created without an answer can be found.
 * @throws {CliError} which says whether a key may exist that nobody has seen.
 */
export async function createKeySafely(
  http: Http,
  name: string,
  before: readonly ApiKey[],
  suggest: Suggest,
): Promise<NewApiKey> {
  try {
    return await createKey(http, name);
  } catch (error) {
    if (error instanceof CliError && error.kind === 'not-found') {
      // The credentials have just been accepted: this is how the service refuses (service.md, K14).
      const message = `the service does not let this account create keys (HTTP ${error.status})`;
      throw new CliError('credentials', message, { cause: error });
    }
    const { kind } = toCliError(error);
    // No answer, or an unreadable one: the key may exist.
    if (kind !== 'unavailable' && !(error instanceof BadBody)) throw error;
    throw await uncertainCreation(http, name, before, toCliError(error), suggest);
  }
}

/** The error for a key that may exist. It revokes none of its name: another person may have made it. */
async function uncertainCreation(
  http: Http,
  name: string,
  before: readonly ApiKey[],
  error: CliError,
  suggest: Suggest,
): Promise<CliError> {
  const failed = (outcome: string, hint: string) =>
    error.with({ message: `${error.message}; ${outcome}`, hint });
  const quoted = `'${visible(name)}'`;
  const known = new Set(before.map((key) => key.id));
  let ids: readonly string[];
  try {
    const after = await listKeys(http, false, { uninterruptible: true, retries: 2 });
    ids = after.filter((key) => !known.has(key.id) && key.attributes.name === name).map((key) => key.id);
  } catch (cause) {
    return failed(
      `a key named ${quoted} may exist, and looking for it failed too: ${(cause as Error).message}`,
      suggest('keys', 'list'),
    );
  }
  const [id] = ids;
  if (id === undefined) return failed(`no key named ${quoted} has appeared`, 'try again');
  return failed(
    `meanwhile a key named ${quoted} has appeared (id ${visible(ids.join(', '))}): if nobody else made it, it is lost`,
    suggest('keys', 'revoke', id),
  );
}

/**
 * Revokes a key. After an unclear answer it looks whether the key is revoked: when the first answer to a
 * repeated request is lost, the second may be 404 (service.md, K12).
 */
export async function revokeKeySafely(
  http: Http,
  { id }: ApiKey,
  options: Pick<Call<unknown>, 'retries'> = {},
): Promise<void> {
  try {
    await revokeKey(http, id, options);
  } catch (error) {
    const { kind } = toCliError(error);
    if (kind !== 'unavailable' && kind !== 'not-found') throw error;
    const now = await listKeys(http, true, { uninterruptible: true, retries: 2 }).catch(() => {
      throw error;
    });
    if (!now.some((key) => key.id === id && key.attributes.revokedAt)) throw error;
  }
}

/**
 * A key that was just revoked, as the service has it now: the answer to the revocation holds nothing (service.md,
 * K10). Without an answer it has no `revokedAt`, because null would mean an active key.
 */
export async function asRevoked(http: Http, key: ApiKey): Promise<ApiKey> {
  const now = await listKeys(http, true, { uninterruptible: true, retries: 2 }).catch(() => []);
  const found = now.find(({ id, attributes }) => id === key.id && attributes.revokedAt);
  if (found !== undefined) return found;
  const { revokedAt: _, ...attributes } = key.attributes;
  return { ...key, attributes };
}
