import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Context } from '../../../cli/context.ts';
import { isPipe, openInput } from '../../../disk/input-file.ts';
import { systemReason } from '../../../disk/system-error.ts';
import { usageError } from '../../../errors.ts';
import { isObject, jsonIn } from '../../../text/json-values.ts';
import { isBlank, readLines } from '../../../text/lines.ts';
import { type ParsedRecord, parseRecord } from './document.ts';

/** A file of records, stdin, or a pipe. */
export interface RecordSource {
  /** What to call it in messages. */
  readonly name: string;
  /** Undefined for what can be read once only: stdin or a pipe. */
  readonly path: string | undefined;
  /** The bytes from the start. */
  chunks(): AsyncIterable<Buffer>;
}

/** A file known to hold one record, perhaps over many lines, or many records, one a line. */
export interface RecordFile extends RecordSource {
  readonly kind: 'one' | 'many';
}

/** The text of one record of a file. */
export interface RecordText {
  readonly text: string;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
}

// Far more than the service accepts.
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** Other names of stdin. Where it is a socket, only the process itself can read it. */
const STDIN = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/**
 * @param file a path, or `-` for stdin. Nothing is read yet.
 * @throws {CliError} kind `usage` for a folder or a device.
 */
export function recordSource(context: Context, file: string): RecordSource {
  const isStdin = STDIN.includes(file);
  if (!isStdin && !isPipe(file)) return { name: file, path: file, chunks: () => openInput(file) };
  return { name: isStdin ? 'stdin' : file, path: undefined, chunks: () => streamOf(context, file) };
}

/** The bytes of stdin or a pipe. */
function streamOf({ host }: Context, file: string): Readable {
  return addAbortSignal(host.signal, STDIN.includes(file) ? host.stdin : openInput(file));
}

/**
 * Opens a file and finds out whether it holds one record or many: many are NDJSON, by the name of the file or
 * because the first line is JSON by itself and others follow.
 * @param many whether the command line already says that it holds many.
 * @throws {CliError} kind `usage` when it cannot be read; the stop reason when interrupted.
 */
export async function openRecordFile(context: Context, file: string, many: boolean): Promise<RecordFile> {
  const source = recordSource(context, file);
  if (many || /^\.(ndjson|jsonl)$/i.test(extname(file))) return { ...source, kind: 'many' };
  try {
    if (source.path !== undefined) return { ...source, kind: await kindOf(source.chunks()) };
    const stream = streamOf(context, file);
    const seen: Buffer[] = [];
    const kind = await kindOf(remembered(stream, seen));
    return { ...source, kind, chunks: () => joined(seen, stream) };
  } catch (error) {
    throw readError(context, source.name, error);
  }
}

/**
 * The one record of a file.
 * @throws {CliError} kind `usage` when it cannot be read, or holds no record or several.
 */
export async function readRecord(
  context: Context,
  source: RecordSource,
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
 * The records of a file, one at a time: each line of NDJSON, or the whole file if its first line is not
 * JSON by itself.
 * @throws {CliError} kind `usage` when it cannot be read, or is not UTF-8; the stop reason when interrupted.
 */
export async function* readRecords(context: Context, source: RecordSource): AsyncGenerator<RecordText> {
  const { name } = source;
  const whole: string[] = [];
  let isLines: boolean | undefined;
  try {
    for await (const { bytes, number: line } of readLines(source.chunks(), name, MAX_RECORD_BYTES)) {
      context.host.signal.throwIfAborted();
      const text = decodeUtf8(bytes, name);
      if (isLines === undefined && text.trim() !== '') isLines = holdsObject(text);
      if (!isLines) whole.push(text);
      else if (text.trim() !== '') yield { text, line };
    }
  } catch (error) {
    throw readError(context, name, error);
  }
  yield* recordsIn(whole);
}

function decodeUtf8(bytes: Buffer, source: string): string {
  if (!isUtf8(bytes)) throw usageError(`${source} is not UTF-8 text`, `iconv -f latin1 -t utf-8 ${source}`);
  return bytes.toString().replace(/^\ufeff/, '');
}

/** What to throw when reading a file has failed: the stop reason, a `usage` error, or the error itself. */
export function readError({ host: { signal } }: Context, name: string, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error;
  return usageError(`cannot read ${name}: ${systemReason(error)}`, 'name a regular file, or - for stdin');
}

/** A record over many lines is `one`: its first line is not JSON by itself. */
async function kindOf(chunks: AsyncIterable<Buffer>): Promise<RecordFile['kind']> {
  let first = true;
  for await (const { bytes } of readLines(chunks, 'the file')) {
    if (isBlank(bytes)) continue;
    if (!first) return 'many';
    if (jsonIn(bytes.toString().replace(/^\ufeff/, '')) === undefined) return 'one';
    first = false;
  }
  return 'one';
}

/** The chunks of a stream that stays open, kept in a list as they are read. */
async function* remembered(stream: Readable, seen: Buffer[]): AsyncGenerator<Buffer> {
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk as Buffer);
    seen.push(bytes);
    yield bytes;
  }
}

async function* joined(first: readonly Buffer[], rest: Readable): AsyncGenerator<Buffer> {
  yield* first;
  if (!rest.readableEnded) yield* rest;
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
