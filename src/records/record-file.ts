import { systemReason } from '../disk/system-error.ts';
import { usageError } from '../errors.ts';
import type { ColumnMap } from '../metadata/columns/header.ts';
import { arrayItems } from '../text/json-array.ts';
import { isObject, jsonIn } from '../text/json-values.ts';
import { readLines, textOf } from '../text/lines.ts';
import { type ParsedRecord, parseRecord } from './document.ts';
import { type Layout, layoutOf } from './layout.ts';
import { type RecordSource, type RecordText, recordSource, type Seekable } from './record-source.ts';
import type { RunContext } from './run-context.ts';

/** A file known to hold one record, perhaps over many lines, or many; their bytes are one record a line. */
export interface RecordFile extends RecordSource {
  readonly kind: 'one' | 'many';
}

// Far more than the service accepts.
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
// A write for each record would take longer than reading it.
const WRITE_CHARACTERS = 64 * 1024;

/** What the command line says about a file of records. */
interface FileOptions {
  /** What the columns of a spreadsheet are. */
  readonly map?: ColumnMap;
}

/**
 * Opens a file and finds out whether it holds one record or many: many are NDJSON, by the name of the file or
 * because the first line is JSON by itself and others follow, a JSON array, or the rows of a spreadsheet.
 * @param many whether the command line already says that it holds many.
 * @throws {CliError} kind `usage` when it cannot be read; the stop reason when interrupted.
 */
export async function openRecordFile(
  context: RunContext,
  file: string,
  many: boolean,
  options: FileOptions = {},
): Promise<RecordFile> {
  const source = recordSource(context, file);
  const layout = await sourceLayout(context, source, options);
  const { name, path } = source;
  if (layout === 'one' || layout === 'lines') {
    const kind = many ? 'many' : layout === 'one' ? 'one' : 'many';
    return { name, path, kind, chunks: () => source.chunks(), isConverted: source.isPacked() };
  }
  const chunks = () => asLines(recordTexts(context, source, layout, options));
  return { name, path, kind: 'many', chunks, isConverted: true };
}

async function sourceLayout(
  context: RunContext,
  source: Seekable,
  { map = [] }: FileOptions,
): Promise<Layout> {
  let layout: Layout;
  try {
    layout = await layoutOf(
      source,
      map.map(([head]) => head),
    );
  } catch (error) {
    throw readError(context, source.name, error);
  }
  if (map.length === 0 || layout === 'table') return layout;
  throw usageError('--map is for the columns of CSV and TSV', `${source.name} holds JSON: leave --map out`);
}

/**
 * Records as NDJSON. Each is on the line on which it begins in the file, so that messages name that; where several
 * begin on one line, those after the first are on the lines below it.
 */
async function* asLines(records: AsyncIterable<RecordText>): AsyncGenerator<Buffer> {
  let next = 1;
  let lines = '';
  for await (const { text, line } of records) {
    const blanks = '\n'.repeat(Math.max(0, line - next));
    // Strings hold no line breaks: the splitter of arrays refuses them.
    lines += `${blanks}${text.replace(/[\r\n]+/g, ' ')}\n`;
    next = Math.max(next, line) + 1;
    if (lines.length < WRITE_CHARACTERS) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (lines !== '') yield Buffer.from(lines);
}

/**
 * The one record of a file.
 * @throws {CliError} kind `usage` when it cannot be read, or holds no record or several.
 */
export async function readRecord(
  context: RunContext,
  source: Seekable | RecordFile,
  verb: string,
): Promise<ParsedRecord> {
  const { name } = source;
  let only: RecordText | undefined;
  for await (const next of readRecords(context, source)) {
    if (only !== undefined)
      throw usageError(`${name} holds several records`, `${verb} takes one record at a time`);
    only = next;
  }
  if (only === undefined) throw usageError(`${name} is empty`, 'it must hold a JSON object');
  return parseRecord(only.text, name);
}

/**
 * The records of a file, one at a time: each line of NDJSON, each item of an array, each row of a spreadsheet, or
 * the whole file.
 * @throws {CliError} kind `usage` when it cannot be read, or is not UTF-8; the stop reason when interrupted.
 */
export async function* readRecords(
  context: RunContext,
  source: Seekable | RecordFile,
  options: FileOptions = {},
): AsyncGenerator<RecordText> {
  const layout = 'look' in source ? await sourceLayout(context, source, options) : 'lines';
  yield* recordTexts(context, source, layout, options);
}

async function* recordTexts(
  context: RunContext,
  source: RecordSource,
  layout: Layout,
  { map = [] }: FileOptions,
): AsyncGenerator<RecordText> {
  const { name } = source;
  const records =
    layout === 'table'
      ? (await import('./spreadsheet-rows.ts')).tableRecords(source.chunks(), name, map)
      : layout === 'array'
        ? itemsOf(source.chunks(), name)
        : textsOf(source.chunks(), name);
  try {
    for await (const record of records) {
      context.host.signal.throwIfAborted();
      yield record;
    }
  } catch (error) {
    throw readError(context, name, error);
  }
}

async function* itemsOf(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<RecordText> {
  for await (const { bytes, line } of arrayItems(chunks, name, MAX_RECORD_BYTES)) {
    yield { text: textOf({ bytes }, name), line };
  }
}

/** Each line of NDJSON, or the whole file if its first line is not JSON by itself. */
async function* textsOf(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<RecordText> {
  const whole: string[] = [];
  let isLines: boolean | undefined;
  for await (const { bytes, number: line } of readLines(chunks, name, MAX_RECORD_BYTES)) {
    const text = textOf({ bytes }, name);
    if (isLines === undefined && text.trim() !== '') isLines = holdsObject(text);
    if (!isLines) whole.push(text);
    else if (text.trim() !== '') yield { text, line };
  }
  yield* recordsIn(whole);
}

/** What to throw when reading a file has failed: the stop reason, a `usage` error, or the error itself. */
export function readError({ host: { signal } }: RunContext, name: string, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error;
  return usageError(`cannot read ${name}: ${systemReason(error)}`, 'name a regular file, or - for stdin');
}

/**
 * The records of a file whose first line is not JSON. It is one record, unless a later line is a record: then
 * the first line has an error. Comments become blank lines, because a template that was kept may hold some.
 */
function recordsIn(given: readonly string[]): readonly RecordText[] {
  const lines = given.map((line) => (/^\s*\/\//.test(line) ? '' : line));
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if (!/^\s*\[/.test(first) && lines.slice(1).some((line) => line.startsWith('{') && holdsObject(line))) {
    return lines.map((text, index) => ({ text, line: index + 1 })).filter(({ text }) => text.trim() !== '');
  }
  const text = lines.join('\n');
  return text.trim() === '' ? [] : [{ text, line: 1 }];
}

function holdsObject(text: string): boolean {
  return /^\s*\{.*\}\s*$/s.test(text) && isObject(jsonIn(text));
}
