import { type ApiKey, listKeys as listAll, type NewApiKey } from '../api/keys.ts';
import type { Service } from '../api/service.ts';
import { CliError, toCliError } from '../errors.ts';
import { parseKeyName } from '../text/parsers.ts';
import { visible } from '../text/redact.ts';
import { shellWords } from '../text/shell-word.ts';
import { type CallOptions, type Client, carryOut, carryOutWrite } from './client.ts';
import { checkedOptions, text } from './given.ts';
import { createKeySafely, revokeKeySafely } from './key-changes.ts';

/**
 * Creates an API key. Its `attributes.key` is shown this one time. A signal does not cut off the answer, and
 * the request is never repeated once it may have taken effect.
 * @param name what the key is for, up to 191 characters. Names need not be unique.
 * @throws {DoiCliError} kind `credentials` without the password of a repository account; any other says
 *   whether a key may exist that nobody has seen.
 */
export async function createKey(client: Client, name: string, options: CallOptions = {}): Promise<NewApiKey> {
  const trimmed = text(parseKeyName)(name, 'name');
  return carryOutWrite(client, options, async (service) => {
    requirePassword(service);
    // A POST with a wrong password is answered 404 (service.md, K14); this GET reports the wrong password.
    const before = await listAll(service.http, false);
    const key = await createKeySafely(service.http, trimmed, before, commandLine);
    requireOwn(service, key);
    return key;
  });
}

/**
 * The API keys of the repository account, all of them, without the keys themselves.
 * @param options.includeRevoked whether to list revoked keys too.
 * @throws {DoiCliError} kind `credentials` without the password of a repository account.
 */
export async function listKeys(
  client: Client,
  options: CallOptions & { readonly includeRevoked?: boolean | undefined } = {},
): Promise<readonly ApiKey[]> {
  const { signal, includeRevoked = false } = checkedOptions(options, 'signal', 'includeRevoked');
  return carryOut(client, { signal }, (service) => {
    requirePassword(service);
    return listAll(service.http, includeRevoked);
  });
}

/**
 * Revokes an API key for good; one that is revoked already stays as it is.
 * @param id of the key, not its name.
 * @returns the revoked key.
 * @throws {DoiCliError} kind `not-found` when the account has no such key.
 */
export async function revokeKey(client: Client, id: string, options: CallOptions = {}): Promise<ApiKey> {
  const wanted = text(String)(id, 'id');
  return carryOutWrite(client, options, async (service) => {
    requirePassword(service);
    const key = (await listAll(service.http, true)).find((one) => one.id === wanted);
    if (key === undefined) throw new CliError('not-found', 'the account has no key with this id');
    // A second revocation would overwrite the time of the first (service.md, K11).
    if (key.attributes.revokedAt) return key;
    return revokeKeySafely(service.http, key);
  });
}

/** @throws {CliError} kind `credentials` for a key of another account than asked for. */
function requireOwn({ caller }: Service, { id }: ApiKey): void {
  try {
    caller.requireOwnWrites();
  } catch (error) {
    const message = `${toCliError(error).message}: the key with id '${visible(id)}' was created, but is not returned`;
    throw toCliError(error).with({ message });
  }
}

/** @throws {CliError} kind `credentials` for credentials that cannot manage keys (service.md, K13). */
function requirePassword({ credentials }: Service): void {
  if (credentials?.kind === 'repository') return;
  throw new CliError('credentials', 'managing API keys needs a repository account and its password');
}

/** A command that helps. The service chooses ids, so they are quoted. */
const commandLine = (...words: readonly string[]): string => shellWords(['doi-cli', ...words]);
