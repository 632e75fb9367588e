import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowFormat } from '../../cli/print-rows.ts';
import { repositoryOf } from '../../cli/service.ts';
import type { Credentials } from '../../credentials/resolve.ts';
import { CSV_COLUMNS, csvCells, KEY_COLUMNS, keyObject } from './key-rows.ts';
import { lastUse } from './reference.ts';
import { storedKey } from './stored-key.ts';

const { id, name, prefix, created, lastUsed, status } = KEY_COLUMNS;
const COLUMNS = [id, name, prefix, created, lastUsed, status];

/** Prints the account's keys: what they are for, when they were last used, and whether they are active. */
export async function listKeysCommand(
  context: Context,
  { includeRevoked = false, format }: { readonly includeRevoked?: boolean; readonly format: RowFormat },
): Promise<void> {
  const service = await context.service('keys');
  const keys = await listKeys(service.http, includeRevoked);
  if (keys.length === 0)
    context.messages.note('the account has no API keys; doi-cli keys create --name <name>');
  if (format === 'csv') {
    const cells = (key: ApiKey) => [...csvCells(key), key.attributes.revokedAt ? 'revoked' : 'active'];
    return printRows(context, format, keys, { columns: [...CSV_COLUMNS, 'status'], cells });
  }
  const own = format === 'table' ? await storedIn(context, service, keys) : undefined;
  await printRows(context, format, keys, {
    columns: COLUMNS,
    cells: ({ id, attributes }) => {
      const { name, keyPrefix, created, revokedAt } = attributes;
      const status = revokedAt ? `revoked ${revokedAt}` : 'active';
      const mark = own !== undefined && id === own.id ? ' *' : '';
      return [id, name, keyPrefix + mark, created.trim() || 'unknown', lastUse(attributes), status];
    },
    object: keyObject,
  });
  if (own !== undefined) context.messages.note('* is stored on this machine');
}

/** The key that is stored for the account. The store is asked only if it gave the password, too. */
async function storedIn(
  context: Context,
  service: Service<Credentials>,
  keys: readonly ApiKey[],
): Promise<ApiKey | undefined> {
  if (service.credentials?.source === 'environment') return undefined;
  try {
    return await storedKey(context, repositoryOf(service), keys);
  } catch (error) {
    if (context.host.signal.aborted) throw error;
    // A list of keys needs no stored one.
    return undefined;
  }
}
