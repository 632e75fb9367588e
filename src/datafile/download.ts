import { join } from 'node:path';
import { forEachLimited } from '../concurrency/for-each.ts';
import { makeFolder } from '../disk/folders.ts';
import { withDirectoryLock } from '../disk/lock/lock.ts';
import { CliError, toCliError } from '../errors.ts';
import { type JsonObject, parseBounded } from '../text/json-values.ts';
import type { Bucket } from './bucket.ts';
import { type Fetched, fetchObject } from './fetch-object.ts';
import type { BucketObject } from './listing.ts';
import { LOCK_NAME, pathForKey } from './object-keys.ts';

/** One object, the path of its file, and what has become of it. */
interface FileOutcome extends Fetched {
  readonly object: BucketObject;
  readonly path: string;
}

interface DownloadOptions {
  readonly dir: string;
  readonly jobs: number;
  /** Compares the content of present files, too. */
  readonly check: boolean;
  readonly wanted: (key: string) => boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly note: (text: string) => void;
  /** Called once, before the first file. */
  readonly onStart: (objects: readonly BucketObject[]) => void;
  readonly onFile: (outcome: FileOutcome) => Promise<void>;
  /** A damaged file does not stop the others. */
  readonly onFailure: (error: CliError) => void;
}

/**
 * Downloads all wanted objects of the bucket into a directory, several at once. A failure that is not of one
 * file alone stops the download, and complete files stay.
 * @throws {CliError} kind `rejected` before anything is fetched if a key would lead out of the directory;
 *   kind `usage` while another process uses the directory.
 */
export async function download(bucket: Bucket, options: DownloadOptions): Promise<void> {
  const { dir, jobs, check, signal, note } = options;
  const objects = await wantedObjects(bucket, options.wanted);
  const files = objects.map((object) => ({ object, path: pathForKey(dir, object.key) }));
  const manifest = await readManifest(bucket);
  if (manifest.warning !== undefined) note(`warning: ${manifest.warning}`);
  await makeFolder(dir);
  options.onStart(objects);
  const work = async ({ object, path }: (typeof files)[number]) => {
    signal.throwIfAborted();
    try {
      const sha256 = manifest.checksum(object);
      const fetched = await fetchObject(bucket, object, path, { sha256, check, note });
      await options.onFile({ object, path, ...fetched });
    } catch (error) {
      const failure = toCliError(error);
      // A file that is damaged, replaced or gone says nothing about the others.
      if (failure.kind !== 'rejected' && failure.kind !== 'not-found') throw error;
      options.onFailure(failure);
    }
  };
  await withDirectoryLock(options, join(dir, LOCK_NAME), () => forEachLimited(files, jobs, work));
}

async function wantedObjects(
  bucket: Bucket,
  wanted: (key: string) => boolean,
): Promise<readonly BucketObject[]> {
  // By key: two jobs must not write the same file.
  const objects = new Map<string, BucketObject>();
  for await (const page of bucket.list()) {
    for (const object of page) {
      // A key that ends in a slash stands for a folder.
      if (!object.key.endsWith('/') && wanted(object.key)) objects.set(object.key, object);
    }
  }
  if (objects.size === 0) {
    const hint = 'doi-cli datafile list shows all files';
    throw new CliError('not-found', 'the bucket holds no such files', { hint });
  }
  return [...objects.values()];
}

const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

/** The data file's own description. */
interface Manifest {
  /** The SHA-256 of an object in base64, if the manifest describes this version of it. */
  checksum(object: BucketObject): string | undefined;
  /** A warning about an incomplete data file. */
  readonly warning: string | undefined;
}

/** Reads MANIFEST.json (file names, sizes, SHA-256) and STATUS.json (service.md, D6); both may be missing. */
async function readManifest(bucket: Bucket): Promise<Manifest> {
  const entries = parsed(await bucket.text('MANIFEST.json', MAX_MANIFEST_BYTES));
  const { status = 'Complete', month } = (parsed(await bucket.text('STATUS.json', MAX_MANIFEST_BYTES)) ??
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
