import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { toCliError } from '../../errors.ts';
import { keyPrefixOf } from '../../text/parsers.ts';
import { findStored } from './new-key.ts';

/**
 * Erases the stored API key of the account if it is one of these revoked keys: commands would go on sending it
 * before the password. A failure is only a warning, because the keys are revoked. The store is opened only if
 * the settings name a stored key of the account.
 */
export async function eraseStored(
  context: Context,
  account: string,
  revoked: readonly ApiKey[],
): Promise<void> {
  if (revoked.length === 0) return;
  const entry = await findStored(context, 'api-key', account);
  if (entry === undefined) return;
  const where = entry.place === 'keychain' ? 'the keychain' : 'the file of credentials';
  try {
    const vault = await context.vault();
    const key = (await vault.lookUp(entry))?.secret;
    const prefix = key === undefined ? undefined : keyPrefixOf(key);
    if (!revoked.some(({ attributes }) => attributes.keyPrefix === prefix)) return;
    await vault.remove(entry);
    context.messages.note(`Erased the revoked key of ${account} from ${where}`);
  } catch (error) {
    const { message } = toCliError(error);
    const command = context.suggest('auth', 'logout', '--api-key', '--repository', account);
    context.messages.warn(
      `${where} may still have a revoked key of ${account}: ${message}; if it does, this erases it: ${command}`,
    );
  }
}
