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
const MAX_CHARACTER_BYTES = 4;

/** The page is not one complete JSON:API document. The message never quotes the document. */
export class MalformedPage extends Error {
  override readonly name = 'MalformedPage';

  constructor(problem: string, offset: number) {
    super(`malformed page: ${problem} at byte offset ${offset}`);
  }
}

/**
 * Finds the records of a JSON:API document in its bytes while they arrive, without decoding them,
 * as fast as decompression. Checks every byte against the grammar of JSON, and the text for UTF-8.
 */
export class PageSplitter {
  readonly #parts = new PageParts();
  readonly #scan = new Scan();
  readonly #isUtf8 = utf8Check();
  #refusal: MalformedPage | undefined;
  /** The offset of the current name, outside of other objects; then of a top-level value. */
  #mark = 0;
  #name = '';
  #memberBytes = 0;

  /** Scans the next bytes, which the page keeps and changes. @throws {MalformedPage}. */
  push(chunk: Uint8Array): void {
    if (this.#refusal) throw this.#refusal;
    if (chunk.length === 0) return;
    const base = this.#parts.bytes.length;
    const bytes = this.#parts.bytes.append(chunk);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#scanPiece(bytes.subarray(at, at + PIECE_BYTES), base + at);
    }
    if (!this.#isUtf8(bytes)) throw this.#refuse('not UTF-8 in the chunk', base);
  }

  /** @throws {MalformedPage} when the document is not complete. */
  finish(): Page {
    if (this.#refusal) throw this.#refusal;
    if (this.#scan.state !== grammar.DONE) {
      throw this.#refuse(
        `it ends before ${grammar.expectation(this.#scan.state)}`,
        this.#parts.bytes.length,
      );
    }
    return new Page(this.#parts);
  }

  #scanPiece(bytes: Buffer, base: number): void {
    const scan = this.#scan;
    const parts = this.#parts;
    scan.begin(bytes);
    for (let i = scan.next(); i >= 0; i = scan.next()) {
      const at = base + i;
      // By frequency.
      switch (scan.action) {
        case grammar.SKIP_SPACE:
          if (parts.starts.length > parts.ends.length) parts.spaced = true;
          scan.skipBlanks();
          break;
        case grammar.BEGIN_ATTRIBUTE_NAME:
          this.#beginName(bytes[i], at, grammar.ATTRIBUTE_COLON);
          break;
        case grammar.END_ATTRIBUTE_NAME:
          if (this.#isName(CREATED, bytes, base, at)) parts.createdAt[parts.ends.length] = at + 1;
          scan.go(grammar.VALUE);
          break;
        case grammar.BEGIN_RECORD_NAME:
          this.#beginName(bytes[i], at, grammar.RECORD_COLON);
          break;
        case grammar.END_RECORD_NAME:
          this.#endRecordName(bytes, base, at);
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
          throw this.#refuse(`nested deeper than ${MAX_DEPTH} levels`, at);
        default:
          throw this.#refuse(`expected ${scan.expected}`, at);
      }
    }
  }

  #openRecord(at: number): void {
    const parts = this.#parts;
    if (parts.kind === 'none') parts.kind = 'single';
    if (parts.starts.length === MAX_RECORDS)
      throw this.#refuse(`more than ${MAX_RECORDS} records`, at);
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

  #endRecordName(bytes: Buffer, base: number, at: number): void {
    const { idsAt, createdAt, ends } = this.#parts;
    const isAttributes = this.#isName(ATTRIBUTES, bytes, base, at);
    // As in JSON.parse, the last one of repeated members counts.
    if (isAttributes) createdAt[ends.length] = -1;
    else if (this.#isName(ID, bytes, base, at)) idsAt[ends.length] = at + 1;
    this.#scan.go(isAttributes ? grammar.ATTRIBUTES : grammar.VALUE);
  }

  #endTopName(at: number): void {
    this.#name = this.#parseMember(this.#mark, at) as string;
    // JSON.parse would keep the last member, and silently lose the records of the first.
    if (this.#parts.members.has(this.#name)) {
      throw this.#refuse('a repeated top-level member', this.#mark);
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
  #isName(name: Buffer, bytes: Buffer, base: number, end: number): boolean {
    const at = this.#mark - base + 1;
    let length = 0;
    while (length < name.length && bytes[at + length] === name[length]) length += 1;
    if (length === name.length) return bytes[at + length] === QUOTE;
    // Rare: an escape, or a name that began in an earlier piece.
    const isPlain = at > 0 && bytes[at + length] !== BACKSLASH;
    return !isPlain && this.#parse(this.#mark, end) === name.toString();
  }

  /** @throws {MalformedPage} when the page has too much besides its records. */
  #parseMember(from: number, to: number): unknown {
    this.#memberBytes += to - from;
    if (this.#memberBytes > MAX_MEMBERS_BYTES) {
      throw this.#refuse(`more than ${megabytes(MAX_MEMBERS_BYTES)} besides its records`, from);
    }
    try {
      return parseBounded(this.#parts.bytes.slice(from, to).toString());
    } catch (error) {
      throw this.#refuse((error as Error).message, from);
    }
  }

  #parse(from: number, to: number): unknown {
    return JSON.parse(this.#parts.bytes.slice(from, to).toString());
  }

  #refuse(problem: string, offset: number): MalformedPage {
    this.#refusal = new MalformedPage(problem, offset);
    return this.#refusal;
  }
}

/**
 * Makes a check that a text in chunks is UTF-8. Node's check refuses characters that continue in
 * the next chunk, so that a last character outside ASCII is kept for that.
 */
function utf8Check(): (chunk: Buffer) => boolean {
  let kept: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let from = 0;
    if (kept.length > 0) {
      while (isContinuation(chunk[from])) from++;
      kept = Buffer.concat([kept, chunk.subarray(0, from)]);
      if (from === chunk.length && kept.length <= MAX_CHARACTER_BYTES) return true;
      if (!isUtf8(kept)) return false;
    }
    let last = chunk.length - 1;
    while (last > from && isContinuation(chunk[last])) last--;
    const end = (chunk[last] ?? 0) < 0xc0 ? chunk.length : last;
    kept = chunk.subarray(end);
    return isUtf8(chunk.subarray(from, end));
  };
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
