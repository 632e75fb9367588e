import { join } from 'node:path';
import { forEachLimited } from '../concurrency/for-each.ts';
import { makeFolder } from '../disk/folders.ts';
import { withDirectoryLock } from '../disk/lock/lock.ts';
import { CliError, toCliError } from '../errors.ts';
import type { Bucket } from './bucket.ts';
import { type Fetched, type FetchOptions, fetchObject } from './fetch-object.ts';
import type { BucketObject } from './listing.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { LOCK_NAME, pathForKey } from './object-keys.ts';

interface DownloadOptions {
  readonly dir: string;
  readonly jobs: number;
  /** Compares the content of present files, too. */
  readonly check: boolean;
  readonly wanted: (key: string) => boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly note: (text: string) => void;
  readonly onFailure: (error: CliError) => void;
  readonly progress: (done: Amount, all: Amount) => void;
  readonly onFile: (object: BucketObject, path: string, fetched: Fetched) => Promise<void>;
}

export interface Amount {
  readonly bytes: number;
  readonly files: number;
}

interface DownloadResult {
  /** All wanted files. */
  readonly all: Amount;
  readonly downloaded: number;
  /** Files without any checksum: only their size was compared. */
  readonly unverified: number;
  /** Present files whose content was not read: size and time were compared. */
  readonly unread: number;
  /** The errors of single files. */
  readonly failures: readonly CliError[];
}

/**
 * Downloads all wanted objects of the bucket into a directory, several at once. A damaged file does not stop
 * the others; any other failure stops the download, and complete files stay.
 * @throws {CliError} kind `rejected` before anything is fetched if a key would lead out of the directory;
 *   kind `usage` while another process uses the directory.
 */
export async function download(bucket: Bucket, options: DownloadOptions): Promise<DownloadResult> {
  // By key: two jobs must not write the same file.
  const objects = new Map<string, BucketObject>();
  for await (const page of bucket.list()) {
    for (const object of page) {
      // A key that ends in a slash stands for a folder.
      if (!object.key.endsWith('/') && options.wanted(object.key)) objects.set(object.key, object);
    }
  }
  if (objects.size === 0) {
    const hint = 'doi-cli datafile list shows all files';
    throw new CliError('not-found', 'the bucket holds no such files', { hint });
  }
  refuseNested(objects);
  const files = Array.from(objects.values(), (object) => ({
    object,
    path: pathForKey(options.dir, object.key),
  }));
  const manifest = await readManifest(bucket);
  if (manifest.warning !== undefined) options.note(`warning: ${manifest.warning}`);
  await makeFolder(options.dir);
  return withDirectoryLock(options, join(options.dir, LOCK_NAME), () =>
    fetchAll(bucket, files, manifest, options),
  );
}

/** @throws {CliError} kind `rejected` when one key is the folder of another: no directory can hold both. */
function refuseNested(objects: ReadonlyMap<string, BucketObject>): void {
  for (const key of objects.keys()) {
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
      const folder = key.slice(0, at);
      if (!objects.has(folder)) continue;
      throw new CliError(
        'rejected',
        `the key '${folder}' is a file and the folder of '${key}'; nothing was downloaded`,
        {
          hint: 'leave one of them out with --include',
        },
      );
    }
  }
}

async function fetchAll(
  bucket: Bucket,
  files: readonly { readonly object: BucketObject; readonly path: string }[],
  manifest: Manifest,
  { jobs, check, note, signal, onFailure, progress, onFile }: DownloadOptions,
): Promise<DownloadResult> {
  const all = { bytes: files.reduce((sum, { object }) => sum + object.size, 0), files: files.length };
  const done = { bytes: 0, files: 0 };
  const failures: CliError[] = [];
  let [downloaded, unverified, unread] = [0, 0, 0];
  const onBytes = (count: number) => {
    done.bytes += count;
    progress(done, all);
  };
  await forEachLimited(files, jobs, async ({ object, path }) => {
    signal.throwIfAborted();
    try {
      const [current, fetched] = await fetchCurrent(bucket, object, path, manifest, { check, onBytes, note });
      if (fetched.outcome === 'present') onBytes(object.size);
      else downloaded += 1;
      if (!fetched.read) unread += 1;
      else if (!fetched.verified) unverified += 1;
      done.files += 1;
      progress(done, all);
      await onFile(current, path, fetched);
    } catch (error) {
      const failure = toCliError(error);
      // A file that is damaged or gone says nothing about the others.
      if (failure.kind !== 'rejected' && failure.kind !== 'not-found') throw error;
      failures.push(failure);
      onFailure(failure);
    }
  });
  return { all, downloaded, unverified, unread, failures };
}

/** Fetches an object; if it was replaced after it was listed, fetches the new version. */
async function fetchCurrent(
  bucket: Bucket,
  object: BucketObject,
  path: string,
  manifest: Manifest,
  options: Omit<FetchOptions, 'manifest'>,
): Promise<[BucketObject, Fetched]> {
  try {
    const known = { ...options, manifest: manifest.checksum(object) };
    return [object, await fetchObject(bucket, object, path, known)];
  } catch (error) {
    if (!(error instanceof CliError) || error.status !== 412) throw error;
    for await (const page of bucket.list(object.key)) {
      const now = page.find(({ key }) => key === object.key);
      // The manifest describes the old version.
      const unknown = { ...options, manifest: undefined };
      if (now !== undefined) return [now, await fetchObject(bucket, now, path, unknown)];
    }
    throw error;
  }
}
