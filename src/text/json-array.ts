import { usageError } from '../errors.ts';
import { number } from './words.ts';

/** One item of a JSON array, in the spelling of the file. */
interface ArrayItem {
  readonly bytes: Buffer;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
}

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];
const MARK = [0xef, 0xbb, 0xbf];

/**
 * Splits the text of a JSON array into its items, holding only the current one in memory. Each item has balanced
 * brackets; whether it is valid JSON is not checked.
 * @param name of the text in errors.
 * @throws {CliError} kind `usage` when the text is no array, ends before it does, or has an item longer than
 *   `maxBytes`.
 */
export async function* arrayItems(
  chunks: AsyncIterable<Buffer>,
  name: string,
  maxBytes: number,
): AsyncGenerator<ArrayItem> {
  const splitter = new ArraySplitter(name, maxBytes);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  splitter.finish();
}

/** What may come next outside of an item. */
type Expected = 'start' | 'item' | 'item or end' | 'comma or end' | 'nothing';

class ArraySplitter {
  readonly #name: string;
  readonly #maxBytes: number;
  #expected: Expected = 'start';
  #line = 1;
  /** Of the current item: its pieces from earlier chunks, its first line, and its open brackets. */
  #pieces: Buffer[] = [];
  #size = 0;
  #begin = 0;
  #depth = 0;
  #inItem = false;
  #inString = false;
  #escaped = false;

  constructor(name: string, maxBytes: number) {
    this.#name = name;
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<ArrayItem> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.#inItem && this.#ends(byte)) {
        yield this.#take(chunk.subarray(from, at));
      }
      if (!this.#inItem && this.#between(byte)) from = at;
      if (this.#inItem) this.#within(byte);
      if (byte === NEWLINE) this.#line += 1;
    }
    if (!this.#inItem) return;
    const rest = chunk.subarray(from);
    this.#size += rest.length;
    if (this.#size > this.#maxBytes) {
      throw this.#wrong(`an item has more than ${number(this.#maxBytes)} bytes`, this.#begin);
    }
    this.#pieces.push(Buffer.from(rest));
  }

  finish(): void {
    if (this.#expected !== 'nothing')
      throw this.#wrong('the list ends before its closing ]: it may have been cut');
  }

  /** Whether a byte is the first after an item. */
  #ends(byte: number): boolean {
    if (this.#inString || this.#depth > 0) return false;
    return byte === COMMA || byte === CLOSE_LIST || isSpace(byte);
  }

  #take(last: Buffer): ArrayItem {
    const bytes = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#size = 0;
    this.#inItem = false;
    this.#expected = 'comma or end';
    return { bytes, line: this.#begin };
  }

  #within(byte: number): void {
    if (this.#inString) {
      // A line break here is an error, which must not vanish when the item becomes one line.
      if (byte === NEWLINE || byte === RETURN) throw this.#wrong('a line break within a string');
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth -= 1;
  }

  /** Reads a byte outside of items. @returns whether an item begins with it. */
  #between(byte: number): boolean {
    const expected = this.#expected;
    if (isSpace(byte) || (expected === 'start' && MARK.includes(byte))) return false;
    if (expected === 'start' && byte === OPEN_LIST) this.#expected = 'item or end';
    else if (expected === 'comma or end' && byte === COMMA) this.#expected = 'item';
    else if (/end$/.test(expected) && byte === CLOSE_LIST) this.#expected = 'nothing';
    else if (/^item/.test(expected) && byte !== COMMA && byte !== CLOSE && byte !== CLOSE_LIST) {
      this.#begin = this.#line;
      this.#inItem = true;
      return true;
    } else throw this.#wrong(PROBLEMS[expected]);
    return false;
  }

  #wrong(problem: string, line = this.#line): Error {
    return usageError(`${this.#name}:${line}: ${problem}`, 'a file of records is a JSON array, or NDJSON');
  }
}

const PROBLEMS: Readonly<Record<Expected, string>> = {
  start: 'this is no JSON array',
  item: 'a record is missing after the comma',
  'item or end': 'a record is missing before the comma',
  'comma or end': 'a comma is missing between two records',
  nothing: 'there is more after the end of the list',
};

const isSpace = (byte: number): boolean =>
  byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
