import { totalIn } from '../../api/pagination.ts';

const NEWLINE = Buffer.from('\n');
const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const STRING = /^\s*"(?:[^"\\]|\\.)*"/s;
// Longer strings with escapes are not read: walks refuse far shorter ids.
const MOST_STRING_BYTES = 16 * 1024;

/** The bytes of a document in the chunks in which they arrived, addressed by their offset. */
class PageBytes {
  readonly #chunks: { readonly begin: number; readonly bytes: Buffer }[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk without a copy. Returns it as a Buffer: hot loops need one type of object. */
  append(chunk: Uint8Array): Buffer {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#chunks.push({ begin: this.#length, bytes });
    this.#length += bytes.length;
    return bytes;
  }

  /** The bytes from `from` up to `to`: a view if they lie in one chunk, otherwise a copy. */
  slice(from: number, to: number): Buffer {
    const slices = this.slices(from, to);
    return slices.length === 1 && slices[0] ? slices[0] : Buffer.concat(slices);
  }

  /** The bytes from `from` up to `to` as views, one for each chunk they touch. */
  slices(from: number, to: number): Buffer[] {
    const slices: Buffer[] = [];
    for (let index = this.#chunkAt(from), at = from; at < to; index++) {
      const chunk = this.#chunks[index];
      if (chunk === undefined) throw new RangeError(`no byte at offset ${at}`);
      const slice = chunk.bytes.subarray(at - chunk.begin, to - chunk.begin);
      slices.push(slice);
      at += slice.length;
    }
    return slices;
  }

  drop(): void {
    this.#chunks.length = 0;
  }

  set(offset: number, byte: number): void {
    const chunk = this.#chunks[this.#chunkAt(offset)];
    if (chunk) chunk.bytes[offset - chunk.begin] = byte;
  }

  #chunkAt(offset: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#chunks[middle]?.begin ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The parts of a document. Offsets are in bytes from its beginning. */
export class PageParts {
  kind: 'list' | 'single' | 'none' = 'none';
  readonly bytes = new PageBytes();
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

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  /** Frees the bytes of the page, which are megabytes. Its records cannot be read afterwards. */
  drop(): void {
    this.#parts.bytes.drop();
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
    return this.#string(index, this.#parts.idsAt[index]);
  }

  /**
   * The creation time of a record, by `created` of its attributes, in milliseconds; NaN without one
   * (a sparse fieldset).
   */
  created(index: number): number {
    return Date.parse(this.#string(index, this.#parts.createdAt[index]) ?? '');
  }

  #string(index: number, at = -1): string | undefined {
    if (at < 0) return undefined;
    const bytes = this.#parts.bytes.slice(at, this.#parts.ends[index] ?? at);
    let end = 1;
    while (end < bytes.length && bytes[end] !== QUOTE && bytes[end] !== BACKSLASH) end += 1;
    if (bytes[0] === QUOTE && bytes[end] === QUOTE) return bytes.toString('utf8', 1, end);
    // Rare: an escape, white space or no string.
    const [string] = STRING.exec(bytes.subarray(0, MOST_STRING_BYTES).toString()) ?? [];
    return string === undefined ? undefined : (JSON.parse(string) as string);
  }

  /** One record's line, without a newline. @throws {RangeError} when there is no such record. */
  record(index: number): Buffer {
    const bytes = this.#parts.bytes.slice(...this.#range(index));
    return this.#parts.spaced ? compact(bytes) : bytes;
  }

  /**
   * The records that `keep` accepts, each followed by a newline. `keep` is called once for each
   * record, in order. Without white space the Buffers are views of the chunks: the byte after each
   * record becomes the newline.
   */
  lines(keep: (index: number) => boolean = () => true): Buffer[] {
    const kept: number[] = [];
    for (let index = 0; index < this.count; index++) if (keep(index)) kept.push(index);
    if (this.#parts.spaced)
      return [Buffer.concat(kept.flatMap((index) => [this.record(index), NEWLINE]))];
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
