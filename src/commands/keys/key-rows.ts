import type { ApiKey, NewApiKey } from '../../api/keys.ts';
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

/** What a command did with a key. */
type KeyOutcome = 'created' | 'exists' | 'revoked' | 'already-revoked' | 'rotated';

/** The resource object of a key. A listed key never holds the key itself (service.md, K4); this makes sure of it. */
export function keyObject({ attributes: { key: _, ...attributes }, ...rest }: ApiKey) {
  return { ...rest, attributes };
}

/** The heads of {@link csvCells}: the names that the keys have in JSON. */
export const CSV_COLUMNS = ['id', 'name', 'keyPrefix', 'created', 'lastUsedAt', 'revokedAt'] as const;

/** A key for a spreadsheet or a script: times as the service writes them, nothing in place of `never`,
 * and `unknown` for a time that the service leaves out. */
export function csvCells({ id, attributes }: ApiKey): readonly string[] {
  const { name, keyPrefix, created, lastUsedAt, revokedAt } = attributes;
  const lastUse = lastUsedAt === null ? '' : lastUsedAt?.trim() || 'unknown';
  return [id, name, keyPrefix, created.trim() || 'unknown', lastUse, revokedAt ?? ''];
}

/** One change as a line of JSON: what was done, and the resource object of the key. */
export function changeLine(outcome: KeyOutcome, key: ApiKey): string {
  return `${JSON.stringify({ outcome, ...keyObject(key) })}\n`;
}

/** As {@link changeLine}, with the key itself. */
export function newKeyLine(key: NewApiKey): string {
  return `${JSON.stringify({ outcome: 'created', ...key })}\n`;
}

/**
 * The line of a rotation in two pieces: the first has the new key and is written before the old one is revoked,
 * the second ends the line with what became of the old one. A rotation that fails leaves no valid JSON, so that
 * no script takes its key.
 */
export function rotationLine(fresh: NewApiKey): { readonly start: string; end(old: ApiKey): string } {
  const start = JSON.stringify({ outcome: 'rotated', ...fresh }).slice(0, -1);
  return { start: `${start},"replaced":`, end: (old) => `${JSON.stringify(keyObject(old))}}\n` };
}
