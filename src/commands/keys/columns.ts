import type { RowColumn } from '../../cli/print-rows.ts';

const ID_LENGTH = 36;
/** With the mark of the stored key. */
const PREFIX_LENGTH = 13;

/** Columns of tables of keys. A terminal without room for whole ids shows none: the prefix names a key, too. */
export const KEY_COLUMNS = {
  id: { name: 'id', least: ID_LENGTH, rank: 9 },
  name: { name: 'name', style: () => 'bold' },
  prefix: { name: 'prefix', least: PREFIX_LENGTH },
  created: { name: 'created', isTime: true, least: 14, rank: 2 },
  lastUsed: {
    name: 'last used',
    isTime: true,
    least: 14,
    rank: 1,
    style: (cell) => (cell === 'never' ? 'yellow' : undefined),
  },
  status: { name: 'status', isTime: true, style: (cell) => (cell === 'active' ? 'green' : 'dim') },
} as const satisfies Readonly<Record<string, RowColumn>>;
