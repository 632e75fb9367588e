import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { syncFolder, writeError } from '../../disk/atomic-file.ts';
import { fileSink } from '../../disk/file-sink.ts';
import { CliError, errorCode } from '../../errors.ts';

// Measured on pages of 6 MB of records: levels 1 to 3 take the same time (190 MB/s) and 3 is the smallest of them
// (22.9 % of the plain size); level 6 would take nearly twice as long for an eighth less.
const LEVEL = 3;
// What zlib gives back at a time. The default of 16 KB costs a trip between the threads for each.
const CHUNK_BYTES = 256 * 1024;
const gzip = promisify(gzipCallback);

/** A part file that does not hold what the ledger knows to be good. Its window has to be walked again. */
export class DamagedPart extends CliError {
  constructor(message: string, cause?: unknown) {
    super('incomplete', message, cause === undefined ? {} : { cause });
    this.name = 'DamagedPart';
  }
}

/**
 * A file that grows by whole appends. What it holds beyond the bytes that a ledger counts is worth nothing, and
 * is cut off when the file is opened the next time: that covers a crash in the middle of an append, a full disk,
 * and data that never reached the disk. One caller at a time, each call after the one before it has ended.
 *
 * There is no file before the first append: an empty one is not valid gzip, and would fail whoever reads them all.
 */
export class PartFile {
  readonly #path: string;
  readonly #gzip: boolean;
  #handle: FileHandle | undefined;
  #bytes: number;
  /** Whether the file's name would survive a power cut. */
  #named: boolean;
  #failure: CliError | undefined;

  private constructor(path: string, gzip: boolean, bytes: number, handle: FileHandle | undefined) {
    this.#path = path;
    this.#gzip = gzip;
    this.#bytes = bytes;
    this.#handle = handle;
    this.#named = handle !== undefined;
  }

  /**
   * Makes ready to go on behind a file's known-good bytes. With none, a file that is there is removed.
   * @param knownGood.bytes from the ledger, in bytes of the file on disk.
   * @param gzip whether each append becomes a gzip member of its own.
   * @throws {DamagedPart} when the file is missing or shorter than that; it is left as it is.
   * @throws {CliError} kind `output` when it cannot be opened, cut or removed.
   */
  static async open(path: string, knownGood: { readonly bytes: number }, gzip: boolean): Promise<PartFile> {
    const { bytes } = knownGood;
    try {
      const handle = bytes === 0 ? await removed(path) : await openAt(path, bytes);
      return new PartFile(path, gzip, bytes, handle);
    } catch (error) {
      throw error instanceof DamagedPart ? error : writeError(path, error);
    }
  }

  /** How many bytes the file has, complete appends only. They are not safe before {@link sync}. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Appends the chunks, all of them or an error; with gzip as one complete member. Nothing is written for nothing.
   * @throws {CliError} kind `output`. The file is then good for nothing but to be closed and opened again.
   */
  async append(chunks: readonly Uint8Array[]): Promise<void> {
    const length = sizeOf(chunks);
    if (length === 0) return;
    await this.#attempt(async () => {
      const data = this.#gzip ? [await compressed(chunks, length)] : chunks;
      this.#handle ??= await open(this.#path, 'ax');
      await fileSink(this.#handle.fd).write(...data);
      this.#bytes += sizeOf(data);
    });
  }

  /**
   * Waits until everything appended so far would survive a power cut.
   * @returns how many bytes that is: what a ledger may count. More may have been appended meanwhile.
   * @throws {CliError} kind `output`. After a failed fsync the system may report the same data as safe the next
   *   time, so the file stays unusable.
   */
  async sync(): Promise<number> {
    const bytes = this.#bytes;
    await this.#attempt(async () => {
      await this.#handle?.datasync();
      if (!this.#named && bytes > 0) {
        await syncFolder(dirname(this.#path));
        this.#named = true;
      }
    });
    return bytes;
  }

  /** Closes the file, without making anything safe. */
  async close(): Promise<void> {
    this.#failure ??= writeError(this.#path, new Error('it has been closed'));
    await this.#handle?.close();
  }

  /** A torn append must stay the last one, since the next would stand behind the tear. */
  async #attempt(task: () => Promise<void>): Promise<void> {
    if (this.#failure) throw this.#failure;
    try {
      await task();
    } catch (error) {
      this.#failure = writeError(this.#path, error);
      throw this.#failure;
    }
  }
}

/** Removes a file of which nothing is known good, for ever: otherwise a power cut could bring it back. */
async function removed(path: string): Promise<undefined> {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

/** Opens a file to append to its first `bytes` bytes. */
async function openAt(path: string, bytes: number): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND } = constants;
  const handle = await open(path, O_WRONLY | O_APPEND).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? new DamagedPart(`${path} is missing`, error) : error;
  });
  try {
    const { size } = await handle.stat();
    if (size < bytes) throw new DamagedPart(`${path} has ${size} bytes, but ${bytes} were written to it`);
    if (size > bytes) await handle.truncate(bytes);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

function compressed(chunks: readonly Uint8Array[], length: number): Promise<Uint8Array> {
  const [first] = chunks;
  const data = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length);
  return gzip(data, { level: LEVEL, chunkSize: CHUNK_BYTES });
}
