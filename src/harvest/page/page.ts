import { totalIn } from '../../api/pagination.ts';
import { PageBytes } from './page-bytes.ts';

/** A part of some bytes: from `from` up to `to`. */
export interface Place {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

const NEWLINE = Buffer.from('\n');
const BLANK = 0x20;
const ASCII = 0x7f;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a scan finds in a document. Offsets are bytes from the beginning of the document. */
export class PageParts {
  kind: 'list' | 'single' | 'none' = 'none';
  readonly bytes = new PageBytes();
  /** Where each record begins. */
  readonly starts: number[] = [];
  /** The offset of the byte after each record; there is one, at least the closing bracket. */
  readonly ends: number[] = [];
  /** The offset after the colon of each record's own member "id"; -1 if it has none. */
  readonly idsAt: number[] = [];
  /** Whether there is white space between the tokens of any record. */
  spaced = false;
  /** The top-level members, parsed, with undefined for `data`. */
  readonly members = new Map<string, unknown>();
}

/** One complete page of records, each still in the bytes in which the service sent it. */
export class Page {
  readonly #parts: PageParts;

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  /**
   * Lets go of the page's bytes, megabytes, even while the page is still held. Its records cannot be read any more.
   */
  drop(): void {
    this.#parts.bytes.drop();
  }

  /** What `data` is: an array, one object, or absent or null. */
  get kind(): PageParts['kind'] {
    return this.#parts.kind;
  }

  /** How many records there are. */
  get count(): number {
    return this.#parts.starts.length;
  }

  /** The document's top-level members except data, parsed: links, meta, errors, included … */
  get envelope(): Readonly<Record<string, unknown>> {
    const { data: _, ...envelope } = Object.fromEntries(this.#parts.members);
    return envelope;
  }

  /** How many records match the query by the service's count, `meta.total`; undefined if it is unusable. */
  get total(): number | undefined {
    return totalIn(this.#parts.members.get('meta'));
  }

  /** The record's own member "id" if it is a string; the last one if repeated, as in JSON.parse. */
  id(index: number): string | undefined {
    const at = this.#parts.idsAt[index] ?? -1;
    if (at < 0) return undefined;
    const bytes = this.#parts.bytes.slice(at, this.#parts.ends[index] ?? at);
    let begin = 0;
    while ((bytes[begin] ?? QUOTE) <= BLANK) begin++;
    if (bytes[begin] !== QUOTE) return undefined;
    let end = begin + 1;
    let escaped = false;
    for (; bytes[end] !== QUOTE; end++) {
      if (bytes[end] === BACKSLASH) {
        escaped = true;
        end++;
      }
    }
    return escaped
      ? (JSON.parse(bytes.toString('utf8', begin, end + 1)) as string)
      : bytes.toString('utf8', begin + 1, end);
  }

  /**
   * The text of {@link id} where it lies, without a copy: undefined also for an id with escapes, with characters
   * outside of ASCII, or cut by the end of a chunk.
   */
  plainId(index: number): Place | undefined {
    const at = this.#parts.idsAt[index] ?? -1;
    if (at < 0) return undefined;
    const { bytes, from: begin } = this.#parts.bytes.chunkOf(at);
    let from = at - begin;
    while ((bytes[from] ?? QUOTE) <= BLANK) from++;
    if (bytes[from] !== QUOTE) return undefined;
    from++;
    for (let to = from; to < bytes.length; to++) {
      const byte = bytes[to] as number;
      if (byte === QUOTE) return { bytes, from, to };
      if (byte === BACKSLASH || byte > ASCII) return undefined;
    }
    return undefined;
  }

  /** The bytes of {@link record}, without a copy where they lie in one chunk. */
  place(index: number): Place {
    const [from, to] = this.#range(index);
    const chunk = this.#parts.bytes.chunkOf(from);
    if (!this.#parts.spaced && to - chunk.from <= chunk.bytes.length) {
      return { bytes: chunk.bytes, from: from - chunk.from, to: to - chunk.from };
    }
    const bytes = this.record(index);
    return { bytes, from: 0, to: bytes.length };
  }

  /** One record's line, without a newline. @throws {RangeError} when there is no such record. */
  record(index: number): Buffer {
    const bytes = this.#parts.bytes.slice(...this.#range(index));
    return this.#parts.spaced ? compact(bytes) : bytes;
  }

  /**
   * The records that `keep` accepts, each followed by a newline, in as few Buffers as possible. `keep` is
   * called once for each record, in order. If the records hold no white space, as the service sends them, the
   * Buffers are views of the chunks in which the page arrived: the byte after each record (a comma, a bracket
   * or white space) is no longer needed and becomes the newline.
   */
  lines(keep: (index: number) => boolean = () => true): Buffer[] {
    const kept: number[] = [];
    for (let index = 0; index < this.count; index++) if (keep(index)) kept.push(index);
    if (this.#parts.spaced) return [Buffer.concat(kept.flatMap((index) => [this.record(index), NEWLINE]))];
    const { bytes } = this.#parts;
    const lines: Buffer[] = [];
    let from = 0;
    let to = 0;
    for (const index of kept) {
      const [start, end] = this.#range(index);
      bytes.set(end, 0x0a);
      if (start !== to) {
        for (const slice of bytes.slices(from, to)) lines.push(slice);
        from = start;
      }
      to = end + 1;
    }
    return lines.concat(bytes.slices(from, to));
  }

  #range(index: number): [from: number, to: number] {
    const from = this.#parts.starts[index];
    const to = this.#parts.ends[index];
    if (from === undefined || to === undefined) throw new RangeError(`no record ${index} on this page`);
    return [from, to];
  }
}

/** Valid JSON without white space between tokens. */
function compact(json: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(json.length);
  let length = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    if (!inString && byte <= BLANK) continue;
    copy[length++] = byte;
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) copy[length++] = json[++i] as number;
  }
  return copy.subarray(0, length);
}
