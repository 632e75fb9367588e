import type { RecordReader } from './input/source.ts';
import { jsonArray, jsonLines, type MakeRecordWriter } from './output/row-writer.ts';

/** A format of records: its file endings, and its reader and writer, loaded when needed. */
interface Format {
  readonly endings: readonly string[];
  readonly read?: () => Promise<RecordReader>;
  readonly write?: () => Promise<MakeRecordWriter>;
}

/** The formats of records; a new one is a folder next to this file, and a row here. */
export const FORMATS = {
  csv: {
    endings: ['.csv'],
    read: async () => (await import('./spreadsheet/read.ts')).readTable,
    write: async () => (await import('./spreadsheet/write.ts')).writeCsv,
  },
  tsv: {
    endings: ['.tsv'],
    read: async () => (await import('./spreadsheet/read.ts')).readTable,
    write: async () => (await import('./spreadsheet/write.ts')).writeTsv,
  },
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
  xml: {
    endings: ['.xml'],
    read: async () => (await import('./xml/read.ts')).readXml,
  },
  parquet: {
    endings: ['.parquet'],
    write: async () => (await import('./parquet/write.ts')).writeParquet,
  },
} as const satisfies Readonly<Record<string, Format>>;

type FormatName = keyof typeof FORMATS;
/** The formats that lists are written in. */
export type WrittenFormat = Exclude<FormatName, 'xml'>;

/** The formats of files by their endings. */
export const ENDINGS = Object.fromEntries(
  Object.entries(FORMATS).flatMap(([name, { endings }]) => endings.map((ending) => [ending, name])),
) as Readonly<Record<string, FormatName>>;
