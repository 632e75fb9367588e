import type { Attributes } from '../api/dois.ts';
import type { Finding } from '../metadata/check.ts';
import { type Cell, type Column, columnAt, columnNamed } from '../metadata/columns/column.ts';
import { type RowChanges, rowChanges } from '../metadata/columns/row.ts';
import { isObject, type JsonObject } from '../text/json-values.ts';

/** A row of a spreadsheet. */
export interface Row {
  readonly cells: readonly Cell[];
  /** The attributes of the new record that it describes. */
  readonly attributes: Attributes;
  /** Cells that cannot be taken for a new record. */
  readonly findings: readonly Finding[];
  /** The heads that differ from the names of their columns. */
  readonly heads: JsonObject;
}

// Files have few different columns, and many rows.
const columns = new Map<string, Column | undefined>();

/** The row in a JSON object, as `tableRecords` writes it; undefined when it is something else. */
export function rowIn(given: JsonObject): Row | undefined {
  const { cells: texts, heads } = given;
  if (!isObject(texts)) return undefined;
  const cells = Object.entries(texts).flatMap(([name, cell]) => {
    if (!columns.has(name)) columns.set(name, columnNamed(name));
    const column = columns.get(name);
    return column === undefined || typeof cell !== 'string' ? [] : [{ column, cell }];
  });
  return { cells, ...rowChanges(cells, undefined), heads: isObject(heads) ? heads : {} };
}

/** What a row changes of a record that there is. */
export function changesOfRow({ cells }: Row, stored: Attributes, event: string | undefined): RowChanges {
  return rowChanges(cells, stored, event);
}

/** Findings about cells, and those about the record that say nothing else about the same texts. */
export function withRecord(cells: readonly Finding[], record: readonly Finding[]): readonly Finding[] {
  const isKnown = ({ steps, value }: Finding) =>
    cells.some((one) => one.steps[0] === steps[0] && value !== undefined && one.value === value);
  return [...cells, ...record.filter((finding) => !isKnown(finding))];
}

/** Findings with the heads of their columns. */
export function withColumns(findings: readonly Finding[], row: Row | undefined): readonly Finding[] {
  if (row === undefined) return findings;
  const names = row.cells.map(({ column }) => column.name);
  return findings.map((finding) => {
    const name = names.includes(finding.path) ? finding.path : columnAt(finding.steps, names);
    return name === undefined ? finding : { ...finding, column: String(row.heads[name] ?? name) };
  });
}
