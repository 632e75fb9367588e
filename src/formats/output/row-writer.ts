import { CliError } from '../../errors.ts';
import { visible } from '../../text/redact.ts';
import type { Sink } from '../../ui/sink.ts';
import { delimitedLine } from './csv.ts';

export type RowFormat = 'table' | 'json' | 'ndjson' | 'csv' | 'tsv';

/** Rows, and where they are records of the service, their lines of NDJSON as they were sent. */
export interface Rows<Row> extends Iterable<Row> {
  readonly lines?: () => readonly Uint8Array[];
}

/** Writes rows in one format. */
export interface RowWriter<Row> {
  /** Writes rows. The first call also writes what precedes the rows, even if it has no rows. */
  write(rows: Rows<Row>): Promise<void>;
  /** Writes what follows the last row. */
  end(): Promise<void>;
}

/** How rows look in each format. */
interface RowLayout<Row> {
  /** The first line of CSV and TSV. */
  readonly heads: readonly string[];
  readonly cells: (row: Row) => readonly string[];
  readonly json: (row: Row) => string;
  /** Prints a table, which has rows. */
  readonly table: (rows: readonly (readonly string[])[]) => Promise<void>;
}

/** Makes the writer of rows in a format. In CSV and TSV each row is one line. */
export function rowWriter<Row>(
  format: RowFormat,
  sink: Sink,
  { heads, cells, json, table }: RowLayout<Row>,
): RowWriter<Row> {
  switch (format) {
    case 'table':
      return tableAtEnd(cells, table);
    case 'json':
      return jsonArray(sink, json);
    case 'ndjson':
      return jsonLines(sink, json);
    case 'csv':
    case 'tsv':
      return delimited(sink, format, heads, (row) => cells(row).map((cell) => visible(cell)));
  }
}

/** NDJSON. Records of the service are written as they were sent. */
export function jsonLines<Row>(sink: Sink, json: (row: Row) => string): RowWriter<Row> {
  return {
    write: (rows) =>
      sink.write(...(rows.lines?.() ?? [Array.from(rows, (row) => `${json(row)}\n`).join('')])),
    end: async () => {},
  };
}

/** One JSON array. */
export function jsonArray<Row>(
  sink: Sink,
  json: (row: Row) => string | Uint8Array,
): RowWriter<Row> {
  let before: string | undefined;
  return {
    async write(rows) {
      const parts: (string | Uint8Array)[] = before === undefined ? ['[\n'] : [];
      before ??= '';
      for (const row of rows) {
        parts.push(before, json(row));
        before = ',\n';
      }
      await sink.write(...parts);
    },
    end: () => sink.write(before === undefined ? '[]\n' : '\n]\n'),
  };
}

// A page of large records takes no more memory as text than this.
const WRITE_CHARACTERS = 1024 * 1024;

/** CSV or TSV. */
export function delimited<Row>(
  sink: Sink,
  format: 'csv' | 'tsv',
  heads: readonly string[],
  cells: (row: Row) => readonly string[],
): RowWriter<Row> {
  const line = (texts: readonly string[]) => delimitedLine(texts, format === 'csv' ? ',' : '\t');
  let waiting = line(heads);
  const flush = async () => {
    const text = waiting;
    waiting = '';
    if (text !== '') await sink.write(text);
  };
  return {
    async write(rows) {
      for (const row of rows) {
        waiting += line(cells(row));
        if (waiting.length >= WRITE_CHARACTERS) await flush();
      }
      await flush();
    },
    end: flush,
  };
}

// A table is written at its end, because the widths of its columns depend on all rows.
const MAX_TABLE_CHARACTERS = 8 * 1024 * 1024;

/** The hint for records that are too large for a format: NDJSON holds records of any size. */
export const OTHER_FORMAT = 'use --format ndjson';

/** A table for people. Without rows there is no table. */
export function tableAtEnd<Row>(
  cells: (row: Row) => readonly string[],
  print: RowLayout<Row>['table'],
): RowWriter<Row> {
  const table: (readonly string[])[] = [];
  let characters = 0;
  return {
    async write(rows) {
      for (const row of rows) {
        const texts = cells(row);
        characters += texts.join('').length;
        if (characters > MAX_TABLE_CHARACTERS) {
          throw new CliError('unexpected', 'the records are too large for a table', {
            hint: OTHER_FORMAT,
          });
        }
        table.push(texts);
      }
    },
    async end() {
      if (table.length > 0) await print(table);
    },
  };
}

export interface RecordOptions {
  /** The attributes in tables and CSV, if not the usual ones. */
  readonly fields: readonly string[] | undefined;
  /** The columns for people, which cannot be edited. */
  readonly columns?: readonly string[] | undefined;
  /** Whether rows hold what was exported, so that an update can recognise edits. */
  readonly isEditable: boolean;
  /** Describes what is wrong with a record, for a last column that is ignored when it is read. */
  readonly findings?: (record: Buffer) => string;
  readonly warn: (text: string) => void;
}

/** Makes the writer of a format of DOI records. @param sink stdout or a file. */
export type MakeRecordWriter = (sink: Sink, options: RecordOptions) => RowWriter<Buffer>;
