import { usageError } from '../errors.ts';
import { utf8Text } from './utf8.ts';
import { number } from './words.ts';

interface Line {
  /** From 1; blank lines count. */
  readonly number: number;
  readonly offset: number;
  /** The offset after its line break. */
  readonly end: number;
  /** Without its line break. */
  readonly bytes: Buffer;
  /** False for a last line without a line break. */
  readonly ended: boolean;
}

// More than any record that the service accepts.
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Reads the lines of a stream of any length, with only the current line of at most `maxBytes` in
 * memory.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  name: string,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  // The pieces of an incomplete line.
  let pieces: Buffer[] = [];
  let size = 0;
  let number = 1;
  let offset = 0;
  const take = (last: Buffer, ended: boolean): Line => {
    const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    const bytes = whole.at(-1) === RETURN ? whole.subarray(0, -1) : whole;
    const line = { number, offset, end: offset + whole.length + (ended ? 1 : 0), bytes, ended };
    pieces = [];
    size = 0;
    number += 1;
    offset = line.end;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      checkSize(size + at - from, maxBytes, name, number);
      yield take(chunk.subarray(from, at), true);
      from = at + 1;
    }
    if (from === chunk.length) continue;
    size += chunk.length - from;
    checkSize(size, maxBytes, name, number);
    pieces.push(chunk.subarray(from));
  }
  if (size > 0) yield take(Buffer.alloc(0), false);
}

function checkSize(size: number, maxBytes: number, name: string, line: number): void {
  if (size <= maxBytes) return;
  const message = `${name}:${line} is longer than ${number(maxBytes)} bytes`;
  throw usageError(message, 'write one record per line, as jq -c does');
}

/** The UTF-8 text of one or more lines, without a byte order mark. */
export function textOf(
  { bytes, number = 1 }: Pick<Line, 'bytes'> & Partial<Line>,
  name: string,
): string {
  return utf8Text(bytes, name, number).replace(/^\ufeff/, '');
}

/** A function that finds the line of an offset in a text, from 1. The text is scanned only once. */
export function lineFinder(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
