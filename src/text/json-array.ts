import { createScanner } from 'jsonc-parser';
import { usageError } from '../errors.ts';
import { number } from './words.ts';

/** One item of a JSON array, in the spelling of the file. */
interface ArrayItem {
  readonly text: string;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
}

/**
 * Splits the text of a JSON array into its items, holding only the current one in memory. Whether an item is valid
 * JSON is not checked, but no string in it holds a line break.
 * @param name of the text in errors.
 * @throws {CliError} kind `usage` when the text is no array, ends before it does, or has an item of more than
 *   `most` characters.
 */
export async function* arrayItems(
  chunks: AsyncIterable<string>,
  name: string,
  most: number,
): AsyncGenerator<ArrayItem> {
  const splitter = new ArraySplitter(name, most);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}

class ArraySplitter {
  readonly #name: string;
  readonly #most: number;
  /** From the current item on. */
  #text = '';
  /** Where the next token may begin. */
  #at = 0;
  #line = 1;
  /** The length of the text from which the token at its end is read again. */
  #wanted = 0;
  #item: { readonly start: number; readonly line: number } | undefined;
  #depth = 0;
  /** The latest comma or bracket outside of items. */
  #last = '';

  constructor(name: string, most: number) {
    this.#name = name;
    this.#most = most;
  }

  *push(chunk: string): Generator<ArrayItem> {
    this.#text += chunk;
    if (this.#text.length < this.#wanted) return;
    const scanner = createScanner(this.#text, true);
    scanner.setPosition(this.#at);
    const first = this.#line;
    for (scanner.scan(); scanner.getPosition() < this.#text.length; scanner.scan()) {
      this.#line = first + scanner.getTokenStartLine();
      // ScanError.UnexpectedEndOfString: it must not vanish when the item becomes one line.
      if (scanner.getTokenError() === 2) throw this.#wrong('a line break within a string');
      yield* this.#take(scanner.getTokenOffset());
      this.#at = scanner.getPosition();
    }
    // The last token may go on in the next chunk. A long one is not read again for each.
    const kept = this.#item?.start ?? this.#at;
    this.#wanted = this.#text.length - kept + scanner.getTokenLength();
    this.#text = this.#text.slice(kept);
    this.#at -= kept;
    if (this.#item !== undefined) this.#item = { ...this.#item, start: 0 };
    if (this.#text.length <= this.#most) return;
    const line = this.#item?.line ?? first + scanner.getTokenStartLine();
    throw this.#wrong(`an item has more than ${number(this.#most)} characters`, line);
  }

  *end(): Generator<ArrayItem> {
    this.#wanted = 0;
    yield* this.push(' ');
    if (this.#depth === 0 && this.#last === ']') return;
    throw this.#wrong('the list ends before its closing ]: it may have been cut');
  }

  /** Takes the token at an index. @returns the item that it ends. */
  *#take(start: number): Generator<ArrayItem> {
    const token = this.#text[start] ?? '';
    const item = this.#item;
    if (this.#depth === 0) {
      if (this.#last === ']') throw this.#wrong('there is more after the end of the list');
      if (token !== '[') throw this.#wrong('this is no JSON array');
      this.#last = token;
    } else if (this.#depth === 1 && (token === ',' || token === ']')) {
      if (item !== undefined) yield { text: this.#text.slice(item.start, start).trimEnd(), line: item.line };
      else if (token === ',') throw this.#wrong('a record is missing before the comma');
      else if (this.#last === ',') throw this.#wrong('a record is missing after the comma');
      this.#item = undefined;
      this.#last = token;
    } else if (item === undefined) this.#item = { start, line: this.#line };
    else if (this.#depth === 1) throw this.#wrong('a comma is missing between two records');
    if (token === '[' || token === '{') this.#depth += 1;
    else if (token === ']' || token === '}') this.#depth -= 1;
  }

  #wrong(problem: string, line = this.#line): Error {
    return usageError(`${this.#name}:${line}: ${problem}`, 'a file of records is a JSON array, or NDJSON');
  }
}
