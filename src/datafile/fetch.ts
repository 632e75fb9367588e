import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeError } from '../disk/atomic-file.ts';
import { CliError, errorCode } from '../errors.ts';
import type { Bucket } from './bucket.ts';
import { type Expected, verify } from './checksum.ts';
import type { BucketObject } from './listing.ts';
import { Part } from './part.ts';

/** What became of an object. */
export interface Fetched {
  readonly outcome: 'downloaded' | 'present';
  /** Whether a checksum said that the content is right; else only the size did. */
  readonly verified: boolean;
}

/** Damaged once may be bad luck on the way. */
const MOST_TRIES = 2;

/**
 * Brings one object to its place, where it appears complete or not at all. What is there of it already is not fetched
 * again, neither the complete file nor a part that an earlier run left.
 * @param manifest its SHA-256 in base64, where the manifest tells it.
 * @param onBytes told of bytes that have arrived.
 * @throws {CliError} kind `rejected` when it is damaged, and whatever the bucket answers.
 */
export async function fetchObject(
  bucket: Bucket,
  object: BucketObject,
  target: string,
  manifest: string | undefined,
  onBytes: (count: number) => void,
): Promise<Fetched> {
  const present = await isPresent(object, target, manifest);
  if (present !== undefined) return present;
  await mkdir(dirname(target), { recursive: true }).catch((error: unknown) => {
    throw writeError(dirname(target), error);
  });
  for (let attempt = 1; ; attempt += 1) {
    const part = await Part.open(target, object);
    try {
      const header = await receive(bucket, object, part, onBytes);
      await part.sync(new Date(object.lastModified));
      const verdict = await verify(part.path, { manifest, etag: object.etag, header });
      if (verdict !== 'wrong') {
        await part.close();
        await place(part.path, target);
        return { outcome: 'downloaded', verified: verdict === 'right' };
      }
      await part.restart();
      onBytes(-object.size);
    } finally {
      await part.close().catch(() => undefined);
    }
    if (attempt < MOST_TRIES) continue;
    await rm(part.path, { force: true });
    throw new CliError('rejected', `${object.key} has a wrong checksum; nothing of it was kept`, {
      hint: 'run the same command again; if it stays, the data file is being replaced or is damaged',
    });
  }
}

/** Fetches until nothing is missing. The headers of the answer, if one answer brought all of it. */
async function receive(
  bucket: Bucket,
  { key, etag, size }: BucketObject,
  part: Part,
  onBytes: (count: number) => void,
): Promise<Expected['header']> {
  let header: Expected['header'];
  onBytes(part.length);
  while (part.length < size || size === 0) {
    const before = part.length;
    let counted = before;
    try {
      await bucket.call(
        key,
        [],
        () => part.headers(etag),
        async (response) => {
          const whole = await part.receive(response).finally(() => {
            onBytes(part.length - counted);
            counted = part.length;
          });
          header = whole ? (name) => response.header(name) : undefined;
        },
      );
      return header;
    } catch (error) {
      // As long as it gets on, it goes on.
      if (!(error instanceof CliError) || error.kind !== 'unavailable' || part.length <= before) throw error;
    }
  }
  return header;
}

/** Whether the object is there already: same size, and same time of change or same content. */
async function isPresent(
  { size, etag, lastModified }: BucketObject,
  target: string,
  manifest: string | undefined,
): Promise<Fetched | undefined> {
  const found = await stat(target).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw writeError(target, error);
  });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw writeError(target, new Error('there is something else in its place'));
  if (found.size !== size) return undefined;
  const modified = new Date(lastModified);
  // Files are given the time of their object when they are complete.
  if (Math.floor(found.mtimeMs / 1000) === Math.floor(modified.getTime() / 1000)) {
    return { outcome: 'present', verified: true };
  }
  if ((await verify(target, { manifest, etag })) !== 'right') return undefined;
  await utimes(target, modified, modified);
  return { outcome: 'present', verified: true };
}

async function place(from: string, target: string): Promise<void> {
  try {
    await rename(from, target);
    await syncFolder(dirname(target));
  } catch (error) {
    throw writeError(target, error);
  }
}
