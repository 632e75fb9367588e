import type { Bucket } from './bucket.ts';
import type { BucketObject } from './listing.ts';

const MOST_BYTES = 256 * 1024 * 1024;

/** What the data file says about itself. */
export interface Manifest {
  /** The SHA-256 of an object in base64, where the manifest describes this version of it. */
  checksum(object: BucketObject): string | undefined;
  /** What is to be said about the state of the data file; undefined when it is complete. */
  readonly remark: string | undefined;
}

/**
 * Reads MANIFEST.json, a list of file names, sizes and SHA-256 checksums, and STATUS.json, as they are documented. A
 * data file without them can be fetched all the same.
 */
export async function readManifest(bucket: Bucket): Promise<Manifest> {
  const entries = parsed(await bucket.text('MANIFEST.json', MOST_BYTES));
  const listed = new Map<string, { size: unknown; sha256: string }>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { filename, size, sha256 } = (entry ?? {}) as Record<string, unknown>;
    if (typeof filename === 'string' && typeof sha256 === 'string') listed.set(filename, { size, sha256 });
  }
  const { status, month } = (parsed(await bucket.text('STATUS.json', 64 * 1024)) ?? {}) as Record<
    string,
    unknown
  >;
  const complete = status === undefined || status === 'Complete';
  return {
    checksum: ({ key, size }) => {
      const entry = listed.get(key);
      // While a new data file replaces the old one, the manifest is about other objects than those that are there.
      return complete && entry?.size === size ? entry.sha256 : undefined;
    },
    remark: complete ? undefined : `the data file of ${String(month)} is not complete yet: ${String(status)}`,
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
