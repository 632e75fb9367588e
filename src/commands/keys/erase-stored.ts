import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { toCliError } from '../../errors.ts';
import { storeText } from '../../settings/settings.ts';
import { keyPrefixOf } from '../../text/parsers.ts';
import { visible } from '../../text/redact.ts';
import { findStored } from './new-key.ts';

/**
 * Erases a stored key that is revoked, and warns of one in the environment: commands would go on sending either.
 * @param revoked keys of the account.
 * @returns whether one was erased.
 */
export async function afterRevocation(
  context: Context,
  account: string,
  revoked: readonly ApiKey[],
): Promise<boolean> {
  warnOfRevoked(context, revoked);
  return eraseStored(context, account, revoked);
}

/** Warns where DOI_CLI_API_KEY is one of these revoked keys. */
export function warnOfRevoked(context: Context, revoked: readonly ApiKey[]): void {
  const secret = context.host.env['DOI_CLI_API_KEY'] ?? '';
  const used = revoked.find(
    ({ attributes: { keyPrefix } }) => keyPrefix !== '' && secret.startsWith(keyPrefix),
  );
  if (used !== undefined) {
    context.messages.warn(
      `DOI_CLI_API_KEY in the environment is the revoked key ${visible(used.attributes.keyPrefix)}: unset it, or set it to another key`,
    );
  }
}

/**
 * Erases the stored API key of the account if it is one of these revoked keys: commands would go on sending it
 * before the password. A failure is only a warning, because the keys are revoked. The store is opened only if
 * the settings name a stored key of the account.
 */
async function eraseStored(context: Context, account: string, revoked: readonly ApiKey[]): Promise<boolean> {
  if (revoked.length === 0) return false;
  const entry = await findStored(context, 'api-key', account);
  if (entry === undefined) return false;
  const where = storeText(entry.place);
  try {
    const vault = await context.vault();
    const key = (await vault.lookUp(entry))?.secret;
    const prefix = key === undefined ? undefined : keyPrefixOf(key);
    if (!revoked.some(({ attributes }) => attributes.keyPrefix === prefix)) return false;
    await vault.remove(entry);
    context.messages.note(`Erased the revoked key of ${account} from ${where}`);
    return true;
  } catch (error) {
    const { message } = toCliError(error);
    const command = context.suggest('auth', 'logout', '--api-key', '--repository', account);
    context.messages.warn(
      `${where} may still have a revoked key of ${account}: ${message}; if it does, this erases it: ${command}`,
    );
    return false;
  }
}
