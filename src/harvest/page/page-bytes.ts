/** The bytes of one document, in the chunks in which they arrived, addressed by their offset in it. */
export class PageBytes {
  readonly #chunks: { readonly begin: number; readonly bytes: Buffer }[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk without a copy. Returns it as a Buffer, so that hot loops see one type of object. */
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
