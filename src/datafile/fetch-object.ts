import { createHash } from 'node:crypto';
import { constants, createReadStream, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BadBody } from '../api/http/body.ts';
import { renameFile, syncFolder } from '../disk/atomic-file.ts';
import { writeError } from '../disk/file-sink.ts';
import { makeFolder } from '../disk/folders.ts';
import { CliError, errorCode } from '../errors.ts';
import type { Bucket } from './bucket.ts';
import type { BucketObject } from './listing.ts';

export interface Fetched {
  /** `present` if the complete file existed already. */
  readonly outcome: 'downloaded' | 'present';
  /** Whether this run compared the content with a checksum. */
  readonly verified: boolean;
}

interface FetchOptions {
  /** The object's SHA-256 in base64, if the manifest contains it. */
  readonly sha256: string | undefined;
  /** Compares the content of an existing file, even if its size and time match the object. */
  readonly check: boolean;
  readonly note: (text: string) => void;
}

// A first mismatch may come from the transfer.
const MAX_ATTEMPTS = 2;

/**
 * Fetches one object to a file, which appears only when it is complete. It continues a partial file
 * of an earlier run.
 * @throws {CliError} kind `rejected` if the content is damaged, kind `output`, or the error of the
 *   bucket.
 */
export async function fetchObject(
  bucket: Bucket,
  object: BucketObject,
  target: string,
  options: FetchOptions,
): Promise<Fetched> {
  try {
    return (
      (await findPresent(object, target, options)) ??
      (await fetchNew(bucket, object, target, options.sha256))
    );
  } catch (error) {
    throw error instanceof CliError ? error : writeError(target, error);
  }
}

/** Finds the complete file: same size, and same modification time or same content. */
async function findPresent(
  { key, size, etag, lastModified }: BucketObject,
  target: string,
  { sha256, check, note }: FetchOptions,
): Promise<Fetched | undefined> {
  const stats = await stat(target).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
  });
  if (stats === undefined) return undefined;
  requireFile(stats);
  if (stats.size !== size) return undefined;
  const modified = new Date(lastModified);
  const isTimely = Math.floor(stats.mtimeMs / 1000) === Math.floor(modified.getTime() / 1000);
  const content = isTimely && !check ? 'unknown' : await compareContent(target, etag, sha256);
  if (isTimely && content === 'mismatch') note(`${key} is damaged here; fetching it again`);
  if (content === 'mismatch' || (content === 'unknown' && !isTimely)) return undefined;
  if (!isTimely) await utimes(target, modified, modified);
  return { outcome: 'present', verified: content === 'match' };
}

async function fetchNew(
  bucket: Bucket,
  object: BucketObject,
  target: string,
  sha256: string | undefined,
): Promise<Fetched> {
  await makeFolder(dirname(target));
  const path = await partialPath(target, object);
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const part = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o666);
  try {
    requireFile(await part.stat());
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const etag = await receive(bucket, object, part);
      // A complete file gets the modification time of its object.
      const modified = new Date(object.lastModified);
      await part.utimes(modified, modified);
      await part.sync();
      const content = await compareContent(path, etag, sha256);
      if (content !== 'mismatch') {
        await part.close();
        await renameFile(path, target);
        await syncFolder(dirname(target));
        return { outcome: 'downloaded', verified: content === 'match' };
      }
      await part.truncate(0);
    }
  } finally {
    await part.close();
  }
  await rm(path, { force: true });
  throw new CliError('rejected', `${object.key} has a wrong checksum and was not kept`, {
    hint: 'run the same command again',
  });
}

/**
 * The path of an object's partial file, next to its target, with the version in its name. Removes
 * other versions.
 */
async function partialPath(target: string, { etag }: BucketObject): Promise<string> {
  const [folder, stem] = [dirname(target), `.${basename(target)}.`];
  const name = `${stem}${etag.replaceAll(/[^\w-]/g, '_').slice(0, 40)}.part`;
  for (const other of await readdir(folder)) {
    // A version has no dot: `.MANIFEST.json.….part` does not belong to MANIFEST.
    const isVersion = other.startsWith(stem) && /^[\w-]+\.part$/.test(other.slice(stem.length));
    if (isVersion && other !== name) await rm(join(folder, other));
  }
  return join(folder, name);
}

/**
 * Appends the missing bytes to a partial file. @returns the ETag; empty for an encrypted object,
 * whose ETag is not an MD5.
 */
async function receive(
  bucket: Bucket,
  { key, etag, size }: BucketObject,
  part: FileHandle,
): Promise<string> {
  let { size: length } = await part.stat();
  const restart = async () => {
    await part.truncate(0);
    length = 0;
  };
  if (length > size) await restart();
  if (length === size) return etag;
  // Each attempt continues where the previous one ended, unless the object has changed.
  const headers = () => ({
    'if-match': `"${etag}"`,
    ...(length === 0 ? undefined : { range: `bytes=${length}-` }),
  });
  return bucket.get(
    key,
    async (response) => {
      const isRest = response.header('content-range') === `bytes ${length}-${size - 1}/${size}`;
      if (response.status === 206 && !isRest) {
        response.discard();
        throw new BadBody('the answer is not the requested part of the object');
      }
      if (response.status !== 206 && length > 0) await restart();
      for await (const chunk of response.encodedBody()) {
        if (length + chunk.length > size)
          throw new BadBody('the object is longer than its listing says');
        await part.appendFile(chunk);
        length += chunk.length;
      }
      if (length < size) throw new BadBody('the object was cut short');
      return /kms/.test(response.header('x-amz-server-side-encryption') ?? '') ? '' : etag;
    },
    { headers },
  );
}

function requireFile(stats: Stats): void {
  if (!stats.isFile()) throw new Error('something else is in its place');
}

/**
 * Compares a file with the manifest's SHA-256, else with the ETag; `unknown` if the ETag is not an
 * MD5.
 */
async function compareContent(
  path: string,
  etag: string,
  sha256: string | undefined,
): Promise<'match' | 'mismatch' | 'unknown'> {
  // The ETag of an object that was uploaded in parts has a hyphen.
  if (sha256 === undefined && !/^[\da-f]{32}$/.test(etag)) return 'unknown';
  const hash = createHash(sha256 === undefined ? 'md5' : 'sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  const isSame = hash.digest(sha256 === undefined ? 'hex' : 'base64') === (sha256 ?? etag);
  return isSame ? 'match' : 'mismatch';
}
