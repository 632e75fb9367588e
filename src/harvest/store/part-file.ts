import { constants } from 'node:fs';
import { type FileHandle, open, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { syncFolder } from '../../disk/atomic-file.ts';
import { fileSink, writeError } from '../../disk/file-sink.ts';
import { CliError, errorCode } from '../../errors.ts';

// Measured on pages of 6 MB of records: levels 1 to 3 take the same time (190 MB/s), and level 3
// gives the smallest files (22.9 % of the plain size); level 6 would take nearly twice as long for
// an eighth less.
const LEVEL = 3;
// The size of zlib's output chunks, each of which costs a switch between threads. Default: 16 KB.
const CHUNK_BYTES = 256 * 1024;
const gzip = promisify(gzipCallback);

/** A part file lacks bytes that the ledger counts: its window must be fetched again. */
export class DamagedPart extends CliError {
  constructor(message: string, cause?: unknown) {
    super('incomplete', message, { cause, hint: 'run the same harvest again with --check' });
    this.name = 'DamagedPart';
  }
}

/**
 * A file that grows by whole appends. Opening it cuts off everything beyond the bytes that the
 * ledger counts: this covers a crash during an append, a full disk, and data that never reached the
 * disk. Each call must wait for the previous one.
 *
 * The first append creates the file: an empty file is not valid gzip, and would break readers of
 * all files.
 */
export class PartFile {
  readonly #path: string;
  readonly #gzip: boolean;
  #handle: FileHandle | undefined;
  #bytes: number;
  /** Whether the file's name would survive a power cut. */
  #named: boolean;
  #failure: CliError | undefined;

  private constructor(path: string, gzip: boolean, bytes: number, handle?: FileHandle) {
    this.#path = path;
    this.#gzip = gzip;
    this.#bytes = bytes;
    this.#handle = handle;
    this.#named = handle !== undefined;
  }

  /**
   * Prepares to append after the known-good bytes. If there are none, an existing file is removed,
   * safe from a power cut.
   * @param bytes the known-good bytes of the file on disk, from the ledger.
   * @param gzip whether each append becomes one gzip member.
   * @throws {DamagedPart} when the file is missing or too short; it stays unchanged.
   * @throws {CliError} kind `output` when it cannot be opened, cut or removed.
   */
  static async open(
    path: string,
    { bytes }: { readonly bytes: number },
    gzip: boolean,
  ): Promise<PartFile> {
    try {
      if (bytes > 0) return new PartFile(path, gzip, bytes, await openAt(path, bytes));
      await rm(path, { force: true });
      await syncFolder(dirname(path));
      return new PartFile(path, gzip, 0);
    } catch (error) {
      throw error instanceof DamagedPart ? error : writeError(path, error);
    }
  }

  /** The size of the file after the last complete append. Not safe before {@link sync}. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Appends all chunks; with gzip as one complete member. Without bytes it writes nothing.
   * @throws {CliError} kind `output`. The file must then be closed and opened again.
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
   * @returns how many bytes a ledger may count. More may have been appended since.
   * @throws {CliError} kind `output`. The file stays unusable, because the system may report the
   *   same data as safe at the next fsync.
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

  /** Refuses everything after a failure: appends after a torn append would be lost. */
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

async function openAt(path: string, bytes: number): Promise<FileHandle> {
  // A FIFO would block; Windows has none.
  const { O_WRONLY, O_APPEND, O_NONBLOCK = 0 } = constants;
  const handle = await open(path, O_WRONLY | O_APPEND | O_NONBLOCK).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw new DamagedPart(`${path} is missing`, error);
    throw errorCode(error) === 'ENXIO'
      ? new DamagedPart(`${path} is not a regular file`, error)
      : error;
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new DamagedPart(`${path} is not a regular file`);
    const { size } = stats;
    if (size < bytes)
      throw new DamagedPart(`${path} has ${size} bytes, but ${bytes} were written to it`);
    // By its name: Windows cannot cut a file that is open to append.
    if (size > bytes) await truncate(path, bytes);
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
