import type { RecordReader } from './input/source.ts';
import { jsonArray, jsonLines, type MakeRecordWriter } from './output/row-writer.ts';

/** A format of records: the endings of its files, and its reader and writer, which load lazily. */
interface Format {
  readonly endings: readonly string[];
  readonly read?: () => Promise<RecordReader>;
  /** What a file with one of the endings contains; absent where the content decides. */
  readonly holds?: 'one record' | 'records' | 'rows';
  readonly write?: () => Promise<MakeRecordWriter>;
}

/**
 * The formats of records by name, in the order of `--format`. A new format is a folder next to this
 * file and a row here.
 */
export const FORMATS = {
  json: {
    endings: ['.json'],
    read: async () => (await import('./json/read.ts')).readJson,
    write: async (): Promise<MakeRecordWriter> => (sink) => jsonArray(sink, (record) => record),
  },
  ndjson: {
    endings: ['.ndjson', '.jsonl'],
    read: async () => (await import('./json/read.ts')).readJsonLines,
    write: async (): Promise<MakeRecordWriter> => (sink) => jsonLines(sink, String),
  },
  csv: {
    endings: ['.csv'],
    holds: 'rows',
    read: async () => (await import('./spreadsheet/read.ts')).readTable,
    write: async () => (await import('./spreadsheet/write.ts')).writeCsv,
  },
  tsv: {
    endings: ['.tsv'],
    holds: 'rows',
    read: async () => (await import('./spreadsheet/read.ts')).readTable,
    write: async () => (await import('./spreadsheet/write.ts')).writeTsv,
  },
  xml: {
    endings: ['.xml'],
    holds: 'one record',
    read: async () => (await import('./xml/read.ts')).readXml,
  },
  parquet: {
    endings: ['.parquet'],
    write: async () => (await import('./parquet/write.ts')).writeParquet,
  },
} as const satisfies Readonly<Record<string, Format>>;

type Formats = typeof FORMATS;
type FormatName = keyof Formats;
/** The formats that lists are written in. */
export type WrittenFormat = {
  [Name in FormatName]: Formats[Name] extends { readonly write: unknown } ? Name : never;
}[FormatName];

const isWritten = (name: string): name is WrittenFormat => 'write' in FORMATS[name as FormatName];

/** The names of the formats that lists are written in. */
export const WRITTEN_FORMATS: readonly WrittenFormat[] = Object.keys(FORMATS).filter(isWritten);

/** The formats of files by their endings. */
export const ENDINGS: Readonly<Record<string, FormatName>> = Object.fromEntries(
  Object.entries(FORMATS).flatMap(([name, { endings }]) =>
    endings.map((ending) => [ending, name as FormatName]),
  ),
);

/** The endings of files that lists are written to. */
export const WRITTEN_ENDINGS: Readonly<Record<string, WrittenFormat>> = Object.fromEntries(
  WRITTEN_FORMATS.flatMap((name) => FORMATS[name].endings.map((ending) => [ending, name])),
);
