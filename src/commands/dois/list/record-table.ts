import type { Context } from '../../../cli/context.ts';
import { printTable, type RowColumn, tableText } from '../../../cli/print-rows.ts';
import {
  OTHER_FORMAT,
  type RecordOptions,
  type RowWriter,
  tableAtEnd,
} from '../../../formats/output/row-writer.ts';
import { parsedRecord } from '../../../harvest/page/parsed-record.ts';
import type { Row } from '../../../metadata/tables/values.ts';
import { valueAt } from '../../../text/json-values.ts';
import type { Sink } from '../../../ui/sink.ts';
import { styleOfState } from '../record/state-style.ts';

const TABLE = ['doi', 'state', 'year', 'type', 'title'];

const LOOKS: Readonly<Record<string, Omit<RowColumn, 'name'>>> = {
  doi: { least: 32, wraps: true },
  state: { least: 10, rank: 1, style: styleOfState },
  year: { least: 4, rank: 3 },
  type: { rank: 2 },
  title: { least: 20 },
  url: { least: 20 },
  created: { isTime: true, least: 12 },
  registered: { isTime: true, least: 12 },
  updated: { isTime: true, least: 12 },
};

/** Where a table goes, instead of to stdout at the end. */
export interface TableTarget {
  readonly out: Sink | undefined;
  /** Gets a table for each page of records. */
  readonly pages: Sink | undefined;
}

/**
 * Writes records as a table for people.
 * @param options `columns` of the table `dois`, or `fields`, instead of the default columns.
 */
export async function recordTable(
  context: Context,
  { fields, columns = TABLE }: Pick<RecordOptions, 'fields' | 'columns'>,
  { out, pages }: TableTarget,
): Promise<RowWriter<Buffer>> {
  const { plainColumns, plainText } = await import('../../../metadata/tables/plain.ts');
  const names = fields === undefined ? columns : [...new Set(['doi', ...fields])];
  // No column that was asked for is left out: the others are cut before the DOI takes more lines.
  const named = (name: string) => ({ rank: 0, ...(name === 'doi' ? {} : { least: 6 }) });
  const looks = names.map((name) => ({
    name,
    ...LOOKS[name],
    ...(names === TABLE ? {} : named(name)),
  }));
  const read =
    fields === undefined
      ? plainColumns(names)
      : ({ id, attributes }: Row) =>
          names.map((name) => plainText(name === 'doi' ? id : valueAt(attributes, [name])));
  const cells = (record: Buffer) => read(parsedRecord(record, OTHER_FORMAT));
  if (pages === undefined)
    return tableAtEnd(cells, (rows) => printTable(context, looks, rows, out));
  return {
    async write(records) {
      const rows = Array.from(records, cells);
      if (rows.length > 0) await pages.write((await tableText(context, looks, rows))(context.look));
    },
    end: async () => {},
  };
}
