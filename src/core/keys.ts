import { type ApiKey, listKeys as listAll, type NewApiKey } from '../api/keys.ts';
import type { Service } from '../api/service.ts';
import { CliError, toCliError } from '../errors.ts';
import { parseKeyName, parseText } from '../text/parsers.ts';
import { visible } from '../text/redact.ts';
import { shellWords } from '../text/shell-word.ts';
import { callback, callOptions, flag, text } from './arguments.ts';
import { type CallOptions, type Client, read, write } from './client.ts';
import { createKeySafely, describeKey, findKey, revokeKeySafely } from './key-changes.ts';
import { replaceKey } from './rotation.ts';

/**
 * Creates an API key. Its `attributes.key` is shown this one time. A signal does not cut off the
 * answer, and the request is not repeated once it may have taken effect.
 * @param name what the key is for, up to 191 characters. Names need not be unique.
 * @throws {DoiCliError} kind `credentials` without the password of a repository account; any other
 *   error says whether an orphaned key may exist.
 */
export async function createKey(
  client: Client,
  name: string,
  options: CallOptions = {},
): Promise<NewApiKey> {
  const trimmed = text(parseKeyName)(name, 'name');
  const { signal } = callOptions(options, {});
  return write(client, signal, async (service) => {
    requirePassword(service);
    // A POST with a wrong password is answered 404 (service.md, K14); this GET reports the wrong
    // password.
    const before = await listAll(service.http, false);
    return createOwnKey(service, trimmed, before);
  });
}

/** How to replace a key. */
export interface RotateOptions extends CallOptions {
  /** The name of the new key; by default the name of the old one. */
  readonly name?: string | undefined;
  /** Stores the new key once it is proven to work. Only then is the old key revoked. */
  readonly store?: ((key: NewApiKey) => void | Promise<void>) | undefined;
}

const ROTATION = {
  name: text(parseKeyName),
  store: callback<NonNullable<RotateOptions['store']>>(),
};

/**
 * Replaces an API key: creates a new one, proves that it works, stores it, and only then revokes
 * the old one. After any failure, including one of `store`, the new key is revoked and the old one
 * stays.
 * @param id of the old key, or its prefix or exact name.
 * @returns the new key, which is shown this one time, and the old one as it is afterwards.
 * @throws {DoiCliError} kind `not-found` when the account has no such key, `usage` when several
 *   active keys match, `rejected` when it is already revoked. After the creation, the message says
 *   which keys exist.
 */
export async function rotateKey(
  client: Client,
  id: string,
  options: RotateOptions = {},
): Promise<{ readonly created: NewApiKey; readonly replaced: ApiKey }> {
  const oldId = text(parseText)(id, 'id');
  const { signal, name, store } = callOptions(options, ROTATION);
  return write(client, signal, async (service, stop, connect) => {
    const account = requirePassword(service);
    const keys = await listAll(service.http, true);
    const old = findKey(keys, oldId, { verb: 'rotate', suggest: commandLine });
    if (old.attributes.revokedAt)
      throw new CliError('rejected', `the key is revoked: ${describeKey(old)}`);
    const newName = name ?? text(parseKeyName)(old.attributes.name, 'name');
    const created = await createOwnKey(service, newName, keys);
    const withKey = connect(created.attributes.key);
    try {
      const replaced = await replaceKey({
        ...{ http: service.http, account, old, fresh: created, signal: stop, suggest: commandLine },
        deliver: async () => undefined,
        connect: async () => withKey,
        save: async () => {
          await store?.(created);
          return undefined;
        },
        onStage: () => undefined,
      });
      return { created, replaced };
    } catch (error) {
      // Which keys exist matters more than the reason of the signal.
      if (!stop.aborted) throw error;
      const { kind, message, hint } = toCliError(error);
      throw new CliError(kind, message, { hint });
    } finally {
      await withKey.http.close();
    }
  });
}

/** @throws {CliError} as {@link createKeySafely} and {@link requireOwnKey}. */
async function createOwnKey(
  service: Service,
  name: string,
  before: readonly ApiKey[],
): Promise<NewApiKey> {
  const key = await createKeySafely(service.http, name, before, commandLine);
  requireOwnKey(service, key);
  return key;
}

/**
 * The API keys of the repository account, all of them, without the secret keys.
 * @param options.includeRevoked whether to list revoked keys as well.
 * @throws {DoiCliError} kind `credentials` without the password of a repository account.
 */
export async function listKeys(
  client: Client,
  options: CallOptions & { readonly includeRevoked?: boolean | undefined } = {},
): Promise<readonly ApiKey[]> {
  const { signal, includeRevoked = false } = callOptions(options, { includeRevoked: flag });
  return read(client, signal, async (service) => {
    requirePassword(service);
    return listAll(service.http, includeRevoked);
  });
}

/**
 * Revokes an API key permanently; a revoked key stays as it is.
 * @param id of the key, or its prefix or exact name.
 * @returns the revoked key.
 * @throws {DoiCliError} kind `not-found` when the account has no such key, `usage` when several
 *   active keys match.
 */
export async function revokeKey(
  client: Client,
  id: string,
  options: CallOptions = {},
): Promise<ApiKey> {
  const keyId = text(parseText)(id, 'id');
  const { signal } = callOptions(options, {});
  return write(client, signal, async (service) => {
    requirePassword(service);
    const keys = await listAll(service.http, true);
    const key = findKey(keys, keyId, { verb: 'revoke', suggest: commandLine });
    // A second revocation would overwrite the time of the first (service.md, K11).
    if (key.attributes.revokedAt) return key;
    return revokeKeySafely(service.http, key);
  });
}

/** @throws {CliError} kind `credentials` for a key that belongs to another account. */
function requireOwnKey({ caller }: Service, { id }: ApiKey): void {
  try {
    caller.requireOwnWrites();
  } catch (error) {
    const created = `the key with id '${visible(id)}' was created, but is not returned`;
    const message = `${toCliError(error).message}: ${created}`;
    throw toCliError(error).with({ message });
  }
}

/**
 * The repository account.
 * @throws {CliError} kind `credentials` for credentials that cannot manage keys (service.md, K13).
 */
function requirePassword({ credentials }: Service): string {
  if (credentials?.kind === 'repository') return credentials.id;
  throw new CliError(
    'credentials',
    'managing API keys needs a repository account and its password',
  );
}

/** A command for a hint. The service chooses ids, so they are quoted. */
const commandLine = (...words: readonly string[]): string => shellWords(['doi-cli', ...words]);
