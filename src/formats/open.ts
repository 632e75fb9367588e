import { extname } from 'node:path';
import { usageError } from '../errors.ts';
import { prepareXmlOf } from '../metadata/xml-attributes.ts';
import { isObject, type JsonObject, jsonIn } from '../text/json-values.ts';
import { readLines } from '../text/lines.ts';
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
import { refuseProse } from './other-kinds.ts';
import { ENDINGS, FORMATS } from './registry.ts';

/** An opened file of one record, perhaps over many lines, or of many records. */
export interface RecordFile extends Pick<RecordSource, 'name' | 'path'> {
  readonly kind: 'one' | 'many';
  readonly rows: boolean;
  /** Whether it is a list of the service, which a later run reads again. */
  readonly isList?: boolean;
  /** The file of each line, where the records are several files. */
  readonly files?: readonly string[] | undefined;
  /** The ending of a copy of the file. */
  readonly ending: string;
  /** The bytes of the file, unpacked. */
  bytes(): AsyncIterable<Buffer>;
  /** The records in file order. Of several records on a line, each later one counts as a line. */
  records(): AsyncIterable<InputRecord>;
  /** The same records from another file, such as a copy of stdin, under this file's name. */
  recordsOf(path: string): AsyncIterable<InputRecord>;
}

interface FileOptions extends ReadOptions {
  readonly many?: boolean;
}

/** What a file contains, and its reader. A single line may be a record or a list of DOIs. */
interface Layout {
  readonly endings: readonly string[];
  readonly holds: 'one record' | 'one line' | 'records' | 'rows';
  readonly read: () => Promise<RecordReader>;
}

const ONE_RECORD: Layout = { ...FORMATS.json, holds: 'one record' };
const ONE_LINE: Layout = { ...FORMATS.ndjson, holds: 'one line' };
const LINES: Layout = { ...FORMATS.ndjson, holds: 'records' };
const ARRAY: Layout = {
  ...FORMATS.json,
  holds: 'records',
  read: async () => (await import('./json/read.ts')).readJsonArray,
};

/**
 * Opens a file and determines whether it contains one record or many: NDJSON (by its name, or
 * because its first line is complete JSON and others follow), a JSON array, or spreadsheet rows.
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
  const layout = await layoutOf(source, { heads, isOnlyDois: dois }).catch((error: unknown) => {
    throw readError(context, name, error);
  });
  const { holds, read, endings } = layout;
  const [ending = ''] = endings;
  if (map.length > 0 && holds !== 'rows') {
    throw usageError(
      '--map is for the columns of CSV and TSV',
      `${name} holds JSON: leave --map out`,
    );
  }
  const isOne = holds === 'one record' || (holds === 'one line' && !dois);
  const recordsIn = (chunks: () => AsyncIterable<Buffer>) =>
    placedRecords(context, name, async () => (await read())(chunks(), name, options));
  return {
    name,
    path,
    kind: isOne && !many ? 'one' : 'many',
    rows: holds === 'rows',
    ending,
    bytes: source.chunks,
    records: () => recordsIn(source.chunks),
    recordsOf: (copy) => recordsIn(recordSource(context, copy).chunks),
  };
}

/** Several files are not read as one stream. */
async function* noBytes(): AsyncGenerator<Buffer> {}

/** The only record of a file. @throws {CliError} kind `usage` for no record, or for several. */
export async function readRecord(
  { name, rows, records }: RecordFile,
  hint: string,
): Promise<ParsedRecord> {
  let only: InputRecord | undefined;
  for await (const record of records()) {
    if (only !== undefined) throw usageError(`${name} holds several records`, hint);
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
      await prepareXmlIn(record);
      yield record.line === last ? record : { ...record, line: last };
    }
  } catch (error) {
    throw readError(context, name, error);
  }
}

/** Loads what reads XML if a record sends some; records that were read send none. */
async function prepareXmlIn({ text, parse }: InputRecord): Promise<void> {
  // The name may be escaped.
  if (!/xml|\\u00(?:78|6[cd])/i.test(text)) return;
  let attributes: JsonObject = {};
  try {
    const record = parse('', undefined);
    if (record.row?.filled.has('xml') ?? true) ({ attributes } = record);
  } catch {
    // The command parses it again, and names its place in the error.
  }
  await prepareXmlOf(attributes);
}

/** Finds the layout of a file by its name and first lines. @param heads mapped by `--map`. */
async function layoutOf(
  source: RecordSource,
  { heads, isOnlyDois }: { readonly heads: readonly string[]; readonly isOnlyDois: boolean },
): Promise<Layout> {
  const begin = await beginning(source);
  if (begin.startsWith('version https://git-lfs.github.com/'))
    throw usageError(`${source.name} is a pointer of Git LFS, not the file itself`, 'git lfs pull');
  const ending = extname(source.name.replace(/\.(gz|zst)$/i, '')).toLowerCase();
  const name = ENDINGS[ending];
  const format = name === undefined ? undefined : FORMATS[name];
  if (format !== undefined && 'holds' in format) return format;
  // A list of DOIs as links in Markdown or in angle brackets gets the error of its first DOI.
  const isLink = /^(?:<(?:https?:|doi:|10\.)|\[[^\]{"]*\]\()/i.test(begin);
  if (begin.startsWith('<') && !isLink) return FORMATS.xml;
  if (begin.startsWith('[') && !isLink) return ARRAY;
  if (name === 'ndjson') return LINES;
  let first: string | undefined;
  let isOpen = false;
  for await (const { bytes } of readLines(source.peek(), 'the file')) {
    const text = bytes.toString();
    if (text.trim() === '') continue;
    if (first === undefined) {
      if (await isHead(text, heads)) return FORMATS.csv;
      if (!isOnlyDois) refuseProse(source.name, begin);
      first = text;
      isOpen = isBegun(text);
    } else if (!isOpen || (text.startsWith('{') && isObject(jsonIn(text)))) return LINES;
  }
  return isOpen ? ONE_RECORD : ONE_LINE;
}

/** Whether the first line begins a record that continues on the next lines. */
function isBegun(first: string): boolean {
  return /^\s*\{/.test(first) && jsonIn(first) === undefined;
}

/** An array, or XML, may be one line of any length: only its beginning is read. */
async function beginning(source: RecordSource): Promise<string> {
  for await (const chunk of source.peek()) {
    const text = chunk.toString('latin1').trimStart();
    if (text !== '') return text.slice(0, 1000);
  }
  return '';
}

/** Whether a line contains heads of columns: JSON begins with a bracket. */
async function isHead(text: string, heads: readonly string[]): Promise<boolean> {
  if (/^\s*[{[]/.test(text)) return false;
  const { columnNamed } = await import('./spreadsheet/column.ts');
  const cells = text.split(/[,;\t]/).map((cell) => cell.replace(/^\s*"|"\s*$/g, '').trim());
  // A misspelled column gets an error later.
  const isColumn = (cell: string) =>
    cell.toLowerCase() === 'doi' || columnNamed(cell) !== undefined;
  return cells.some((cell) => cell !== '' && (heads.includes(cell) || isColumn(cell)));
}
