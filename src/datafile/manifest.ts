import { parseBounded } from '../text/bounded-json.ts';
import type { JsonObject } from '../text/json-values.ts';
import type { Bucket } from './bucket.ts';
import type { BucketObject } from './listing.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** The data file's own description. */
export interface Manifest {
  /** The SHA-256 of an object in base64, if the manifest describes this version of it. */
  checksum(object: BucketObject): string | undefined;
  /** A warning about an incomplete data file. */
  readonly warning: string | undefined;
}

/** Reads MANIFEST.json (file names, sizes, SHA-256) and STATUS.json (service.md, D6); both may be missing. */
export async function readManifest(bucket: Bucket): Promise<Manifest> {
  const entries = parsed(await bucket.text('MANIFEST.json', MAX_BYTES));
  const listed = new Map<string, { size: unknown; sha256: string }>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { filename, size, sha256 } = (entry ?? {}) as JsonObject;
    if (typeof filename === 'string' && typeof sha256 === 'string') listed.set(filename, { size, sha256 });
  }
  const { status, month } = (parsed(await bucket.text('STATUS.json', 64 * 1024)) ?? {}) as JsonObject;
  const complete = status === undefined || status === 'Complete';
  return {
    checksum: ({ key, size }) => {
      const entry = listed.get(key);
      // While a new data file replaces the old one, the manifest may describe the other one.
      return complete && entry?.size === size ? entry.sha256 : undefined;
    },
    warning: complete
      ? undefined
      : `the data file of ${String(month)} is not complete yet: ${String(status)}`,
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return parseBounded(text ?? '');
  } catch {
    return undefined;
  }
}
