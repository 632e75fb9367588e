import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowFormat } from '../../cli/print-rows.ts';
import { CSV_COLUMNS, csvCells, keyObject } from './key-rows.ts';
import { lastUse } from './reference.ts';

/** Prints the account's keys: what they are for, when they were last used, and whether they are active. */
export async function listKeysCommand(
  context: Context,
  { includeRevoked = false, format }: { readonly includeRevoked?: boolean; readonly format: RowFormat },
): Promise<void> {
  const { http } = await context.service('keys');
  const keys = await listKeys(http, includeRevoked);
  if (keys.length === 0)
    context.messages.note('the account has no API keys; doi-cli keys create --name <name>');
  if (format === 'csv') {
    const cells = (key: ApiKey) => [...csvCells(key), key.attributes.revokedAt ? 'revoked' : 'active'];
    return printRows(context, format, keys, { columns: [...CSV_COLUMNS, 'status'], cells });
  }
  await printRows(context, format, keys, {
    columns: ['id', 'name', 'prefix', 'created', 'last used', 'status'],
    cells: ({ id, attributes }) => {
      const { name, keyPrefix, created, revokedAt } = attributes;
      const status = revokedAt ? `revoked ${revokedAt}` : 'active';
      return [id, name, keyPrefix, created.trim() || 'unknown', lastUse(attributes), status];
    },
    object: keyObject,
  });
}
