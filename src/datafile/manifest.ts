import { type JsonObject, parseBounded } from '../text/json-values.ts';
import type { Bucket } from './bucket.ts';
import type { BucketObject } from './listing.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** The data file's own description. */
interface Manifest {
  /** The SHA-256 of an object in base64, if the manifest describes this version of it. */
  checksum(object: BucketObject): string | undefined;
  /** A warning about an incomplete data file. */
  readonly warning: string | undefined;
}

/** Reads MANIFEST.json (file names, sizes, SHA-256) and STATUS.json (service.md, D6); both may be missing. */
export async function readManifest(bucket: Bucket): Promise<Manifest> {
  const entries = parsed(await bucket.text('MANIFEST.json', MAX_BYTES));
  const { status = 'Complete', month } = (parsed(await bucket.text('STATUS.json', MAX_BYTES)) ??
    {}) as JsonObject;
  if (status !== 'Complete') {
    // While a new data file replaces the old one, the manifest may describe the other one.
    const warning = `the data file of ${String(month)} is not complete yet: ${String(status)}`;
    return { checksum: () => undefined, warning };
  }
  const listed = new Map<unknown, JsonObject>();
  for (const entry of Array.isArray(entries) ? (entries as (JsonObject | null)[]) : []) {
    if (typeof entry?.['sha256'] === 'string') listed.set(entry['filename'], entry);
  }
  const checksum = ({ key, size }: BucketObject) => {
    const entry = listed.get(key);
    return entry?.['size'] === size ? String(entry['sha256']) : undefined;
  };
  return { checksum, warning: undefined };
}

function parsed(text: string | undefined): unknown {
  try {
    return parseBounded(text ?? '');
  } catch {
    return undefined;
  }
}
