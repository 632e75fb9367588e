import { isUtf8 } from 'node:buffer';

const MOST_CONTINUATIONS = 3;
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
/** The length in bytes of a character that begins with `lead`. */
const width = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1);

/**
 * Checks that a text in chunks is UTF-8. Node's own check runs at many GB/s but does not support characters
 * that go on in the next chunk, so their few bytes are held back and checked separately.
 */
export class Utf8Check {
  #held: number[] = [];

  /** Returns false if no continuation can make the text UTF-8. */
  accepts(chunk: Uint8Array): boolean {
    let from = 0;
    if (this.#held.length > 0) {
      while (from < MOST_CONTINUATIONS && isContinuation(chunk[from])) this.#held.push(chunk[from++] ?? 0);
      const whole = this.#held.length >= width(this.#held[0] ?? 0);
      if (!whole && from === chunk.length) return true;
      if (!isUtf8(Uint8Array.from(this.#held))) return false;
      this.#held = [];
    }
    const to = chunk.length - unfinished(chunk, from);
    this.#held = [...chunk.subarray(to)];
    return isUtf8(chunk.subarray(from, to));
  }
}

/** The number of bytes at the end of `chunk`, not before `from`, that begin an incomplete character. */
function unfinished(chunk: Uint8Array, from: number): number {
  for (let back = 1; back <= MOST_CONTINUATIONS && back <= chunk.length - from; back++) {
    const byte = chunk[chunk.length - back];
    if (!isContinuation(byte)) return width(byte ?? 0) > back ? back : 0;
  }
  return 0;
}
