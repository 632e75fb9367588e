import { CliError } from '../../errors.ts';
import type { WalkedPage } from '../../harvest/walk/repeat-guard.ts';
import { parseBounded, TooComplex } from '../../text/bounded-json.ts';
import { csvLine } from '../../text/csv.ts';
import type { JsonObject } from '../../text/json-values.ts';
import type { Sink } from '../../ui/sink.ts';
import type { RecordFormat } from './query/query.ts';

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
      return csvWriter(sink, columnsOf(options.fields, CSV_COLUMNS));
    case 'table':
      return tableWriter(options);
  }
}

/** Accepts the first `most` new records. The result is called once for each record, in order. */
function firstOf({ fresh }: WalkedPage, most: number): (index: number) => boolean {
  let left = most;
  return (index) => left > 0 && fresh(index) && left-- > 0;
}

/** The first `most` new records of a page. */
export function* selected(walked: WalkedPage, most: number): Generator<Buffer> {
  const wanted = firstOf(walked, most);
  for (let index = 0; index < walked.page.count; index += 1) {
    if (wanted(index)) yield walked.page.record(index);
  }
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

/** The value at a path of member names and indexes; undefined if a part of it is absent. */
function valueAt(record: unknown, ...path: readonly string[]): unknown {
  return path.reduce((value, name) => (value as JsonObject | null | undefined)?.[name], record);
}

const column = (name: string, ...path: readonly string[]): Column => ({
  name,
  value: (record) => valueAt(record, ...path),
});
const attribute = (name: string): Column => column(name, 'attributes', name);
const doi = column('doi', 'id');
const title = column('title', 'attributes', 'titles', '0', 'title');
const type = column('resourceTypeGeneral', 'attributes', 'types', 'resourceTypeGeneral');
const client = column('client', 'relationships', 'client', 'data', 'id');
const publisher: Column = {
  name: 'publisher',
  value: (record) => {
    const value = valueAt(record, 'attributes', 'publisher');
    return typeof value === 'object' ? valueAt(value, 'name') : value;
  },
};

const [state, year] = [attribute('state'), attribute('publicationYear')];
const TABLE_COLUMNS = [doi, state, { ...year, name: 'year' }, { ...type, name: 'type' }, title];
const DATES = ['created', 'registered', 'updated'].map(attribute);
const CSV_COLUMNS = [doi, state, title, publisher, year, type, attribute('url'), client, ...DATES];

function columnsOf(fields: readonly string[] | undefined, standard: readonly Column[]): readonly Column[] {
  if (fields === undefined) return standard;
  return [doi, ...fields.filter((field) => field !== 'doi').map(attribute)];
}

// A page of large records takes no more memory as text than this.
const WRITE_CHARACTERS = 1024 * 1024;
// A table is written at its end, because the widths of its columns depend on all rows.
const MAX_TABLE_CHARACTERS = 8 * 1024 * 1024;

function csvWriter(sink: Sink, columns: readonly Column[]): RecordWriter {
  let head = csvLine(columns.map(({ name }) => name));
  return {
    async page(walked, most) {
      let lines = head;
      head = '';
      for (const record of selected(walked, most)) {
        lines += csvLine(cells(columns, record));
        if (lines.length < WRITE_CHARACTERS) continue;
        await sink.write(lines);
        lines = '';
      }
      await sink.write(lines);
    },
    end: () => sink.write(head),
  };
}

function tableWriter({ fields, printTable }: RecordWriterOptions): RecordWriter {
  const columns = columnsOf(fields, TABLE_COLUMNS);
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

function parsedRecord(record: Buffer): unknown {
  try {
    return parseBounded(record.toString());
  } catch (error) {
    throw error instanceof TooComplex ? tooLarge(`a record has ${error.message}`) : error;
  }
}

function tooLarge(message: string): CliError {
  return new CliError('unexpected', message, { hint: 'use --format ndjson' });
}
