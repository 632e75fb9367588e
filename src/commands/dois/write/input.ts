import { createReadStream } from 'node:fs';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import { readLines } from '../../../text/lines.ts';
import { decodeUtf8, type ParsedRecord, parseRecord } from '../record/document.ts';

/** The text of one record of a file. */
export interface RecordText {
  readonly text: string;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
}

// Far more than the service takes.
const MOST_RECORD_BYTES = 64 * 1024 * 1024;

/** What to call a file in messages. */
export function nameOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/**
 * The one record of a file.
 * @param bytes what the file holds, where that has been read already.
 * @throws {CliError} kind `usage` when it cannot be read, or holds none or several.
 */
export async function readRecord(
  context: Context,
  file: string,
  verb: string,
  bytes?: Buffer,
): Promise<ParsedRecord> {
  const name = nameOf(file);
  let only: RecordText | undefined;
  for await (const next of readRecords(context, file, bytes && [bytes])) {
    if (only !== undefined)
      throw usageError(`${name} holds several records`, `${verb} takes one record at a time`);
    only = next;
  }
  if (only === undefined) throw usageError(`${name} is empty`, 'it must hold a JSON object');
  return parseRecord(only.text, name);
}

/**
 * The records of a file, one at a time: each line of NDJSON, or the whole of it, where the first line is no JSON by
 * itself.
 * @throws {CliError} kind `usage` when it cannot be read, or is not UTF-8; the stop reason when interrupted.
 */
export async function* readRecords(
  context: Context,
  file: string,
  read?: readonly Buffer[],
): AsyncGenerator<RecordText> {
  const name = nameOf(file);
  const { signal, stdin } = context.host;
  const whole: string[] = [];
  let isLines: boolean | undefined;
  try {
    const chunks = read ?? (file === '-' ? stdin : createReadStream(file));
    for await (const { bytes, number: line } of readLines(chunks, name, MOST_RECORD_BYTES)) {
      signal.throwIfAborted();
      const text = decodeUtf8(bytes, name);
      if (isLines === undefined && text.trim() !== '') isLines = isObject(text);
      if (!isLines) whole.push(text);
      else if (text.trim() !== '') yield { text, line };
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw usageError(
      `cannot read ${name}: ${(error as Error).message}`,
      'name a file that is there, or - for stdin',
    );
  }
  yield* unlessLines(whole);
}

/**
 * A file whose first line is no JSON is one record, unless a later line is one: then the first is a slip. Comments are
 * made blank lines, as those of a template that was kept.
 */
function unlessLines(given: readonly string[]): readonly RecordText[] {
  const lines = given.map((line) => (/^\s*\/\//.test(line) ? '' : line));
  const isList = lines
    .find((line) => line.trim() !== '')
    ?.trimStart()
    .startsWith('[');
  if (!isList && lines.slice(1).some((line) => line.startsWith('{') && isObject(line))) {
    return lines.map((text, index) => ({ text, line: index + 1 })).filter(({ text }) => text.trim() !== '');
  }
  const text = lines.join('\n');
  return text.trim() === '' ? [] : [{ text, line: 1 }];
}

function isObject(text: string): boolean {
  if (!/^\s*\{.*\}\s*$/s.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
