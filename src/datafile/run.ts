import { setMaxListeners } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeError } from '../disk/atomic-file.ts';
import { withDirectoryLock } from '../disk/lock/lock.ts';
import { CliError, toCliError } from '../errors.ts';
import type { Bucket } from './bucket.ts';
import { type Fetched, fetchObject } from './fetch.ts';
import { pathFor } from './keys.ts';
import type { BucketObject } from './listing.ts';
import { type Manifest, readManifest } from './manifest.ts';

interface DownloadOptions {
  readonly dir: string;
  readonly jobs: number;
  readonly wanted: (key: string) => boolean;
}

/** What a download tells of while it goes on. */
interface DownloadHost {
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly note: (text: string) => void;
  readonly failure: (error: CliError) => void;
  /** Bytes and files that are there, and all that are wanted. */
  readonly progress: (done: Amount, all: Amount) => void;
  readonly onFile: (object: BucketObject, path: string, fetched: Fetched) => Promise<void>;
}

export interface Amount {
  readonly bytes: number;
  readonly files: number;
}

interface Downloaded {
  readonly all: Amount;
  readonly downloaded: number;
  /** Files whose content nothing vouches for but their size. */
  readonly unverified: number;
  /** What is wrong with single files. */
  readonly failures: readonly CliError[];
}

/**
 * Brings all wanted objects of the bucket into a directory, several at once. A damaged file does not keep the others from
 * being fetched; whatever would meet all of them stops the run, and what is complete by then stays.
 * @throws {CliError} kind `rejected` before anything is fetched when a key would lead out of the directory, kind `usage`
 *   when another process is at work in it.
 */
export async function download(
  bucket: Bucket,
  options: DownloadOptions,
  host: DownloadHost,
): Promise<Downloaded> {
  const objects: BucketObject[] = [];
  for await (const page of bucket.list()) {
    // A key that ends in a slash stands for a folder.
    objects.push(...page.filter(({ key }) => !key.endsWith('/') && options.wanted(key)));
  }
  if (objects.length === 0) {
    throw new CliError('not-found', 'the bucket holds no such files', {
      hint: 'doi-cli datafile list shows what is there',
    });
  }
  const files = objects.map((object) => ({ object, path: pathFor(options.dir, object.key) }));
  const manifest = await readManifest(bucket);
  if (manifest.remark !== undefined) host.note(`warning: ${manifest.remark}`);
  await mkdir(options.dir, { recursive: true }).catch((error: unknown) => {
    throw writeError(options.dir, error);
  });
  return withDirectoryLock(host, join(options.dir, '.doi-cli.lock'), async () =>
    fetchAll(bucket, files, manifest, options, host),
  );
}

async function fetchAll(
  bucket: Bucket,
  files: readonly { readonly object: BucketObject; readonly path: string }[],
  manifest: Manifest,
  { jobs }: DownloadOptions,
  host: DownloadHost,
): Promise<Downloaded> {
  setMaxListeners(0, host.signal);
  const all = { bytes: files.reduce((sum, { object }) => sum + object.size, 0), files: files.length };
  const done = { bytes: 0, files: 0 };
  const failures: CliError[] = [];
  let [downloaded, unverified] = [0, 0];
  let stopped = false;
  const queue = [...files];
  const job = async () => {
    for (let file = queue.shift(); file !== undefined && !stopped; file = queue.shift()) {
      host.signal.throwIfAborted();
      const { object, path } = file;
      const onBytes = (count: number) => {
        done.bytes += count;
        host.progress(done, all);
      };
      try {
        const [current, fetched] = await fetchCurrent(bucket, object, path, manifest, onBytes);
        if (fetched.outcome === 'present') onBytes(object.size);
        else downloaded += 1;
        if (!fetched.verified) unverified += 1;
        done.files += 1;
        host.progress(done, all);
        await host.onFile(current, path, fetched);
      } catch (error) {
        const known = toCliError(error);
        if (!concernsOne(known)) {
          stopped = true;
          throw error;
        }
        failures.push(known);
        host.failure(known);
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(jobs, files.length) }, job));
  const broken = results.find((result) => result.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return { all, downloaded, unverified, failures };
}

/** An object that was replaced after it was listed is fetched as it is now. */
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
      // The manifest that was read is about the old one.
      if (now !== undefined) return [now, await fetchObject(bucket, now, path, undefined, onBytes)];
    }
    throw error;
  }
}

/** Damaged or vanished: nothing that says anything about the other files. */
function concernsOne({ kind }: CliError): boolean {
  return kind === 'rejected' || kind === 'not-found';
}
