import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, toCliError } from '../../errors.ts';
import { normalizeBaseUrl, STORES, type StoredCredential } from '../../settings/settings.ts';
import { keyPrefixOf } from '../../text/api-key.ts';
import { visible } from '../../text/redact.ts';

/** The settings' entry for a credential of the account, for the run's base URL. */
export async function findStored(
  context: Context,
  kind: StoredCredential['kind'],
  account: string,
): Promise<StoredCredential | undefined> {
  const vault = await context.services.vault();
  return vault.find({ baseUrl: normalizeBaseUrl(await context.services.baseUrl()), kind, account });
}

/**
 * The active key that is stored for the account. Once another key replaces it, it cannot be read.
 */
export async function storedKey(
  context: Context,
  account: string,
  keys: readonly ApiKey[],
): Promise<ApiKey | undefined> {
  const entry = await findStored(context, 'api-key', account);
  const stored = entry && (await (await context.services.vault()).lookUp(entry));
  return activeKeyOf(stored?.secret, keys);
}

/**
 * The active key in use: from the environment, else the stored one. @param stored the stored key,
 * if read already.
 */
export async function currentKey(
  context: Context,
  account: string,
  keys: readonly ApiKey[],
  stored: ApiKey | undefined,
): Promise<ApiKey> {
  const secret = context.host.env['DOI_CLI_API_KEY'];
  const key = secret
    ? activeKeyOf(secret, keys)
    : (stored ?? (await storedKey(context, account, keys)));
  if (key !== undefined) return key;
  const message = secret
    ? `DOI_CLI_API_KEY is not an active key of ${account}`
    : `no key of ${account} is in use: DOI_CLI_API_KEY is not set, and no active key is stored`;
  const hint = `choose the key to replace from: ${context.suggest('keys', 'list')}`;
  throw new CliError('not-found', message, { hint });
}

function activeKeyOf(secret: string | undefined, keys: readonly ApiKey[]): ApiKey | undefined {
  return keys.find(
    ({ attributes }) => !attributes.revokedAt && isPrefix(attributes.keyPrefix, secret),
  );
}

function isPrefix(keyPrefix: string, secret: string | undefined): boolean {
  return keyPrefix !== '' && secret?.startsWith(keyPrefix) === true;
}

/**
 * Warns of a revoked key in the environment, and erases a stored one: commands would still send
 * either. A failure is only a warning, because the keys are revoked. @param isReplaced whether a
 * new key was just stored in its place. @returns whether a key was erased.
 */
export async function afterRevocation(
  context: Context,
  account: string,
  revoked: readonly ApiKey[],
  isReplaced = false,
): Promise<boolean> {
  const { messages, host } = context;
  const secret = host.env['DOI_CLI_API_KEY'];
  const used = revoked.find(({ attributes }) => isPrefix(attributes.keyPrefix, secret));
  if (used !== undefined) {
    messages.warn(
      'DOI_CLI_API_KEY in the environment is the revoked key' +
        ` ${visible(used.attributes.keyPrefix)}: unset it, or set it to another key`,
    );
  }
  const entry =
    revoked.length === 0 || isReplaced ? undefined : await findStored(context, 'api-key', account);
  if (entry === undefined) return false;
  const where = STORES[entry.place].label;
  try {
    const vault = await context.services.vault();
    const prefix = keyPrefixOf((await vault.lookUp(entry))?.secret ?? '');
    // Compare whole prefixes: if the service sent a shorter one, another key could be erased.
    if (prefix === '' || !revoked.some(({ attributes }) => attributes.keyPrefix === prefix))
      return false;
    await vault.remove(entry);
    messages.note(`Erased the revoked key of ${account} from ${where}`);
    return true;
  } catch (error) {
    const { message } = toCliError(error);
    const command = context.suggest('auth', 'logout', '--api-key', '--repository', account);
    messages.warn(
      `${where} may still contain a revoked key of ${account}: ${message}; to erase it: ${command}`,
    );
    return false;
  }
}
