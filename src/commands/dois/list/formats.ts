import { CliError } from '../../../errors.ts';
import { parsedRecord } from '../../../harvest/page/parsed-record.ts';
import type { WalkedPage } from '../../../harvest/walk/repeat-guard.ts';
import { firstOf, selected } from '../../../harvest/walk/repeat-guard.ts';
import type { ParquetTables } from '../../../metadata/tables/parquet.ts';
import { unreadWarnings } from '../../../metadata/tables/unread.ts';
import type { Row } from '../../../metadata/tables/values.ts';
import { delimitedLine } from '../../../text/csv.ts';
import { isNonEmptyString, isObject, valueAt } from '../../../text/json-values.ts';
import type { Sink } from '../../../ui/sink.ts';

// What holds records of any size.
const OTHER_FORMAT = 'use --format ndjson';

export type RecordFormat = 'table' | 'json' | 'ndjson' | 'csv' | 'tsv' | 'parquet';

/** Writes DOI records in one output format, a page at a time. */
export interface RecordWriter {
  /** Writes at most `most` of a page's records. */
  page(walked: WalkedPage, most: number): Promise<void>;
  /** Writes what follows the last record. */
  end(): Promise<void>;
}

interface RecordWriterOptions {
  /** The columns of tables and CSV, if not the usual ones. */
  readonly fields: readonly string[] | undefined;
  /** Whether rows say what was exported, so that an update can tell what was edited. */
  readonly isEditable: boolean;
  readonly warn: (text: string) => void;
  readonly printTable: (names: readonly string[], rows: readonly (readonly string[])[]) => Promise<void>;
}

export function recordWriter(format: RecordFormat, sink: Sink, options: RecordWriterOptions): RecordWriter {
  if (format === 'json') return jsonWriter(sink);
  if (format === 'table') return tableWriter(options);
  if (format === 'parquet') return parquetWriter(sink, options);
  if (format !== 'ndjson') return spreadsheetWriter(sink, options, format === 'csv' ? ',' : '\t');
  return {
    page: (walked, most) => sink.write(...walked.page.lines(firstOf(walked, most))),
    end: async () => {},
  };
}

// A page of large records takes no more memory as text than this.
const WRITE_CHARACTERS = 1024 * 1024;

/** CSV or TSV. The columns are the same for all lists, so that rows are written as records arrive. */
function spreadsheetWriter(
  sink: Sink,
  { fields, isEditable }: RecordWriterOptions,
  delimiter: ',' | '\t',
): RecordWriter {
  let row: ((record: object) => string) | undefined;
  /** Writes the heads, once. The columns take the schema of records, which other formats do not wait for. */
  const start = async () => {
    if (row !== undefined) return row;
    const { rowsOf } = await import('../../../metadata/columns/rows.ts');
    const { heads, cellsOf } = rowsOf(fields, isEditable);
    row = (record) => delimitedLine(cellsOf(record), delimiter);
    await sink.write(delimitedLine(heads, delimiter));
    return row;
  };
  return {
    async page(walked, most) {
      const rowOf = await start();
      let lines = '';
      for (const record of selected(walked, most)) {
        lines += rowOf(attributesOf(parsedRecord(record, OTHER_FORMAT)));
        if (lines.length < WRITE_CHARACTERS) continue;
        await sink.write(lines);
        lines = '';
      }
      await sink.write(lines);
    },
    end: async () => void (await start()),
  };
}

/** The table `dois` of docs/export.md. Memory holds a row group. */
function parquetWriter(sink: Sink, { warn }: RecordWriterOptions): RecordWriter {
  let tables: ParquetTables | undefined;
  const start = async () => {
    const { ParquetTables } = await import('../../../metadata/tables/parquet.ts');
    tables ??= new ParquetTables({ dois: sink }, {});
    return tables;
  };
  return {
    async page(walked, most) {
      const own = await start();
      for (const record of selected(walked, most)) await own.add(parsedRecord(record, OTHER_FORMAT));
    },
    async end() {
      const own = await start();
      await own.end();
      for (const text of unreadWarnings(own.unread)) warn(text);
    },
  };
}

function attributesOf(record: unknown): object {
  const attributes = valueAt(record, ['attributes']);
  const client = valueAt(record, ['relationships', 'client', 'data', 'id']);
  return { ...(isObject(attributes) ? attributes : {}), doi: valueAt(record, ['id']), client };
}

function jsonWriter(sink: Sink): RecordWriter {
  let separator = '[\n';
  return {
    async page(walked, most) {
      const parts: (string | Buffer)[] = [];
      for (const record of selected(walked, most)) {
        parts.push(separator, record);
        separator = ',\n';
      }
      await sink.write(...parts);
    },
    end: () => sink.write(separator === '[\n' ? '[]\n' : '\n]\n'),
  };
}

const TABLE = ['doi', 'state', 'year', 'type', 'title'];

// A table is written at its end, because the widths of its columns depend on all rows.
const MAX_TABLE_CHARACTERS = 8 * 1024 * 1024;

function tableWriter({ fields, printTable }: RecordWriterOptions): RecordWriter {
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
          throw new CliError('unexpected', 'the records are too large for a table', { hint: OTHER_FORMAT });
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
  fields: RecordWriterOptions['fields'],
): Promise<((record: Row) => unknown)[]> {
  const { TABLES } = await import('../../../metadata/tables/tables.ts');
  return names.map((name) =>
    fields === undefined || name === 'doi'
      ? (record) => TABLES.dois.columns[name]?.read(record)
      : (record) => valueAt(record, ['attributes', name]),
  );
}

/** The member of an object that says most to people. */
const SPEAKING = 'title name subject description date rights identifier relatedIdentifier funderName'.split(
  ' ',
);

/** A value for people: of a list of objects, what each is called. */
function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(cellText).join('; ');
  if (!isObject(value)) return value === null || value === undefined ? '' : JSON.stringify(value);
  const own = SPEAKING.map((name) => value[name]).find(isNonEmptyString);
  return own ?? JSON.stringify(value);
}
