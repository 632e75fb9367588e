import { OTHER_FORMAT, type RowWriter, tableAtEnd } from '../../../formats/output/row-writer.ts';
import { parsedRecord } from '../../../harvest/page/parsed-record.ts';
import type { Row } from '../../../metadata/tables/values.ts';
import { isNonEmptyString, isObject, valueAt } from '../../../text/json-values.ts';

const TABLE = ['doi', 'state', 'year', 'type', 'title'];

/** Writes records as a table for people. @param fields its columns, if not the usual ones. */
export async function tableWriter(
  fields: readonly string[] | undefined,
  print: (names: readonly string[], rows: readonly (readonly string[])[]) => Promise<void>,
): Promise<RowWriter<Buffer>> {
  const names = fields === undefined ? TABLE : [...new Set(['doi', ...fields])];
  const readers = await readersOf(names, fields);
  const cells = (record: Buffer) => {
    const parsed = parsedRecord(record, OTHER_FORMAT);
    return readers.map((read) => cellText(read(parsed)));
  };
  return tableAtEnd(cells, (rows) => print(names, rows));
}

/** What finds the value of each column of a table in a record. */
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

/** The member of an object that says most to people. */
const SPEAKING =
  'title name subject description date rights identifier relatedIdentifier funderName'.split(' ');

/** A value for people: of a list of objects, what each is called. */
function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(cellText).join('; ');
  if (!isObject(value)) return value === null || value === undefined ? '' : JSON.stringify(value);
  const own = SPEAKING.map((name) => value[name]).find(isNonEmptyString);
  return own ?? JSON.stringify(value);
}
