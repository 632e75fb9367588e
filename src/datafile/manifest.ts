import { readText } from '../api/http/body.ts';
import { CliError } from '../errors.ts';
import { isObject, objectsOf, parseBounded } from '../text/json-values.ts';
import type { Bucket } from './bucket.ts';
import type { BucketObject } from './listing.ts';

const MAX_BYTES = 16 * 1024 * 1024;

interface Manifest {
  /** The SHA-256 of an object in base64, if the manifest has this version of it. */
  checksum(object: BucketObject): string | undefined;
  /** A warning about an incomplete data file. */
  readonly warning?: string;
}

/**
 * Reads MANIFEST.json (file names, sizes, SHA-256) and STATUS.json (service.md, D6); both may be
 * missing.
 */
export async function readManifest(bucket: Bucket): Promise<Manifest> {
  const listed = new Map(
    objectsOf(await json(bucket, 'MANIFEST.json')).map((each) => [each['filename'], each]),
  );
  const state = await json(bucket, 'STATUS.json');
  const { status = 'Complete', month } = isObject(state) ? state : {};
  if (status !== 'Complete') {
    // While a new data file replaces the old one, the manifest may be of either.
    const warning = `the data file of ${String(month)} is not complete yet: ${String(status)}`;
    return { checksum: () => undefined, warning };
  }
  return {
    checksum: ({ key, size }) => {
      const entry = listed.get(key);
      return entry?.['size'] === size && typeof entry['sha256'] === 'string'
        ? entry['sha256']
        : undefined;
    },
  };
}

/** An object of the bucket as JSON; undefined if it does not exist or is not JSON. */
async function json(bucket: Bucket, key: string): Promise<unknown> {
  try {
    return parseBounded(await bucket.get(key, (response) => readText(response, MAX_BYTES)));
  } catch (error) {
    if (error instanceof CliError && error.status !== 404) throw error;
    return undefined;
  }
}
