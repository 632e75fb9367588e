import { listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowFormat } from '../../cli/print-rows.ts';
import { KEY_COLUMNS } from './columns.ts';
import { lastUse } from './reference.ts';

const { id, name, prefix, created, lastUsed, status } = KEY_COLUMNS;
const COLUMNS = [id, name, prefix, created, lastUsed, status];

/** Prints the account's keys: what they are for, when they were last used, and whether they are active. */
export async function listKeysCommand(
  context: Context,
  { includeRevoked = false, format }: { readonly includeRevoked?: boolean; readonly format: RowFormat },
): Promise<void> {
  const { http } = await context.service('keys');
  const keys = await listKeys(http, includeRevoked);
  if (keys.length === 0)
    context.messages.note('the account has no API keys; doi-cli keys create --name <name>');
  await printRows(context, format, keys, {
    columns: COLUMNS,
    cells: ({ id, attributes }) => {
      const { name, keyPrefix, created, revokedAt } = attributes;
      const status = revokedAt ? `revoked ${revokedAt}` : 'active';
      return [id, name, keyPrefix, created.trim() || 'unknown', lastUse(attributes), status];
    },
    // A listed key never holds the key itself (service.md, K4); this makes sure of it.
    object: ({ attributes: { key: _, ...attributes }, ...rest }) => ({ ...rest, attributes }),
  });
}
