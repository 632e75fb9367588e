import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { repositoryOf } from '../../cli/service.ts';
import type { list } from './index.ts';
import { CREATED, ID, LAST_USED, NAME, PREFIX, printKeys, STATUS } from './rows.ts';
import { storedKey } from './stored-key.ts';

/** Prints the account's keys with name, last use and status. */
export async function listKeysCommand(
  context: Context,
  { includeRevoked = false, format }: OptionsOf<typeof list>,
): Promise<void> {
  const service = await context.services.open('keys');
  const keys = await listKeys(service.http, includeRevoked);
  if (keys.length === 0)
    context.messages.note('the account has no API keys; doi-cli keys create --name <name>');
  let stored: ApiKey | undefined;
  // The mark is optional, so read the store only if the password came from it.
  if (format === 'table' && service.credentials?.source !== 'environment') {
    stored = await storedKey(context, repositoryOf(service), keys).catch(() => undefined);
    context.host.signal.throwIfAborted();
  }
  const prefix = {
    ...PREFIX,
    cell: (key: ApiKey) => PREFIX.cell(key) + (key === stored ? ' *' : ''),
  };
  await printKeys(context, format, keys, [ID, NAME, prefix, CREATED, LAST_USED, STATUS], {
    csv: [
      { name: 'status', cell: ({ attributes }) => (attributes.revokedAt ? 'revoked' : 'active') },
    ],
  });
  if (stored !== undefined) context.messages.note('* this key is stored on this machine');
}
