import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';

/** The known checksums of an object; the strongest one is compared. */
export interface KnownChecksums {
  /** SHA-256 in base64, from the manifest of the data file. */
  readonly manifest?: string | undefined;
  /** The object's ETag without quotes. */
  readonly etag: string;
  /** Reads a header of the answer that held the whole object; undefined if there was none. */
  readonly header?: ((name: string) => string | undefined) | undefined;
}

interface Checksum {
  readonly algorithm: 'sha256' | 'sha1' | 'crc32' | 'md5';
  readonly encoding: 'base64' | 'hex';
  readonly value: string;
}

/** Compares the content of a file with the strongest known checksum; `unknown` if there is none. */
export async function compareChecksum(
  path: string,
  known: KnownChecksums,
): Promise<'match' | 'mismatch' | 'unknown'> {
  const checksum = strongest(known);
  if (checksum === undefined) return 'unknown';
  const { algorithm, encoding, value } = checksum;
  const sum = algorithm === 'crc32' ? new Crc32() : createHash(algorithm);
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    sum.update(chunk as Buffer);
  return sum.digest(encoding) === value ? 'match' : 'mismatch';
}

function strongest({ manifest, etag, header }: KnownChecksums): Checksum | undefined {
  if (manifest !== undefined) return { algorithm: 'sha256', encoding: 'base64', value: manifest };
  for (const algorithm of ['sha256', 'sha1', 'crc32'] as const) {
    const value = header?.(`x-amz-checksum-${algorithm}`);
    // A checksum with a number after a hyphen is made from the checksums of parts.
    if (value !== undefined && !value.includes('-')) return { algorithm, encoding: 'base64', value };
  }
  // The ETag is no MD5 if the object was uploaded in parts or is encrypted with its owner's key.
  const encrypted = /kms/.test(header?.('x-amz-server-side-encryption') ?? '');
  const isMd5 = !encrypted && /^[\da-f]{32}$/.test(etag);
  return isMd5 ? { algorithm: 'md5', encoding: 'hex', value: etag } : undefined;
}

class Crc32 {
  readonly #bytes = Buffer.alloc(4);

  update(chunk: Buffer): void {
    this.#bytes.writeUInt32BE(crc32(chunk, this.#bytes.readUInt32BE()));
  }

  digest(encoding: Checksum['encoding']): string {
    return this.#bytes.toString(encoding);
  }
}
