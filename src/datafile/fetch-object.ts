import { rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { WireResponse } from '../api/http/transport.ts';
import { syncFolder } from '../disk/atomic-file.ts';
import { writeError } from '../disk/file-sink.ts';
import { makeFolder } from '../disk/folders.ts';
import { renameFile } from '../disk/rename.ts';
import { CliError, errorCode } from '../errors.ts';
import type { Bucket } from './bucket.ts';
import { compareChecksum, type KnownChecksums } from './checksum.ts';
import type { BucketObject } from './listing.ts';
import { PartialFile } from './partial-file.ts';

export interface Fetched {
  /** `present` if the complete file was there already. */
  readonly outcome: 'downloaded' | 'present';
  /** Whether this run has compared the content with a checksum. */
  readonly verified: boolean;
  /** Whether this run has read the content at all; of a file that is there, size and time may suffice. */
  readonly read: boolean;
}

export interface FetchOptions {
  /** The object's SHA-256 in base64, if the manifest holds it. */
  readonly manifest: string | undefined;
  /** Compares the content of a file that is there, even if it has the size and the time of the object. */
  readonly check: boolean;
  /** Called with the number of bytes that arrived; negative when damaged bytes are dropped. */
  readonly onBytes: (count: number) => void;
  readonly note: (text: string) => void;
}

// The first damage may have happened during the transfer.
const MAX_ATTEMPTS = 2;

/**
 * Fetches one object to a file, which appears complete or not at all. A complete file is not fetched again,
 * and a partial file of an earlier run is continued.
 * @throws {CliError} kind `rejected` if the content is damaged, or the error of the bucket.
 */
export async function fetchObject(
  bucket: Bucket,
  object: BucketObject,
  target: string,
  options: FetchOptions,
): Promise<Fetched> {
  const { manifest, onBytes } = options;
  const present = await findPresent(object, target, options);
  if (present !== undefined) return present;
  await makeFolder(dirname(target));
  for (let attempt = 1; ; attempt += 1) {
    const part = await PartialFile.open(target, object);
    try {
      const header = await receive(bucket, object, part, onBytes);
      await part.sync(new Date(object.lastModified));
      const checked = await compareChecksum(part.path, { manifest, etag: object.etag, header });
      if (checked !== 'mismatch') {
        await part.close();
        await moveInto(part.path, target);
        return { outcome: 'downloaded', verified: checked === 'match', read: true };
      }
      await part.restart();
      onBytes(-object.size);
    } finally {
      await part.close().catch(() => undefined);
    }
    if (attempt < MAX_ATTEMPTS) continue;
    await rm(part.path, { force: true });
    const hint =
      'run the same command again; if the error stays, the data file is being replaced or is damaged';
    throw new CliError('rejected', `${object.key} has a wrong checksum and was not kept`, { hint });
  }
}

/** Fetches the missing bytes of an object; returns the headers of an answer that held the whole object. */
async function receive(
  bucket: Bucket,
  { key, etag, size }: BucketObject,
  part: PartialFile,
  onBytes: (count: number) => void,
): Promise<KnownChecksums['header']> {
  let counted = part.length;
  onBytes(counted);
  const read = async (response: WireResponse) => {
    const whole = await part.receive(response).finally(() => {
      onBytes(part.length - counted);
      counted = part.length;
    });
    return whole ? (name: string) => response.header(name) : undefined;
  };
  while (part.length < size || size === 0) {
    const before = part.length;
    try {
      return await bucket.call(key, read, { headers: () => part.headers(etag) });
    } catch (error) {
      // Continue as long as each attempt makes progress.
      if (!(error instanceof CliError) || error.kind !== 'unavailable' || part.length <= before) throw error;
    }
  }
  return undefined;
}

/** Finds the complete file: same size, and same modification time or same content. */
async function findPresent(
  { key, size, etag, lastModified }: BucketObject,
  target: string,
  { manifest, check, note }: FetchOptions,
): Promise<Fetched | undefined> {
  const found = await stat(target).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw writeError(target, error);
  });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw writeError(target, new Error('there is something else in its place'));
  if (found.size !== size) return undefined;
  const modified = new Date(lastModified);
  // A complete file gets the modification time of its object.
  const timely = Math.floor(found.mtimeMs / 1000) === Math.floor(modified.getTime() / 1000);
  if (timely && !check) return { outcome: 'present', verified: false, read: false };
  const checked = await compareChecksum(target, { manifest, etag });
  if (timely && checked === 'unknown') return { outcome: 'present', verified: false, read: true };
  if (timely && checked === 'mismatch') note(`${key} is damaged here; fetching it again`);
  if (checked !== 'match') return undefined;
  await utimes(target, modified, modified);
  return { outcome: 'present', verified: true, read: true };
}

async function moveInto(from: string, target: string): Promise<void> {
  try {
    await renameFile(from, target);
    await syncFolder(dirname(target));
  } catch (error) {
    throw writeError(target, error);
  }
}
