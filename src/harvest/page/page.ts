import { totalIn } from '../../api/pagination.ts';

const NEWLINE = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const STRING = /^\s*"(?:[^"\\]|\\.)*"/s;
// Longer strings with escapes are not read: walks refuse far shorter ids.
const MOST_STRING_BYTES = 16 * 1024;

/** The parts of a document. Offsets are in bytes from its beginning. */
export class PageParts {
  kind: 'list' | 'single' | 'none' = 'none';
  readonly starts: number[] = [];
  /** The offset of the byte after each record, which exists: at least the closing bracket. */
  readonly ends: number[] = [];
  /** The offset after the colon of each record's member "id"; -1 without an id. */
  readonly idsAt: number[] = [];
  /** The same of the member "created" of its attributes. */
  readonly createdAt: number[] = [];
  spaced = false;
  /** The top-level members, parsed, with undefined for `data`. */
  readonly members = new Map<string, unknown>();
}

export class Page {
  readonly #parts: PageParts;
  #kept: Buffer | undefined;

  /** @param bytes the document, which the page changes. */
  constructor(parts: PageParts, bytes: Buffer) {
    this.#parts = parts;
    this.#kept = bytes;
  }

  /** Frees the bytes of the page, which are megabytes. Its records cannot be read afterwards. */
  drop(): void {
    this.#kept = undefined;
  }

  get #bytes(): Buffer {
    if (this.#kept === undefined) throw new RangeError('the page has been dropped');
    return this.#kept;
  }

  get kind(): PageParts['kind'] {
    return this.#parts.kind;
  }

  get count(): number {
    return this.#parts.starts.length;
  }

  /** The document's top-level members except data, parsed: links, meta, errors, included … */
  get envelope(): Readonly<Record<string, unknown>> {
    const { data: _, ...envelope } = Object.fromEntries(this.#parts.members);
    return envelope;
  }

  /**
   * How many records match the query by the service's count, `meta.total`; undefined if it is
   * unusable.
   */
  get total(): number | undefined {
    return totalIn(this.#parts.members.get('meta'));
  }

  /** The record's own member "id" if it is a string; the last one if repeated, as in JSON.parse. */
  id(index: number): string | undefined {
    return this.#string(this.#parts.idsAt[index]);
  }

  /**
   * The creation time of a record, by `created` of its attributes, in milliseconds; NaN without one
   * (a sparse fieldset).
   */
  created(index: number): number {
    return Date.parse(this.#string(this.#parts.createdAt[index]) ?? '');
  }

  #string(at = -1): string | undefined {
    if (at < 0) return undefined;
    const bytes = this.#bytes;
    if (bytes[at] === QUOTE) {
      let end = at + 1;
      while (bytes[end] !== QUOTE && bytes[end] !== BACKSLASH) end += 1;
      if (bytes[end] === QUOTE) return bytes.toString('utf8', at + 1, end);
    }
    // Rare: an escape, white space or no string.
    const [string] = STRING.exec(bytes.toString('utf8', at, at + MOST_STRING_BYTES)) ?? [];
    return string === undefined ? undefined : (JSON.parse(string) as string);
  }

  /** One record's line, without a newline. @throws {RangeError} when there is no such record. */
  record(index: number): Buffer {
    const bytes = this.#bytes.subarray(...this.#range(index));
    return this.#parts.spaced ? compact(bytes) : bytes;
  }

  /**
   * The records that `keep` accepts, each followed by a newline. `keep` is called once for each
   * record, in order. Without white space the Buffers are views of the document: the byte after
   * each record becomes the newline.
   */
  lines(keep: (index: number) => boolean = () => true): Buffer[] {
    const bytes = this.#bytes;
    const kept: number[] = [];
    for (let index = 0; index < this.count; index++) if (keep(index)) kept.push(index);
    if (this.#parts.spaced)
      return [Buffer.concat(kept.flatMap((index) => [this.record(index), Buffer.of(NEWLINE)]))];
    const lines: Buffer[] = [];
    let from = 0;
    let to = 0;
    for (const index of kept) {
      const [start, end] = this.#range(index);
      bytes[end] = NEWLINE;
      if (start !== to) {
        lines.push(bytes.subarray(from, to));
        from = start;
      }
      to = end + 1;
    }
    return [...lines, bytes.subarray(from, to)].filter(({ length }) => length > 0);
  }

  #range(index: number): [from: number, to: number] {
    const from = this.#parts.starts[index];
    const to = this.#parts.ends[index];
    if (from === undefined || to === undefined)
      throw new RangeError(`no record ${index} on this page`);
    return [from, to];
  }
}

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
