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

/** Compares the content of a file with the strongest known checksum; `unknown` if there is none. */
export async function compareChecksum(
  path: string,
  known: KnownChecksums,
): Promise<'match' | 'mismatch' | 'unknown'> {
  const check = strongest(known);
  if (check === undefined) return 'unknown';
  const sum = check.start();
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    sum.update(chunk as Buffer);
  return sum.end() === check.value ? 'match' : 'mismatch';
}

interface Sum {
  update(chunk: Buffer): void;
  end(): string;
}

interface Check {
  readonly value: string;
  readonly start: () => Sum;
}

function strongest({ manifest, etag, header }: KnownChecksums): Check | undefined {
  if (manifest !== undefined) return { value: manifest, start: hashSum('sha256', 'base64') };
  for (const [name, start] of [
    ['x-amz-checksum-sha256', hashSum('sha256', 'base64')],
    ['x-amz-checksum-sha1', hashSum('sha1', 'base64')],
    ['x-amz-checksum-crc32', crc32Sum],
  ] as const) {
    const value = header?.(name);
    // A checksum with a number after a hyphen is made from the checksums of parts.
    if (value !== undefined && !value.includes('-')) return { value, start };
  }
  // The ETag is no MD5 if the object was uploaded in parts or is encrypted with its owner's key.
  const encrypted = /kms/.test(header?.('x-amz-server-side-encryption') ?? '');
  return encrypted || !/^[\da-f]{32}$/.test(etag) ? undefined : { value: etag, start: hashSum('md5', 'hex') };
}

function hashSum(algorithm: string, encoding: 'hex' | 'base64'): () => Sum {
  return () => {
    const hash = createHash(algorithm);
    return { update: (chunk) => void hash.update(chunk), end: () => hash.digest(encoding) };
  };
}

function crc32Sum(): Sum {
  let value = 0;
  return {
    update: (chunk) => {
      value = crc32(chunk, value);
    },
    end: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes.toString('base64');
    },
  };
}
