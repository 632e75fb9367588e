import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { forEachLimited } from '../concurrency/for-each.ts';
import { makeFolder } from '../disk/folders.ts';
import { withDirectoryLock } from '../disk/lock/lock.ts';
import { CliError, toCliError } from '../errors.ts';
import type { Bucket } from './bucket.ts';
import { type Fetched, fetchObject } from './fetch-object.ts';
import type { BucketObject } from './listing.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { pathForKey } from './object-keys.ts';

interface DownloadOptions {
  readonly dir: string;
  readonly jobs: number;
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
  const objects: BucketObject[] = [];
  for await (const page of bucket.list()) {
    // A key that ends in a slash stands for a folder.
    objects.push(...page.filter(({ key }) => !key.endsWith('/') && options.wanted(key)));
  }
  if (objects.length === 0) {
    const hint = 'doi-cli datafile list shows all files';
    throw new CliError('not-found', 'the bucket holds no such files', { hint });
  }
  const files = objects.map((object) => ({ object, path: pathForKey(options.dir, object.key) }));
  const manifest = await readManifest(bucket);
  if (manifest.warning !== undefined) options.note(`warning: ${manifest.warning}`);
  await makeFolder(options.dir);
  return withDirectoryLock(options, join(options.dir, '.doi-cli.lock'), () =>
    fetchAll(bucket, files, manifest, options),
  );
}

async function fetchAll(
  bucket: Bucket,
  files: readonly { readonly object: BucketObject; readonly path: string }[],
  manifest: Manifest,
  { jobs, signal, onFailure, progress, onFile }: DownloadOptions,
): Promise<DownloadResult> {
  // Each job listens to it.
  setMaxListeners(0, signal);
  const all = { bytes: files.reduce((sum, { object }) => sum + object.size, 0), files: files.length };
  const done = { bytes: 0, files: 0 };
  const failures: CliError[] = [];
  let [downloaded, unverified] = [0, 0];
  const onBytes = (count: number) => {
    done.bytes += count;
    progress(done, all);
  };
  await forEachLimited(files, jobs, async ({ object, path }) => {
    signal.throwIfAborted();
    try {
      const [current, fetched] = await fetchCurrent(bucket, object, path, manifest, onBytes);
      if (fetched.outcome === 'present') onBytes(object.size);
      else downloaded += 1;
      if (!fetched.verified) unverified += 1;
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
  return { all, downloaded, unverified, failures };
}

/** Fetches an object; if it was replaced after it was listed, fetches the new version. */
async function fetchCurrent(
  bucket: Bucket,
  object: BucketObject,
  path: string,
  manifest: Manifest,
  onBytes: (count: number) => void,
): Promise<[BucketObject, Fetched]> {
  try {
    return [object, await fetchObject(bucket, object, path, manifest.checksum(object), onBytes)];
  } catch (error) {
    if (!(error instanceof CliError) || error.status !== 412) throw error;
    for await (const page of bucket.list(object.key)) {
      const now = page.find(({ key }) => key === object.key);
      // The manifest describes the old version.
      if (now !== undefined) return [now, await fetchObject(bucket, now, path, undefined, onBytes)];
    }
    throw error;
  }
}
