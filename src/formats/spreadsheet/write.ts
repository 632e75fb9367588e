import { parsedRecord } from '../../harvest/page/parsed-record.ts';
import { selected } from '../../harvest/walk/repeat-guard.ts';
import { delimitedLine } from '../../text/csv.ts';
import { isObject, type JsonObject, valueAt } from '../../text/json-values.ts';
import type { Sink } from '../../ui/sink.ts';
import {
  type MakeWriter,
  OTHER_FORMAT,
  type RecordWriter,
  type WriterOptions,
} from '../output/writer.ts';
import { type Column, columnsFor, EXPORTED } from './column.ts';
import { exportedCell } from './exported.ts';
import { cellIn } from './value.ts';

// A page of large records takes no more memory as text than this.
const WRITE_CHARACTERS = 1024 * 1024;

export const writeCsv: MakeWriter = (sink, options) => tableWriter(sink, options, ',');
export const writeTsv: MakeWriter = (sink, options) => tableWriter(sink, options, '\t');

/**
 * CSV or TSV. The columns are the same for all lists, so that rows are written as records arrive.
 */
function tableWriter(
  sink: Sink,
  { fields, isEditable }: WriterOptions,
  delimiter: ',' | '\t',
): RecordWriter {
  const { heads, cellsOf } = rowsOf(fields, isEditable);
  let waiting = delimitedLine(heads, delimiter);
  return {
    async page(walked, most) {
      for (const record of selected(walked, most)) {
        waiting += delimitedLine(
          cellsOf(attributesOf(parsedRecord(record, OTHER_FORMAT))),
          delimiter,
        );
        if (waiting.length < WRITE_CHARACTERS) continue;
        await sink.write(waiting);
        waiting = '';
      }
      await sink.write(waiting);
      waiting = '';
    },
    // A list without records still has heads.
    end: () => sink.write(waiting),
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
  /** The cells of a record, from its attributes with the DOI and the repository account. */
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
