import type { Context } from '../../../cli/context.ts';
import { printTable, type RowColumn } from '../../../cli/print-rows.ts';
import { OTHER_FORMAT, type RowWriter, tableAtEnd } from '../../../formats/output/row-writer.ts';
import { parsedRecord } from '../../../harvest/page/parsed-record.ts';
import type { Row } from '../../../metadata/tables/values.ts';
import { isNonEmptyString, isObject, valueAt } from '../../../text/json-values.ts';
import type { Sink } from '../../../ui/sink.ts';
import { styleOfState } from '../record/state-style.ts';

const TABLE = ['doi', 'state', 'year', 'type', 'title'];

const LOOKS: Readonly<Record<string, Omit<RowColumn, 'name'>>> = {
  doi: { least: 32 },
  state: { least: 10, rank: 1, style: styleOfState },
  year: { least: 4, rank: 3 },
  type: { rank: 2 },
  title: { least: 20 },
  url: { least: 20 },
  created: { isTime: true, least: 12 },
  registered: { isTime: true, least: 12 },
  updated: { isTime: true, least: 12 },
};

/**
 * Writes records as a table for people.
 * @param fields the columns, instead of the default ones.
 * @param out the file to write, instead of stdout.
 */
export async function recordTable(
  context: Context,
  fields: readonly string[] | undefined,
  out: Sink | undefined,
): Promise<RowWriter<Buffer>> {
  const names = fields === undefined ? TABLE : [...new Set(['doi', ...fields])];
  const columns = names.map((name) => ({ name, ...LOOKS[name] }));
  const readers = await readersOf(names, fields);
  const cells = (record: Buffer) => {
    const parsed = parsedRecord(record, OTHER_FORMAT);
    return readers.map((read) => cellText(read(parsed)));
  };
  return tableAtEnd(cells, (rows) => printTable(context, columns, rows, out));
}

/** Functions that read the value of each column from a record. */
async function readersOf(
  names: readonly string[],
  fields: readonly string[] | undefined,
): Promise<((record: Row) => unknown)[]> {
  const { TABLES } = await import('../../../metadata/tables/tables.ts');
  return names.map((name) =>
    fields === undefined || name === 'doi'
      ? (record) => TABLES.dois.columns[name]?.read(record)
      : (record) => valueAt(record, ['attributes', name]),
  );
}

/** The members that name an object best, in this order. */
const NAMING =
  'title name subject description date rights identifier relatedIdentifier funderName'.split(' ');

/** A value for people. The objects of a list are shown by their names. */
function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(cellText).join('; ');
  if (!isObject(value)) return value === null || value === undefined ? '' : JSON.stringify(value);
  const name = NAMING.map((member) => value[member]).find(isNonEmptyString);
  return name ?? JSON.stringify(value);
}
