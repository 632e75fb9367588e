import { hash } from 'node:crypto';

/** The first 64 bits of the SHA-256 of a line's bytes, without its line break. */
export function hashOf(bytes: Buffer): bigint {
  return hash('sha256', bytes, 'buffer').readBigUInt64BE();
}

export const hashText = (value: bigint): string => value.toString(16).padStart(16, '0');

/** The checksums of a ledger's lines. Each covers all lines before it, and so shows any change. */
export class Checksums {
  #last = '';

  /** Adds a checksum to the JSON of the next line. */
  add(json: string): string {
    this.#last = hashText(hashOf(Buffer.from(this.#last + json)));
    return `${json.slice(0, -1)},"check":"${this.#last}"}`;
  }

  /** Whether a text is the next line, as {@link add} wrote it. */
  accept(text: string): boolean {
    const [, json] = /^(.*),"check":"[0-9a-f]{16}"}$/s.exec(text) ?? [];
    return json !== undefined && this.add(`${json}}`) === text;
  }
}
