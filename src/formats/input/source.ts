import { statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { isPipe, openInput, unpacked } from '../../disk/input-file.ts';
import { systemReason } from '../../disk/system-error.ts';
import { usageError } from '../../errors.ts';
import type { ParsedRecord } from './record.ts';

/** The parts of a command's context that reading records needs. */
export interface ReadContext {
  readonly host: { readonly stdin: Readable; readonly signal: AbortSignal };
  /** Where files of a folder that are not read are named. */
  readonly messages?: { note(text: string): void };
}

export interface RecordSource {
  readonly name: string;
  /** Undefined for stdin and pipes, which can be read only once. */
  readonly path: string | undefined;
  chunks(): AsyncIterable<Buffer>;
  /** The bytes from the start, which {@link chunks} returns again. */
  peek(): AsyncIterable<Buffer>;
}

/** A record of a file, from the reader of its format. */
export interface InputRecord {
  /** The text that a ledger hashes. */
  readonly text: string;
  /** The line on which it begins, from 1, or the row of a spreadsheet. */
  readonly line: number;
  /** The DOI of a row or of XML, if it has one; for JSON, parse the text. */
  readonly doi?: () => string | undefined;
  /**
   * @param line on which it begins; undefined for the only record of a file.
   * @throws {InvalidRecord} for a text that is not a record.
   */
  parse(source: string, line: number | undefined): ParsedRecord;
}

/** Options of a reader. */
export interface ReadOptions {
  /** Columns for heads of a spreadsheet, see `headerOf`. */
  readonly map?: readonly (readonly [head: string, path: string])[] | undefined;
  /** Whether only the DOIs of records are used: other columns may contain anything. */
  readonly dois?: boolean;
}

/** Reads the records of one format. @param name of the file in messages. */
export type RecordReader = (
  chunks: AsyncIterable<Buffer>,
  name: string,
  options: ReadOptions,
) => AsyncIterable<InputRecord>;

/** The file of a command line, or several. */
export type InputFile = string | readonly string[];

/** Files whose records are numbered. */
export interface Numbered {
  readonly name: string;
  readonly rows: boolean;
  /** The file of each number, where the records are several files. */
  readonly files?: readonly string[] | undefined;
}

/** The place of a record: `records.ndjson:3`, `records.csv, row 3` or `folder/3.xml`. */
export function placeOf({ name, rows, files }: Numbered, line: number): string {
  return files?.[line - 1] ?? (rows ? `${name}, row ${line}` : `${name}:${line}`);
}

/** The file of a record, and the line on which it begins there. */
export function beginningOf(
  { name, files }: Numbered,
  line: number,
): readonly [source: string, line: number] {
  const file = files?.[line - 1];
  return file === undefined ? [name, line] : [file, 1];
}

// Far more than the service accepts.
export const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** The error to throw when reading fails: the stop reason, kind `usage`, or `error` itself. */
export function readError(
  { host: { signal } }: ReadContext,
  name: string,
  error: unknown,
): unknown {
  if (signal.aborted) return signal.reason;
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error;
  return usageError(
    `cannot read ${name}: ${systemReason(error)}`,
    'name a regular file, or - for stdin',
  );
}

/** Whether a path leads to a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Other names of stdin. Where it is a socket, only the process itself can read it. */
const STDIN = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** @param file a path, or `-` for stdin. Nothing is read yet. */
export function recordSource(context: ReadContext, file: string): RecordSource {
  const { stdin, signal } = context.host;
  const isStdin = STDIN.includes(file);
  const name = isStdin ? 'stdin' : file;
  if (isStdin || isPipe(file)) {
    const stream = new PeekableStream(() =>
      unpacked(addAbortSignal(signal, isStdin ? stdin : openInput(file)), name),
    );
    return { name, path: undefined, chunks: () => stream.rest(), peek: () => stream.peek() };
  }
  const open = () => unpacked(openInput(file, false), name);
  return { name, path: file, chunks: open, peek: open };
}

/** A stream that can be read only once; it keeps the bytes that were only peeked at. */
class PeekableStream {
  readonly #open: () => AsyncGenerator<Buffer>;
  #bytes: AsyncGenerator<Buffer> | undefined;
  #seen: Buffer[] = [];

  constructor(open: () => AsyncGenerator<Buffer>) {
    this.#open = open;
  }

  async *peek(): AsyncGenerator<Buffer> {
    yield* this.#seen;
    this.#bytes ??= this.#open();
    for (let next = await this.#bytes.next(); !next.done; next = await this.#bytes.next()) {
      this.#seen.push(next.value);
      yield next.value;
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    const seen = this.#seen;
    this.#seen = [];
    yield* seen;
    this.#bytes ??= this.#open();
    yield* this.#bytes;
  }
}
