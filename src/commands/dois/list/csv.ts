import { selected } from '../../../harvest/walk/selected.ts';
import { columnsFor } from '../../../metadata/columns/standard.ts';
import { cellIn } from '../../../metadata/columns/value.ts';
import { delimitedLine } from '../../../text/csv.ts';
import { isObject, valueAt } from '../../../text/json-values.ts';
import type { Sink } from '../../../ui/sink.ts';
import { parsedRecord, type RecordWriter } from './records.ts';

// A page of large records takes no more memory as text than this.
const WRITE_CHARACTERS = 1024 * 1024;

/**
 * Writes records as rows of CSV or TSV. The columns are the same for all lists, so that rows can be written as
 * records arrive: further items of a list have a column of their own, as JSON.
 * @param fields the attributes to write, if not the usual ones.
 */
export function csvWriter(
  sink: Sink,
  fields: readonly string[] | undefined,
  delimiter: ',' | '\t',
): RecordWriter {
  const columns = columnsFor(fields);
  const line = (cells: readonly string[]) => delimitedLine(cells, delimiter);
  let head = line(columns.map(({ name }) => name));
  return {
    async page(walked, most) {
      let lines = head;
      head = '';
      for (const record of selected(walked, most)) {
        const attributes = attributesOf(parsedRecord(record));
        lines += line(columns.map((column) => cellIn(attributes, column)));
        if (lines.length < WRITE_CHARACTERS) continue;
        await sink.write(lines);
        lines = '';
      }
      await sink.write(lines);
    },
    end: () => sink.write(head),
  };
}

/** The attributes of a record, with its id as the DOI and its repository account. */
function attributesOf(record: unknown): object {
  const attributes = valueAt(record, ['attributes']);
  const client = valueAt(record, ['relationships', 'client', 'data', 'id']);
  return { ...(isObject(attributes) ? attributes : {}), doi: valueAt(record, ['id']), client };
}
