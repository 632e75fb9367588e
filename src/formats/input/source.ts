import { statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { isPipe, openInput, unpacked } from '../../disk/input-file.ts';
import { systemReason } from '../../disk/system-error.ts';
import { usageError } from '../../errors.ts';
import type { ParsedRecord } from './record.ts';

/** What reading records needs of a run. */
export interface ReadContext {
  readonly host: { readonly stdin: Readable; readonly signal: AbortSignal };
}

export interface RecordSource {
  readonly name: string;
  /** Undefined for what can be read once only: stdin or a pipe. */
  readonly path: string | undefined;
  chunks(): AsyncIterable<Buffer>;
  /** The bytes from the start; {@link chunks} begins there all the same. */
  peek(): AsyncIterable<Buffer>;
}

/** A record of a file, as a reader of its format finds it. */
export interface InputRecord {
  /** The text by which a ledger knows it. */
  readonly text: string;
  /** The line of the file on which it begins, from 1, or the row of a spreadsheet. */
  readonly line: number;
  /** The DOI of a row or of XML, if it has one; JSON names it in its text. */
  readonly doi?: () => string | undefined;
  /**
   * @param line on which it begins; undefined for the only record of a file.
   * @throws {InvalidRecord} for a text that is no record.
   */
  parse(source: string, line: number | undefined): ParsedRecord;
}

/** How a file is read. */
export interface ReadOptions {
  /** The columns that other heads of a spreadsheet stand for, see `headerOf`. */
  readonly map?: readonly (readonly [head: string, path: string])[] | undefined;
  /** Whether records are taken for their DOIs alone: other columns may be anything. */
  readonly dois?: boolean;
}

/** Reads the records of one format. @param name of the file in messages. */
export type RecordReader = (
  chunks: AsyncIterable<Buffer>,
  name: string,
  options: ReadOptions,
) => AsyncIterable<InputRecord>;

/** The file that a command line names, or several. */
export type InputFile = string | readonly string[];

/** Files whose records are numbered. */
export interface Numbered {
  readonly name: string;
  readonly rows: boolean;
  /** Of a folder, the file of each number. */
  readonly files?: readonly string[] | undefined;
}

/** Where a record is: `records.ndjson:3`, `records.csv, row 3` or `folder/3.xml`. */
export function placeOf({ name, rows, files }: Numbered, line: number): string {
  return files?.[line - 1] ?? (rows ? `${name}, row ${line}` : `${name}:${line}`);
}

/** The file that a record is in, and the line there on which it begins. */
export function beginningOf(
  { name, files }: Numbered,
  line: number,
): readonly [source: string, line: number] {
  const file = files?.[line - 1];
  return file === undefined ? [name, line] : [file, 1];
}

// Far more than the service accepts.
export const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/**
 * What to throw when reading a file has failed: the stop reason, a `usage` error, or the error
 * itself.
 */
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

/** Whether a path is that of a folder. */
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
    const once = new Once(() =>
      unpacked(addAbortSignal(signal, isStdin ? stdin : openInput(file)), name),
    );
    return { name, path: undefined, chunks: () => once.rest(), peek: () => once.peek() };
  }
  const open = () => unpacked(openInput(file), name);
  return { name, path: file, chunks: open, peek: open };
}

/** Bytes that arrive once, and are kept as long as somebody only looks at them. */
class Once {
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
