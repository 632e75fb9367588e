import { parsedRecord } from '../../harvest/page/parsed-record.ts';
import { plainColumns } from '../../metadata/tables/plain.ts';
import { isObject, type JsonObject, valueAt } from '../../text/json-values.ts';
import { delimited, type MakeRecordWriter, OTHER_FORMAT } from '../output/row-writer.ts';
import { type Column, columnsFor, EXPORTED, FINDINGS } from './column.ts';
import { exportedCell } from './exported.ts';
import { cellIn } from './value.ts';

export const writeCsv = recordWriter('csv');
export const writeTsv = recordWriter('tsv');

/** Rows are written as records arrive: the columns do not depend on the records. */
function recordWriter(format: 'csv' | 'tsv'): MakeRecordWriter {
  return (sink, { fields, columns, isEditable, findings }) => {
    if (columns !== undefined) {
      const read = plainColumns(columns);
      return delimited(sink, format, columns, (record: Buffer) =>
        read(parsedRecord(record, OTHER_FORMAT)),
      );
    }
    const { heads, cellsOf } = rowsOf(fields, isEditable);
    const cells = (record: Buffer) => cellsOf(attributesOf(parsedRecord(record, OTHER_FORMAT)));
    if (findings === undefined) return delimited(sink, format, heads, cells);
    const withFindings = (record: Buffer) => [...cells(record), findings(record)];
    return delimited(sink, format, [...heads, FINDINGS], withFindings);
  };
}

function attributesOf(record: JsonObject): JsonObject {
  const attributes = valueAt(record, ['attributes']);
  const client = valueAt(record, ['relationships', 'client', 'data', 'id']);
  return { ...(isObject(attributes) ? attributes : {}), doi: valueAt(record, ['id']), client };
}

/** How the records of a list become rows. */
interface Rows {
  readonly heads: readonly string[];
  /** @param attributes of a record, with its `doi` and its repository account as `client`. */
  cellsOf(attributes: JsonObject): readonly string[];
}

/** The rows of a list. @param isEditable whether the last column holds what was exported. */
function rowsOf(fields: readonly string[] | undefined, isEditable: boolean): Rows {
  const columns = columnsFor(fields);
  const heads = columns.map(({ name }) => name);
  const cellsOf = (attributes: JsonObject) => columns.map((column) => cellIn(attributes, column));
  const hasInput = columns.some((column) => isInput(column) && column.name !== 'state');
  if (!isEditable || !hasInput) return { heads, cellsOf };
  return {
    heads: [...heads, EXPORTED],
    cellsOf: (attributes) => [
      ...cellsOf(attributes),
      exportedCell(String(attributes['doi'] ?? ''), attributes, fields),
    ],
  };
}

function isInput({ name, types }: Column): boolean {
  return types.length > 0 && name !== 'doi';
}
