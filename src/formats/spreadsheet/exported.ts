import { deflateSync, inflateSync } from 'node:zlib';
import { isObject, type JsonObject, parseBounded } from '../../text/json-values.ts';
import type { ExportedRecord } from '../input/record.ts';
import { OUTPUT_ONLY, STANDARD } from './column.ts';

const MARK = 'v2.';
// Spreadsheets cut longer cells.
const MOST_CHARACTERS = 30_000;
// Far more than a record that fits into a cell.
const MOST_UNPACKED_BYTES = 4 * 1024 * 1024;

/** Attributes that every export contains: they identify the record and its version. */
const ALWAYS = ['state', 'created', 'updated', 'client'];

/**
 * The cell of the column `exported`, which {@link exportedIn} reads; empty if it would be too long.
 * @param attributes of the record, with its repository account as `client`.
 * @param fields the attributes with columns, unless they are the standard ones.
 */
export function exportedCell(
  doi: string,
  attributes: JsonObject,
  fields: readonly string[] | undefined,
): string {
  const names = [...ALWAYS, ...(fields?.map(rootOf) ?? USUAL)];
  const written = names.flatMap((name) =>
    (attributes[name] ?? null) === null ? [] : [[name, attributes[name]]],
  );
  const json = JSON.stringify([
    doi,
    Object.fromEntries(written),
    ...(fields === undefined ? [] : [fields]),
  ]);
  const packed = MARK + deflateSync(json).toString('base64url');
  return packed.length <= MOST_CHARACTERS ? packed : '';
}

const rootOf = (name: unknown) => String(name).replace(/[.[].*$/s, '');

/** The attributes of the standard columns, and those that only a new record takes from the cell. */
const USUAL = [...new Set([...STANDARD.map(rootOf), 'container', 'contentUrl'])];

/** What an export wrote; undefined for a cell that is empty, damaged or of another version. */
export function exportedIn(cell: string): ExportedRecord | undefined {
  const id = cell.trim();
  if (!id.startsWith(MARK)) return undefined;
  const [doi, attributes, fields = USUAL] = unpacked(id.slice(MARK.length));
  if (typeof doi !== 'string' || !isObject(attributes) || !Array.isArray(fields)) return undefined;
  const covered = fields.map(rootOf).filter((name) => !OUTPUT_ONLY.includes(name));
  return { id, doi, attributes, covered: new Set(covered) };
}

function unpacked(text: string): readonly unknown[] {
  try {
    const bytes = inflateSync(Buffer.from(text, 'base64url'), {
      maxOutputLength: MOST_UNPACKED_BYTES,
    });
    const value = parseBounded(bytes.toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
