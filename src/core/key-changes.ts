import { BadBody } from '../api/http/body.ts';
import type { Call } from '../api/http/call.ts';
import type { Http } from '../api/http/http.ts';
import { type ApiKey, createKey, listKeys, type NewApiKey, revokeKey } from '../api/keys.ts';
import { CliError, toCliError } from '../errors.ts';
import { visible } from '../text/redact.ts';
import type { Suggest } from '../text/shell-word.ts';
import { ago } from '../text/words.ts';

/** The time limit for revoking a new key, which an interrupt does not stop. */
export const MAX_ROLLBACK_MS = 60_000;

/**
 * Creates a key; an interrupt does not cut the answer off.
 * @param before the keys of the account just before, to recognise a key created without an answer.
 * @throws {CliError} which says whether an orphaned key may exist.
 */
export async function createKeySafely(
  http: Http,
  name: string,
  before: readonly ApiKey[],
  suggest: Suggest,
): Promise<NewApiKey> {
  try {
    const key = await createKey(http, name);
    const problem = keyMismatch(key, name, before);
    if (problem !== undefined) throw new BadBody(`the key in the answer ${problem}`);
    return key;
  } catch (error) {
    if (error instanceof CliError && error.kind === 'not-found') {
      // The credentials were just accepted: the service refuses in this way (service.md, K14).
      const message = `the service does not let this account create keys (HTTP ${error.status})`;
      throw new CliError('credentials', message, { cause: error });
    }
    const { kind } = toCliError(error);
    // Without a readable answer, the key may exist.
    if (kind !== 'unavailable' && !(error instanceof BadBody)) throw error;
    throw await uncertainCreation(http, name, before, toCliError(error), suggest);
  }
}

/** How a key in an answer differs from the key that was requested; undefined if it does not. */
function keyMismatch(
  { id, attributes }: NewApiKey,
  name: string,
  before: readonly ApiKey[],
): string | undefined {
  if (attributes.name !== name) return `is named '${visible(attributes.name)}'`;
  if (attributes.revokedAt) return 'is revoked';
  if (before.some((key) => key.id === id)) return `has the id of an older key, ${visible(id)}`;
  return attributes.key.startsWith(attributes.keyPrefix)
    ? undefined
    : 'does not begin with its prefix';
}

/** The error for a key that may exist. A key with its name is not revoked: it may be in use. */
async function uncertainCreation(
  http: Http,
  name: string,
  before: readonly ApiKey[],
  error: CliError,
  suggest: Suggest,
): Promise<CliError> {
  const failed = (outcome: string, hint: string) =>
    error.with({ kind: 'unavailable', message: `${error.message}; ${outcome}`, hint });
  const quoted = `'${visible(name)}'`;
  const known = new Set(before.map((key) => key.id));
  let ids: readonly string[];
  try {
    const after = await listKeys(http, false, { uninterruptible: true, retries: 2 });
    ids = after
      .filter((key) => !known.has(key.id) && key.attributes.name === name)
      .map((key) => key.id);
  } catch (cause) {
    return failed(
      `a key named ${quoted} may exist, and looking for it failed too: ${(cause as Error).message}`,
      suggest('keys', 'list'),
    );
  }
  const [id] = ids;
  if (id === undefined) return failed(`no key named ${quoted} has appeared`, 'try again');
  const appeared = `meanwhile a key named ${quoted} has appeared (id ${visible(ids.join(', '))})`;
  return failed(`${appeared}: if nobody else made it, it is lost`, suggest('keys', 'revoke', id));
}

/**
 * Revokes a key, and returns it as the service lists it afterwards: the answer to a revocation is
 * empty (service.md, K10), and when the first answer to a repeated request is lost, the second may
 * be 404 (service.md, K12).
 * @throws {CliError} kind `unavailable` where the list does not show that the key is revoked.
 */
export async function revokeKeySafely(
  http: Http,
  { id }: ApiKey,
  options: Pick<Call<unknown>, 'retries'> = {},
): Promise<ApiKey> {
  const failure = await revokeKey(http, id, options).then(() => undefined, toCliError);
  if (failure !== undefined && failure.kind !== 'unavailable' && failure.kind !== 'not-found')
    throw failure;
  const doubt = (why: string, hint?: string) =>
    failure ??
    new CliError('unavailable', `the service answered that it was revoked, ${why}`, { hint });
  const keys = await listKeys(http, true, { uninterruptible: true, retries: 2 }).catch(
    (error: unknown) => {
      throw doubt(`but the list of keys cannot be read: ${toCliError(error).message}`);
    },
  );
  const now = keys.find((key) => key.id === id);
  if (now?.attributes.revokedAt) return now;
  throw doubt(
    `but ${now === undefined ? 'no longer lists it, not even as revoked' : 'lists it as active'}`,
    'try again',
  );
}

/** A key in messages: its id, name, prefix and latest use; with `now`, times are ages. */
export function describeKey({ id, attributes }: ApiKey, now?: number): string {
  const { name, keyPrefix, revokedAt, lastUsedAt } = attributes;
  const use = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt?.trim() || 'unknown'}`;
  const time = revokedAt ? `revoked ${revokedAt}` : use;
  const state = now === undefined ? time : ago(time, now);
  // A line break in a name could forge a line of output.
  return visible(`${id} '${name}' (${keyPrefix}, ${state})`);
}
