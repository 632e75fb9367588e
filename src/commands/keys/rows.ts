import type { ApiKey } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { printRows, type RowColumn, type RowFormat } from '../../cli/print-rows.ts';
import { toCell } from '../../formats/spreadsheet/cell.ts';

interface KeyColumn extends RowColumn {
  readonly cell: (key: ApiKey) => string;
}

/** A time as the service sends it; it may be missing. */
const timeOr = (time: string | null | undefined, never: string) =>
  time === null ? never : time?.trim() || 'unknown';
const created = ({ attributes }: ApiKey) => timeOr(attributes.created, '');

/** Whether a row of a table that ends with the status shows a revoked key. */
const isRevoked = (row: readonly string[]) => /^revoked /.test(row.at(-1) ?? '');

// A narrow terminal hides the ids: the prefix also identifies a key.
export const ID: KeyColumn = { name: 'id', least: 36, rank: 9, cell: ({ id }) => id };
export const NAME: KeyColumn = {
  name: 'name',
  style: (_, row) => (isRevoked(row) ? 'dim' : 'bold'),
  cell: ({ attributes }) => attributes.name,
};
export const PREFIX: KeyColumn = {
  name: 'prefix',
  // Includes the mark of the stored key.
  least: 13,
  cell: ({ attributes }) => attributes.keyPrefix,
};
export const CREATED: KeyColumn = {
  name: 'created',
  isTime: true,
  least: 14,
  rank: 2,
  cell: created,
};
export const LAST_USED: KeyColumn = {
  name: 'last used',
  isTime: true,
  least: 14,
  rank: 1,
  style: (cell, row) => (cell === 'never' && !isRevoked(row) ? 'yellow' : undefined),
  cell: ({ attributes }) => timeOr(attributes.lastUsedAt, 'never'),
};
export const STATUS: KeyColumn = {
  name: 'status',
  isTime: true,
  style: (cell) => (cell === 'active' ? 'green' : 'dim'),
  cell: ({ attributes: { revokedAt } }) => (revokedAt ? `revoked ${revokedAt}` : 'active'),
};

/**
 * The columns for spreadsheets and scripts, with the names of the JSON members, and empty cells
 * instead of `never`.
 */
const CSV: readonly KeyColumn[] = [
  { name: 'id', cell: ID.cell },
  // Colleagues choose names, and a spreadsheet would change a name that looks like a date.
  { name: 'name', cell: (key) => toCell(NAME.cell(key)) },
  { name: 'keyPrefix', cell: PREFIX.cell },
  { name: 'created', cell: created },
  { name: 'lastUsedAt', cell: ({ attributes }) => timeOr(attributes.lastUsedAt, '') },
  { name: 'revokedAt', cell: ({ attributes }) => attributes.revokedAt ?? '' },
];

interface Extra {
  readonly csv?: readonly KeyColumn[];
  readonly json?: (key: ApiKey) => object;
}

/** Prints keys in any format. @param columns of the table. */
export function printKeys(
  context: Context,
  format: RowFormat,
  keys: readonly ApiKey[],
  columns: readonly KeyColumn[],
  { csv = [], json }: Extra,
): Promise<void> {
  const shown = format === 'csv' ? [...CSV, ...csv] : columns;
  return printRows(context, format, keys, {
    columns: shown,
    cells: (key) => shown.map(({ cell }) => cell(key)),
    object: (key) => ({ ...keyObject(key), ...json?.(key) }),
  });
}

/**
 * The resource object of a key, never with the key itself: the service does not list it
 * (service.md, K4), and this makes sure.
 */
export function keyObject({ attributes: { key: _, ...attributes }, ...rest }: ApiKey): ApiKey {
  return { ...rest, attributes };
}
