import { isUtf8 } from 'node:buffer';
import { parseBounded } from '../../text/json-values.ts';
import { megabytes } from '../../text/words.ts';
import * as grammar from './grammar.ts';
import { Page, PageParts } from './page.ts';
import { MAX_DEPTH, PIECE_BYTES, Scan } from './scan.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ID = Buffer.from('id');
const ATTRIBUTES = Buffer.from('attributes');
const CREATED = Buffer.from('created');

// A page has at most 1000 records (service.md, P1); each takes memory in addition to its bytes.
const MAX_RECORDS = 10_000;
// Links, counts, facets and included resources together, which are parsed.
const MAX_MEMBERS_BYTES = 8 * 1024 * 1024;

/** The page is not one complete JSON:API document. The message never quotes the document. */
export class MalformedPage extends Error {
  override readonly name = 'MalformedPage';

  constructor(problem: string, offset: number) {
    super(`malformed page: ${problem} at byte offset ${offset}`);
  }
}

/**
 * Finds the records of a JSON:API document in its bytes, without decoding them, as fast as
 * decompression. Checks every byte against the grammar of JSON, and the text for UTF-8.
 * @param bytes the document, which the page keeps and changes.
 * @param pieceBytes scanned at once, at most {@link PIECE_BYTES}.
 * @throws {MalformedPage}
 */
export function splitPage(bytes: Buffer, pieceBytes = PIECE_BYTES): Page {
  return new Splitter(bytes).split(pieceBytes);
}

class Splitter {
  readonly #bytes: Buffer;
  readonly #parts = new PageParts();
  readonly #scan = new Scan();
  /** The offset of the current name, outside of other objects; then of a top-level value. */
  #mark = 0;
  #name = '';
  #memberBytes = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  split(pieceBytes: number): Page {
    const bytes = this.#bytes;
    for (let at = 0; at < bytes.length; at += pieceBytes)
      this.#scanPiece(bytes.subarray(at, at + pieceBytes), at);
    const { state } = this.#scan;
    if (state !== grammar.DONE)
      throw new MalformedPage(`it ends before ${grammar.expectation(state)}`, bytes.length);
    if (!isUtf8(bytes)) throw new MalformedPage('not UTF-8 in the part', this.#foreignPart());
    return new Page(this.#parts, bytes);
  }

  /** The offset of the first record that is not UTF-8, or else of the document. */
  #foreignPart(): number {
    const { starts, ends } = this.#parts;
    return starts.find((start, at) => !isUtf8(this.#bytes.subarray(start, ends[at]))) ?? 0;
  }

  #scanPiece(piece: Buffer, base: number): void {
    const bytes = this.#bytes;
    const scan = this.#scan;
    const parts = this.#parts;
    scan.begin(piece);
    for (let i = scan.next(); i >= 0; i = scan.next()) {
      const at = base + i;
      // By frequency.
      switch (scan.action) {
        case grammar.SKIP_SPACE:
          if (parts.starts.length > parts.ends.length) parts.spaced = true;
          scan.skipBlanks();
          break;
        case grammar.BEGIN_ATTRIBUTE_NAME:
          this.#beginName(bytes[at], at, grammar.ATTRIBUTE_COLON);
          break;
        case grammar.END_ATTRIBUTE_NAME:
          if (this.#isName(CREATED, at)) parts.createdAt[parts.ends.length] = at + 1;
          scan.go(grammar.VALUE);
          break;
        case grammar.BEGIN_RECORD_NAME:
          this.#beginName(bytes[at], at, grammar.RECORD_COLON);
          break;
        case grammar.END_RECORD_NAME:
          this.#endRecordName(at);
          break;
        case grammar.OPEN_ATTRIBUTES:
          scan.enter(grammar.ATTRIBUTES_FIRST, grammar.ATTRIBUTES_NEXT);
          break;
        case grammar.OPEN_RECORD:
          this.#openRecord(at);
          break;
        case grammar.CLOSE_RECORD:
          parts.ends.push(at + 1);
          scan.leave();
          break;
        case grammar.OPEN_DATA:
          parts.kind = 'list';
          scan.enter(grammar.DATA_FIRST, grammar.DATA_NEXT);
          break;
        case grammar.BEGIN_TOP_NAME:
          this.#mark = at;
          scan.string(grammar.TOP_COLON);
          break;
        case grammar.END_TOP_NAME:
          this.#endTopName(at);
          break;
        case grammar.END_MEMBER:
        case grammar.END_DOCUMENT:
          this.#endMember(at);
          break;
        case grammar.OPEN_OBJECT:
        case grammar.OPEN_ARRAY:
          // The scan itself opens them up to that depth.
          throw new MalformedPage(`nested deeper than ${MAX_DEPTH} levels`, at);
        default:
          throw new MalformedPage(`expected ${scan.expected}`, at);
      }
    }
  }

  #openRecord(at: number): void {
    const parts = this.#parts;
    if (parts.kind === 'none') parts.kind = 'single';
    if (parts.starts.length === MAX_RECORDS)
      throw new MalformedPage(`more than ${MAX_RECORDS} records`, at);
    parts.starts.push(at);
    parts.idsAt.push(-1);
    parts.createdAt.push(-1);
    this.#scan.enter(grammar.RECORD_FIRST, grammar.RECORD_NEXT);
  }

  /** Begins a name with its first byte at an offset, and the state `colon` after it. */
  #beginName(first: number | undefined, at: number, colon: number): void {
    this.#mark = at - 1;
    this.#scan.string(colon);
    if (first === BACKSLASH) this.#scan.go(grammar.ESCAPED);
  }

  #endRecordName(at: number): void {
    const { idsAt, createdAt, ends } = this.#parts;
    const isAttributes = this.#isName(ATTRIBUTES, at);
    // As in JSON.parse, the last one of repeated members counts.
    if (isAttributes) createdAt[ends.length] = -1;
    else if (this.#isName(ID, at)) idsAt[ends.length] = at + 1;
    this.#scan.go(isAttributes ? grammar.ATTRIBUTES : grammar.VALUE);
  }

  #endTopName(at: number): void {
    this.#name = this.#parseMember(this.#mark, at) as string;
    // JSON.parse would keep the last member, and silently lose the records of the first.
    if (this.#parts.members.has(this.#name)) {
      throw new MalformedPage('a repeated top-level member', this.#mark);
    }
    this.#mark = at + 1;
    this.#scan.go(this.#name === 'data' ? grammar.DATA : grammar.VALUE);
  }

  #endMember(at: number): void {
    const value = this.#name === 'data' ? undefined : this.#parseMember(this.#mark, at);
    this.#parts.members.set(this.#name, value);
    const isLast = this.#scan.action !== grammar.END_MEMBER;
    this.#scan.go(isLast ? grammar.DONE : grammar.TOP_NAME);
  }

  /** Whether the name from the mark to the offset `end` is this one, with or without escapes. */
  #isName(name: Buffer, end: number): boolean {
    const bytes = this.#bytes;
    const at = this.#mark + 1;
    let length = 0;
    while (length < name.length && bytes[at + length] === name[length]) length += 1;
    if (length === name.length) return bytes[at + length] === QUOTE;
    // Rare: an escape.
    return bytes[at + length] === BACKSLASH && this.#parse(this.#mark, end) === name.toString();
  }

  /** @throws {MalformedPage} when the page has too much besides its records. */
  #parseMember(from: number, to: number): unknown {
    this.#memberBytes += to - from;
    if (this.#memberBytes > MAX_MEMBERS_BYTES) {
      throw new MalformedPage(
        `more than ${megabytes(MAX_MEMBERS_BYTES)} besides its records`,
        from,
      );
    }
    try {
      return parseBounded(this.#bytes.toString('utf8', from, to));
    } catch (error) {
      throw new MalformedPage((error as Error).message, from);
    }
  }

  #parse(from: number, to: number): unknown {
    return JSON.parse(this.#bytes.toString('utf8', from, to));
  }
}
