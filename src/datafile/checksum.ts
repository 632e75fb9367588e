import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';

/** What is known beforehand of an object's content: the strongest of these decides. */
export interface Expected {
  /** SHA-256 in base64, from the manifest of the data file. */
  readonly manifest?: string | undefined;
  /** The object's ETag without quotes. */
  readonly etag: string;
  /** A header of the answer that brought the whole object; undefined where none did. */
  readonly header?: ((name: string) => string | undefined) | undefined;
}

type Verdict = 'right' | 'wrong' | 'unknown';

/** Compares a file with what is expected of it; `unknown` where nothing says what its content must be. */
export async function verify(path: string, expected: Expected): Promise<Verdict> {
  const check = strongest(expected);
  if (check === undefined) return 'unknown';
  const sum = check.start();
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    sum.update(chunk as Buffer);
  return sum.end() === check.value ? 'right' : 'wrong';
}

interface Sum {
  update(chunk: Buffer): void;
  end(): string;
}

interface Check {
  readonly value: string;
  readonly start: () => Sum;
}

function strongest({ manifest, etag, header }: Expected): Check | undefined {
  if (manifest !== undefined) return { value: manifest, start: hashed('sha256', 'base64') };
  for (const [name, start] of [
    ['x-amz-checksum-sha256', hashed('sha256', 'base64')],
    ['x-amz-checksum-sha1', hashed('sha1', 'base64')],
    ['x-amz-checksum-crc32', cyclic],
  ] as const) {
    const value = header?.(name);
    // One with a number behind it is made from those of parts.
    if (value !== undefined && !value.includes('-')) return { value, start };
  }
  // The ETag of an object that came in parts, or that is encrypted with a key of its owner, is no MD5.
  const encrypted = /kms/.test(header?.('x-amz-server-side-encryption') ?? '');
  return encrypted || !/^[\da-f]{32}$/.test(etag) ? undefined : { value: etag, start: hashed('md5', 'hex') };
}

function hashed(algorithm: string, encoding: 'hex' | 'base64'): () => Sum {
  return () => {
    const hash = createHash(algorithm);
    return { update: (chunk) => void hash.update(chunk), end: () => hash.digest(encoding) };
  };
}

function cyclic(): Sum {
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
