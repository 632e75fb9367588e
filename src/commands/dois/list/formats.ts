import { firstOf, selected } from '../../../harvest/walk/selected.ts';
import { valueAt } from '../../../text/json-values.ts';
import type { Sink } from '../../../ui/sink.ts';
import type { RecordFormat } from '../query/query.ts';
import { parsedRecord, type RecordWriter, tooLarge } from './records.ts';

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

/** CSV or TSV, whose columns take the schema of records, which other formats do not wait for. */
function spreadsheetWriter(...given: Parameters<typeof import('./csv.ts').csvWriter>): RecordWriter {
  let made: RecordWriter | undefined;
  const writer = async () => {
    made ??= (await import('./csv.ts')).csvWriter(...given);
    return made;
  };
  return {
    page: async (walked, most) => (await writer()).page(walked, most),
    end: async () => (await writer()).end(),
  };
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
