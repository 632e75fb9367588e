import * as grammar from './grammar.ts';
import { Page } from './page.ts';
import { PageBytes } from './page-bytes.ts';
import { MAX_DEPTH, PIECE_BYTES, Scan } from './scan.ts';
import { Utf8Check } from './utf8-check.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SMALL_D = 0x64;
const SMALL_I = 0x69;

/** A page that is not one complete JSON:API document. The message never quotes the document. */
export class MalformedPage extends Error {
  override readonly name = 'MalformedPage';
  /** The place of the fault, in bytes from the beginning of the document. */
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(`malformed page: ${problem} at byte offset ${offset}`);
    this.offset = offset;
  }
}

/**
 * Finds the records of a JSON:API document in its bytes while they arrive. It neither decodes nor rewrites
 * records, so they stay as the service sent them and the scan is as fast as decompression.
 *
 * It checks every byte against the grammar of JSON and the text for UTF-8, so that every line is valid JSON.
 */
export class PageSplitter {
  readonly #bytes = new PageBytes();
  readonly #utf8 = new Utf8Check();
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #idsAt: number[] = [];
  readonly #members = new Map<string, () => unknown>();
  #kind: Page['kind'] = 'none';
  #spaced = false;
  #refusal: MalformedPage | undefined;

  readonly #scan = new Scan();
  /** The offset of the current name, at the top level or in a record; then that of a top-level value. */
  #mark = 0;
  #name = '';

  /**
   * Scans the next bytes of the document, which may be cut anywhere. The splitter keeps the chunk, and Page
   * alters it: the caller must not use it again.
   * @throws {MalformedPage} when these bytes cannot continue a JSON:API document, and on every later call.
   */
  push(chunk: Uint8Array): void {
    if (this.#refusal) throw this.#refusal;
    if (chunk.length === 0) return;
    const base = this.#bytes.length;
    const bytes = this.#bytes.append(chunk);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#scanPiece(bytes.subarray(at, at + PIECE_BYTES), base + at);
    }
    if (!this.#utf8.accepts(bytes)) throw this.#refuse('not UTF-8 in the chunk', base);
  }

  /**
   * A top-level member other than data, parsed; undefined until all of it has been scanned. If the service
   * sends links before data, the next page can be requested while this one is still arriving.
   */
  member(name: string): unknown {
    return name === 'data' ? undefined : this.#members.get(name)?.();
  }

  /** @throws {MalformedPage} when the document is not complete. */
  finish(): Page {
    if (this.#refusal) throw this.#refusal;
    if (this.#scan.state !== grammar.DONE) {
      throw this.#refuse(`it ends before ${grammar.expectation(this.#scan.state)}`, this.#bytes.length);
    }
    return new Page({
      kind: this.#kind,
      bytes: this.#bytes,
      starts: this.#starts,
      ends: this.#ends,
      idsAt: this.#idsAt,
      spaced: this.#spaced,
      members: this.#members,
    });
  }

  #scanPiece(bytes: Buffer, base: number): void {
    const scan = this.#scan;
    scan.begin(bytes);
    for (let i = scan.next(); i >= 0; i = scan.next()) {
      const at = base + i;
      // By frequency.
      switch (scan.action) {
        case grammar.SKIP_SPACE:
          if (this.#starts.length > this.#ends.length) this.#spaced = true;
          scan.skipBlanks();
          break;
        case grammar.BEGIN_RECORD_NAME:
          this.#mark = at;
          scan.string(grammar.RECORD_COLON);
          break;
        case grammar.END_RECORD_NAME:
          if (this.#isId(bytes, base, at)) this.#idsAt[this.#starts.length - 1] = at + 1;
          scan.go(grammar.VALUE);
          break;
        case grammar.OPEN_RECORD:
          if (this.#kind === 'none') this.#kind = 'single';
          this.#starts.push(at);
          this.#idsAt.push(-1);
          scan.enter(grammar.RECORD_FIRST, grammar.RECORD_NEXT);
          break;
        case grammar.CLOSE_RECORD:
          this.#ends.push(at + 1);
          scan.leave();
          break;
        case grammar.OPEN_DATA:
          this.#kind = 'list';
          scan.enter(grammar.DATA_FIRST, grammar.DATA_NEXT);
          break;
        case grammar.BEGIN_TOP_NAME:
          this.#mark = at;
          scan.string(grammar.TOP_COLON);
          break;
        case grammar.END_TOP_NAME:
          this.#name = this.#parse(this.#mark, at) as string;
          // JSON.parse would keep the last one, and the records of the first one would be lost silently.
          if (this.#members.has(this.#name)) throw this.#refuse('a repeated top-level member', this.#mark);
          this.#mark = at + 1;
          scan.go(this.#name === 'data' ? grammar.DATA : grammar.VALUE);
          break;
        case grammar.END_MEMBER:
          this.#keepMember(this.#mark, at);
          scan.go(grammar.TOP_NAME);
          break;
        case grammar.END_DOCUMENT:
          this.#keepMember(this.#mark, at);
          scan.go(grammar.DONE);
          break;
        case grammar.OPEN_OBJECT:
        case grammar.OPEN_ARRAY:
          // The scan itself opens them up to that depth.
          throw this.#refuse(`nested deeper than ${MAX_DEPTH} levels`, at);
        default:
          throw this.#refuse(`expected ${scan.expected}`, at);
      }
    }
  }

  /** Whether the name from the mark to `end` (an offset in the document) is "id", with or without escapes. */
  #isId(bytes: Buffer, base: number, end: number): boolean {
    const at = this.#mark - base;
    if (at >= 0) {
      const first = bytes[at + 1];
      const second = bytes[at + 2];
      if (first === SMALL_I && second === SMALL_D && bytes[at + 3] === QUOTE) return true;
      if (first !== BACKSLASH && second !== BACKSLASH) return false;
    }
    return this.#parse(this.#mark, end) === 'id';
  }

  #keepMember(from: number, to: number): void {
    let value: unknown;
    // Parsed on demand, because "included" can be larger than the records. JSON has no undefined.
    this.#members.set(this.#name, () => {
      if (value === undefined) value = this.#parse(from, to);
      return value;
    });
  }

  #parse(from: number, to: number): unknown {
    return JSON.parse(this.#bytes.slice(from, to).toString());
  }

  #refuse(problem: string, offset: number): MalformedPage {
    this.#refusal = new MalformedPage(problem, offset);
    return this.#refusal;
  }
}
