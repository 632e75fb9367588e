import { CliError } from '../../../errors.ts';
import type { WalkedPage } from '../../../harvest/walk/repeat-guard.ts';
import { firstOf, selected } from '../../../harvest/walk/selected.ts';
import { delimitedLine } from '../../../text/csv.ts';
import { isObject, parseBounded, TooComplex, valueAt } from '../../../text/json-values.ts';
import type { Sink } from '../../../ui/sink.ts';
import type { RecordFormat } from './plan.ts';

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
  /** Prints a table of records, whose columns have the names of their attributes. */
  readonly printTable: (names: readonly string[], rows: readonly (readonly string[])[]) => Promise<void>;
}

/** The writer of a format, into a sink. */
export function recordWriter(format: RecordFormat, sink: Sink, options: RecordWriterOptions): RecordWriter {
  switch (format) {
    case 'ndjson':
      return {
        page: (walked, most) => sink.write(...walked.page.lines(firstOf(walked, most))),
        end: async () => {},
      };
    case 'json':
      return jsonWriter(sink);
    case 'csv':
    case 'tsv':
      return spreadsheetWriter(sink, options.fields, format === 'csv' ? ',' : '\t');
    case 'table':
      return tableWriter(options);
  }
}

// A page of large records takes no more memory as text than this.
const WRITE_CHARACTERS = 1024 * 1024;

/**
 * CSV or TSV. The columns are the same for all lists, so that rows can be written as records arrive: further items of
 * a list have a column of their own, as JSON.
 * @param fields the attributes to write, if not the usual ones.
 */
function spreadsheetWriter(
  sink: Sink,
  fields: readonly string[] | undefined,
  delimiter: ',' | '\t',
): RecordWriter {
  const line = (cells: readonly string[]) => delimitedLine(cells, delimiter);
  let head = '';
  let started: Promise<(record: object) => string> | undefined;
  const start = async () => {
    // They take the schema of records, which other formats do not wait for.
    const [{ columnsFor }, { cellIn }] = await Promise.all([
      import('../../../metadata/columns/column.ts'),
      import('../../../metadata/columns/value.ts'),
    ]);
    const columns = columnsFor(fields);
    head = line(columns.map(({ name }) => name));
    return (record: object) => line(columns.map((column) => cellIn(record, column)));
  };
  return {
    async page(walked, most) {
      started ??= start();
      const row = await started;
      let lines = head;
      head = '';
      for (const record of selected(walked, most)) {
        lines += row(attributesOf(parsedRecord(record)));
        if (lines.length < WRITE_CHARACTERS) continue;
        await sink.write(lines);
        lines = '';
      }
      await sink.write(lines);
    },
    async end() {
      started ??= start();
      await started;
      await sink.write(head);
    },
  };
}

/** The attributes of a record, with its id as the DOI and its repository account. */
function attributesOf(record: unknown): object {
  const attributes = valueAt(record, ['attributes']);
  const client = valueAt(record, ['relationships', 'client', 'data', 'id']);
  return { ...(isObject(attributes) ? attributes : {}), doi: valueAt(record, ['id']), client };
}

/** A JSON array, one record a line, each as the service sent it. */
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

interface Column {
  readonly name: string;
  readonly value: (record: unknown) => unknown;
}

const column = (name: string, ...path: readonly string[]): Column => ({
  name,
  value: (record) => valueAt(record, path),
});
const attribute = (name: string): Column => column(name, 'attributes', name);
const doi = column('doi', 'id');
const title = column('title', 'attributes', 'titles', '0', 'title');
const type = column('resourceTypeGeneral', 'attributes', 'types', 'resourceTypeGeneral');
const [state, year] = [attribute('state'), attribute('publicationYear')];
const TABLE_COLUMNS = [doi, state, { ...year, name: 'year' }, { ...type, name: 'type' }, title];

function columnsOf(fields: readonly string[] | undefined): readonly Column[] {
  if (fields === undefined) return TABLE_COLUMNS;
  return [doi, ...fields.filter((field) => field !== 'doi').map(attribute)];
}

// A table is written at its end, because the widths of its columns depend on all rows.
const MAX_TABLE_CHARACTERS = 8 * 1024 * 1024;

function tableWriter({ fields, printTable }: RecordWriterOptions): RecordWriter {
  const columns = columnsOf(fields);
  const rows: string[][] = [];
  let characters = 0;
  return {
    async page(walked, most) {
      for (const record of selected(walked, most)) {
        const row = cells(columns, record);
        characters += row.reduce((sum, cell) => sum + cell.length, 0);
        if (characters > MAX_TABLE_CHARACTERS) throw tooLarge('the records are too large for a table');
        rows.push(row);
      }
    },
    async end() {
      if (rows.length > 0)
        await printTable(
          columns.map(({ name }) => name),
          rows,
        );
    },
  };
}

function cells(columns: readonly Column[], record: Buffer): string[] {
  const parsed = parsedRecord(record);
  return columns.map(({ value }) => {
    const cell = value(parsed) ?? '';
    return typeof cell === 'string' ? cell : JSON.stringify(cell);
  });
}

/**
 * A record of a page, parsed.
 * @throws {CliError} kind `unexpected` when it is too large for that.
 */
function parsedRecord(record: Buffer): unknown {
  try {
    return parseBounded(record.toString());
  } catch (error) {
    throw error instanceof TooComplex ? tooLarge(`a record has ${error.message}`) : error;
  }
}

/** The error for records that a format cannot hold, with a format that can. */
function tooLarge(message: string): CliError {
  return new CliError('unexpected', message, { hint: 'use --format ndjson' });
}
