/**
 * A growing buffer. Pages are assembled from fragments of bytes: joining strings and encoding the
 * result took five times as long, because one Chinese or Cyrillic character makes all characters of
 * a page two bytes wide.
 */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  /** @param expected bytes to make room for at once */
  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafe(expected);
  }

  get length(): number {
    return this.#length;
  }

  bytes(part: Buffer): void {
    this.#reserve(part.length);
    part.copy(this.#buffer, this.#length);
    this.#length += part.length;
  }

  /** For short texts: a loop here is quicker than a call into the runtime's encoder. */
  ascii(text: string): void {
    this.#reserve(text.length);
    const buffer = this.#buffer;
    const at = this.#length;
    for (let n = 0; n < text.length; n++) buffer[at + n] = text.charCodeAt(n);
    this.#length += text.length;
  }

  /** Any text. */
  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  /** The written bytes; the writer must not be used afterwards. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
