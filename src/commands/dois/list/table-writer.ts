import { CliError } from '../../../errors.ts';
import { OTHER_FORMAT, type RecordWriter } from '../../../formats/output/writer.ts';
import { parsedRecord } from '../../../harvest/page/parsed-record.ts';
import { selected } from '../../../harvest/walk/repeat-guard.ts';
import type { Row } from '../../../metadata/tables/values.ts';
import { isNonEmptyString, isObject, valueAt } from '../../../text/json-values.ts';

const TABLE = ['doi', 'state', 'year', 'type', 'title'];

// A table is written at its end, because the widths of its columns depend on all rows.
const MAX_TABLE_CHARACTERS = 8 * 1024 * 1024;

/** Writes records as a table for people. @param fields its columns, if not the usual ones. */
export function tableWriter(
  fields: readonly string[] | undefined,
  printTable: (names: readonly string[], rows: readonly (readonly string[])[]) => Promise<void>,
): RecordWriter {
  const names = fields === undefined ? TABLE : [...new Set(['doi', ...fields])];
  let readers: readonly ((record: Row) => unknown)[] | undefined;
  const rows: string[][] = [];
  let characters = 0;
  return {
    async page(walked, most) {
      readers ??= await readersOf(names, fields);
      for (const record of selected(walked, most)) {
        const parsed = parsedRecord(record, OTHER_FORMAT);
        const row = readers.map((read) => cellText(read(parsed)));
        characters += row.join('').length;
        if (characters > MAX_TABLE_CHARACTERS) {
          throw new CliError('unexpected', 'the records are too large for a table', {
            hint: OTHER_FORMAT,
          });
        }
        rows.push(row);
      }
    },
    async end() {
      if (rows.length > 0) await printTable(names, rows);
    },
  };
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
