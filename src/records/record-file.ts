import { extname } from 'node:path';
import { usageError } from '../errors.ts';
import { type ColumnMap, columnNamed } from '../metadata/columns/column.ts';
import { arrayItems } from '../text/json-array.ts';
import { isObject, jsonIn } from '../text/json-values.ts';
import { decoded, readLines, textOf, utf16In } from '../text/lines.ts';
import { type ParsedRecord, parseRecord } from './document.ts';
import {
  type InputFile,
  isFolder,
  MAX_RECORD_BYTES,
  type RecordSource,
  type RecordText,
  readError,
  recordSource,
} from './record-source.ts';
import type { RunContext } from './run-context.ts';

/** A file that is known to hold one record, perhaps over many lines, or many. */
export interface RecordFile extends Pick<RecordSource, 'name' | 'path'> {
  readonly kind: 'one' | 'many';
  readonly rows: boolean;
  /** Of a folder, the file of each line. */
  readonly files?: readonly string[] | undefined;
  /** The records as they are in the file. Of several on one line, the others have the next lines. */
  records(): AsyncIterable<RecordText>;
}

interface FileOptions {
  readonly map?: ColumnMap | undefined;
  readonly many?: boolean;
  /** Whether records are taken for their DOIs alone: one on a line is a list of one DOI, and other columns are ignored. */
  readonly dois?: boolean;
}

/**
 * Opens a file and finds out whether it holds one record or many: NDJSON, by its name or because its first
 * line is JSON by itself and others follow, a JSON array, or the rows of a spreadsheet.
 */
export async function openRecordFile(
  context: RunContext,
  file: InputFile,
  options: FileOptions = {},
): Promise<RecordFile> {
  const { map = [], many = false, dois = false } = options;
  if (typeof file !== 'string' || isFolder(file)) {
    const { xmlFiles, xmlFolder } = await import('./xml-files.ts');
    const found = typeof file === 'string' ? xmlFolder(context, file) : xmlFiles(context, file);
    return { ...found, kind: 'many', rows: false };
  }
  const source = recordSource(context, file);
  const { name, path } = source;
  const heads = map.map(([head]) => head);
  const layout = await layoutOf(source, heads).catch((error: unknown) => {
    throw readError(context, name, error);
  });
  if (map.length > 0 && layout !== 'table') {
    throw usageError('--map is for the columns of CSV and TSV', `${name} holds JSON: leave --map out`);
  }
  const isOne = layout === 'one' || layout === 'xml' || (layout === 'line' && !dois);
  const kind = isOne && !many ? 'one' : 'many';
  return {
    name,
    path,
    kind,
    rows: layout === 'table',
    records: () => recordTexts(context, source, layout, options),
  };
}

/** The one record of a file; none, or several, are an error. */
export async function readRecord({ name, rows, records }: RecordFile, verb: string): Promise<ParsedRecord> {
  let only: RecordText | undefined;
  for await (const next of records()) {
    if (only !== undefined)
      throw usageError(`${name} holds several records`, `${verb} takes one record at a time`);
    only = next;
  }
  if (only === undefined) throw usageError(`${name} is empty`, 'it must hold a JSON object');
  return parseRecord(only.text, name, rows ? only.line : undefined);
}

async function* recordTexts(
  context: RunContext,
  source: RecordSource,
  layout: Layout,
  options: FileOptions,
): AsyncGenerator<RecordText> {
  const { name } = source;
  let last = 0;
  try {
    const read = await readerOf(layout);
    for await (const record of read(source.chunks(), name, options)) {
      context.host.signal.throwIfAborted();
      last = Math.max(record.line, last + 1);
      yield { text: record.text, line: last };
    }
  } catch (error) {
    throw readError(context, name, error);
  }
}

type Reader = (
  chunks: AsyncIterable<Buffer>,
  name: string,
  options: FileOptions,
) => AsyncIterable<RecordText>;

async function readerOf(layout: Layout): Promise<Reader> {
  if (layout === 'table') return (await import('./spreadsheet-rows.ts')).tableRecords;
  if (layout === 'xml') return (await import('./xml-files.ts')).wholeXml;
  if (layout === 'array') return (chunks, name) => arrayItems(decoded(chunks, name), name, MAX_RECORD_BYTES);
  return layout === 'one' ? wholeText : eachLine;
}

/** Each line that is not blank. */
export async function* eachLine(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<RecordText> {
  for await (const line of readLines(chunks, name, MAX_RECORD_BYTES)) {
    const text = textOf(line, name);
    if (text.trim() !== '') yield { text, line: line.number };
  }
}

/** The whole file. */
async function* wholeText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<RecordText> {
  const lines: string[] = [];
  for await (const { bytes } of readLines(chunks, name, MAX_RECORD_BYTES)) {
    lines.push(textOf({ bytes }, name));
  }
  yield { text: lines.join('\n'), line: 1 };
}

/** One record over many lines or on one, one a line, a JSON array, the rows of a spreadsheet, or XML. */
type Layout = 'one' | 'line' | 'lines' | 'array' | 'table' | 'xml';

/** Finds the layout of a file by its name and its first lines. @param heads that the command line names. */
async function layoutOf(source: RecordSource, heads: readonly string[]): Promise<Layout> {
  const ending = extname(source.name.replace(/\.(gz|zst)$/i, '')).toLowerCase();
  if (ending === '.csv' || ending === '.tsv') return 'table';
  if (ending === '.xml') return 'xml';
  const mark = await firstCharacter(source);
  if (mark === '<') return 'xml';
  if (mark === '[') return 'array';
  if (ending === '.ndjson' || ending === '.jsonl') return 'lines';
  let first: string | undefined;
  for await (const { bytes } of readLines(source.look(), 'the file')) {
    const text = bytes.toString().replace(/^\ufeff/, '');
    if (text.trim() === '') continue;
    if (first === undefined) {
      if (utf16In(bytes) !== undefined || isHead(text, heads)) return 'table';
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
  for await (const chunk of source.look()) {
    const text = chunk
      .toString('latin1')
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart();
    if (text !== '') return text[0];
  }
  return undefined;
}

/** Whether a line has the heads of columns: JSON begins with a bracket. */
function isHead(text: string, heads: readonly string[]): boolean {
  if (/^\s*[{[]/.test(text)) return false;
  if (/^sep=.$/i.test(text)) return true;
  const cells = text.split(/[,;\t]/).map((cell) => cell.replace(/^\s*"|"\s*$/g, '').trim());
  // Another spelling has an error of its own, which names the column.
  const isColumn = (cell: string) => cell.toLowerCase() === 'doi' || columnNamed(cell) !== undefined;
  return cells.some((cell) => cell !== '' && (heads.includes(cell) || isColumn(cell)));
}
