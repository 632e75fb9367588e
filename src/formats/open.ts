import { extname } from 'node:path';
import { usageError } from '../errors.ts';
import { isObject, jsonIn } from '../text/json-values.ts';
import { readLines, utf16In } from '../text/lines.ts';
import type { ParsedRecord } from './input/record.ts';
import {
  type InputFile,
  type InputRecord,
  isFolder,
  type ReadContext,
  type ReadOptions,
  type RecordReader,
  type RecordSource,
  readError,
  recordSource,
} from './input/source.ts';
import { ENDINGS, FORMATS } from './registry.ts';

/** A file that is known to hold one record, perhaps over many lines, or many. */
export interface RecordFile extends Pick<RecordSource, 'name' | 'path'> {
  readonly kind: 'one' | 'many';
  readonly rows: boolean;
  /** Of a folder, the file of each line. */
  readonly files?: readonly string[] | undefined;
  /** The ending of a file of this format. */
  readonly ending: string;
  /** The bytes of the file, unpacked. */
  bytes(): AsyncIterable<Buffer>;
  /**
   * The records as they are in the file. Of several on one line, the others have the next lines.
   */
  records(): AsyncIterable<InputRecord>;
  /** The same records from another file, such as a copy of stdin, under the name of this one. */
  recordsOf(path: string): AsyncIterable<InputRecord>;
}

interface FileOptions extends ReadOptions {
  readonly many?: boolean;
}

/**
 * One record over many lines or on one, one a line, a JSON array, the rows of a spreadsheet, or
 * XML.
 */
type Layout = 'one' | 'line' | 'lines' | 'array' | 'table' | 'xml';

/** The ending of a file of each layout, and its reader. */
const READERS: Readonly<
  Record<Layout, readonly [ending: string, load: () => Promise<RecordReader>]>
> = {
  one: ['.json', FORMATS.json.read],
  line: ['.ndjson', FORMATS.ndjson.read],
  lines: ['.ndjson', FORMATS.ndjson.read],
  array: ['.json', async () => (await import('./json/read.ts')).readJsonArray],
  table: ['.csv', FORMATS.csv.read],
  xml: ['.xml', FORMATS.xml.read],
};

/**
 * The layouts that the ending of a file decides; the other formats of JSON depend on the content.
 */
const LAYOUTS: Readonly<Record<string, Layout>> = { csv: 'table', tsv: 'table', xml: 'xml' };

/**
 * Opens a file and finds out whether it holds one record or many: NDJSON, by its name or because
 * its first line is JSON by itself and others follow, a JSON array, or the rows of a spreadsheet.
 */
export async function openRecordFile(
  context: ReadContext,
  file: InputFile,
  options: FileOptions = {},
): Promise<RecordFile> {
  const { map = [], many = false, dois = false } = options;
  if (typeof file !== 'string' || isFolder(file)) {
    const { xmlFiles, xmlFolder } = await import('./xml/read.ts');
    const opened = typeof file === 'string' ? xmlFolder(context, file) : xmlFiles(context, file);
    return {
      ...opened,
      kind: 'many',
      rows: false,
      ending: '',
      bytes: noBytes,
      recordsOf: opened.records,
    };
  }
  const source = recordSource(context, file);
  const { name, path } = source;
  const heads = map.map(([head]) => head);
  const layout = await layoutOf(source, heads).catch((error: unknown) => {
    throw readError(context, name, error);
  });
  if (map.length > 0 && layout !== 'table') {
    throw usageError(
      '--map is for the columns of CSV and TSV',
      `${name} holds JSON: leave --map out`,
    );
  }
  const isOne = layout === 'one' || layout === 'xml' || (layout === 'line' && !dois);
  const [ending, load] = READERS[layout];
  const recordsIn = (chunks: () => AsyncIterable<Buffer>) =>
    placedRecords(context, name, async () => (await load())(chunks(), name, options));
  return {
    name,
    path,
    kind: isOne && !many ? 'one' : 'many',
    rows: layout === 'table',
    ending,
    bytes: source.chunks,
    records: () => recordsIn(source.chunks),
    recordsOf: (copy) => recordsIn(recordSource(context, copy).chunks),
  };
}

/** Several files have no bytes in common. */
async function* noBytes(): AsyncGenerator<Buffer> {}

/** The one record of a file; none, or several, are an error. */
export async function readRecord(
  { name, rows, records }: RecordFile,
  verb: string,
): Promise<ParsedRecord> {
  let only: InputRecord | undefined;
  for await (const record of records()) {
    if (only !== undefined)
      throw usageError(`${name} holds several records`, `${verb} takes one record at a time`);
    only = record;
  }
  if (only === undefined) throw usageError(`${name} is empty`, 'it must hold a JSON object');
  return only.parse(name, rows ? only.line : undefined);
}

async function* placedRecords(
  context: ReadContext,
  name: string,
  read: () => Promise<AsyncIterable<InputRecord>>,
): AsyncGenerator<InputRecord> {
  let last = 0;
  try {
    for await (const record of await read()) {
      context.host.signal.throwIfAborted();
      last = Math.max(record.line, last + 1);
      yield record.line === last ? record : { ...record, line: last };
    }
  } catch (error) {
    throw readError(context, name, error);
  }
}

/**
 * Finds the layout of a file by its name and its first lines. @param heads that the command line
 * names.
 */
async function layoutOf(source: RecordSource, heads: readonly string[]): Promise<Layout> {
  const ending = extname(source.name.replace(/\.(gz|zst)$/i, '')).toLowerCase();
  const format = ENDINGS[ending];
  const layout = format && LAYOUTS[format];
  if (layout !== undefined) return layout;
  const mark = await firstCharacter(source);
  if (mark === '<') return 'xml';
  if (mark === '[') return 'array';
  if (format === 'ndjson') return 'lines';
  let first: string | undefined;
  for await (const { bytes } of readLines(source.peek(), 'the file')) {
    const text = bytes.toString().replace(/^\ufeff/, '');
    if (text.trim() === '') continue;
    if (first === undefined) {
      if (utf16In(bytes) !== undefined || (await isHead(text, heads))) return 'table';
      first = text;
    } else if (!isBegun(first) || (text.startsWith('{') && isObject(jsonIn(text)))) return 'lines';
  }
  return first !== undefined && isBegun(first) ? 'one' : 'line';
}

/** Whether the first line is the beginning of a record that the next lines continue. */
function isBegun(first: string): boolean {
  return /^\s*\{/.test(first) && jsonIn(first) === undefined;
}

/** An array, or XML, may be one line of any length, so that only its first character counts. */
async function firstCharacter(source: RecordSource): Promise<string | undefined> {
  for await (const chunk of source.peek()) {
    const text = chunk
      .toString('latin1')
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart();
    if (text !== '') return text[0];
  }
  return undefined;
}

/** Whether a line has the heads of columns: JSON begins with a bracket. */
async function isHead(text: string, heads: readonly string[]): Promise<boolean> {
  if (/^\s*[{[]/.test(text)) return false;
  if (/^sep=.$/i.test(text)) return true;
  const { columnNamed } = await import('./spreadsheet/column.ts');
  const cells = text.split(/[,;\t]/).map((cell) => cell.replace(/^\s*"|"\s*$/g, '').trim());
  // Another spelling has an error of its own, which names the column.
  const isColumn = (cell: string) =>
    cell.toLowerCase() === 'doi' || columnNamed(cell) !== undefined;
  return cells.some((cell) => cell !== '' && (heads.includes(cell) || isColumn(cell)));
}
