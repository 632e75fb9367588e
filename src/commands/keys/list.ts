import { listKeys } from '../../api/keys.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { csvLine } from '../../text/csv.ts';

export interface ListOptions {
  readonly includeRevoked?: boolean;
  readonly format: 'table' | 'json' | 'ndjson' | 'csv';
}

const COLUMNS = ['id', 'name', 'prefix', 'created', 'last used', 'status'];

/** Prints the account's keys: what they are for, whether they are used, and whether they still work. */
export async function listKeysCommand(context: Context, options: ListOptions): Promise<void> {
  const { http } = await context.service('keys');
  const keys = await listKeys(http, options.includeRevoked === true);
  if (keys.length === 0)
    context.messages.note('the account has no API keys; doi-cli keys create --name <name>');
  // A table has its cells made safe already, and colours of its own.
  const out = options.format === 'table' ? context.host.stdout : context.out;
  await out.write(await rendered(context, keys, options.format));
}

async function rendered(
  context: Context,
  keys: readonly ApiKey[],
  format: ListOptions['format'],
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(keys.map(withoutKey), null, 2)}\n`;
    case 'ndjson':
      return keys.map((key) => `${JSON.stringify(withoutKey(key))}\n`).join('');
    case 'csv':
      return [COLUMNS.map((column) => column.replace(' ', '_')), ...keys.map(row)].map(csvLine).join('');
    case 'table': {
      if (keys.length === 0) return '';
      const { table } = await import('../../ui/table.ts');
      return table(COLUMNS, keys.map(row), context.color && context.host.terminal.stdout);
    }
  }
}

/** One key in the order of the columns. */
function row({ id, attributes }: ApiKey): string[] {
  const { name, keyPrefix, created, lastUsedAt, revokedAt } = attributes;
  const status = revokedAt ? `revoked ${revokedAt}` : 'active';
  return [id, name, keyPrefix, created, lastUsedAt ?? 'never', status];
}

/** A listed key never holds the key itself (specification, section 2.1); should the service err, we do not. */
function withoutKey({ attributes: { key: _, ...attributes }, ...rest }: ApiKey): ApiKey {
  return { ...rest, attributes };
}
