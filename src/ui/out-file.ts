import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { syncFolder } from '../disk/atomic-file.ts';
import { fileSink } from '../disk/file-sink.ts';
import { CliError, errorCode, usageError } from '../errors.ts';
import type { Sink } from './sink.ts';

/** A file that appears complete or not at all: a temporary file next to it is renamed at the end. */
export class OutFile implements Sink {
  readonly #handle: FileHandle;
  readonly #sink: Sink;
  readonly #temporary: string;
  readonly #path: string;

  private constructor(handle: FileHandle, temporary: string, path: string) {
    this.#handle = handle;
    this.#sink = fileSink(handle.fd);
    this.#temporary = temporary;
    this.#path = path;
  }

  /**
   * Prepares to write `path`. A link stays a link: the file it points to is replaced.
   * @throws {CliError} kind `usage` when no file can be written there.
   */
  static async open(path: string): Promise<OutFile> {
    if (/[\\/]$/.test(path)) throw usageError(`--out ${path}: this is a folder`, 'name a file');
    const target = await realpath(path).catch(absent(resolve(path)));
    const existing = await stat(target).catch(absent(undefined));
    if (existing === undefined && (await lstat(target).catch(absent(undefined)))?.isSymbolicLink()) {
      throw usageError(`--out ${path}: this is a link to nowhere`, 'remove the link or name another file');
    }
    if (existing !== undefined && !existing.isFile()) {
      throw usageError(
        `--out ${path}: this is not a regular file`,
        'leave out --out and redirect stdout instead',
      );
    }
    const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
    try {
      const handle = await open(temporary, 'wx', 0o666);
      if (existing !== undefined) await handle.chmod(existing.mode);
      return new OutFile(handle, temporary, target);
    } catch (error) {
      throw usageError(
        `--out ${path}: cannot write in this folder (${errorCode(error) ?? 'unknown reason'})`,
        'name a folder that exists and is writable',
      );
    }
  }

  write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    return this.#sink.write(...chunks);
  }

  /** Renames the finished file to its path; it survives a power cut from then on. */
  async commit(): Promise<void> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#temporary, this.#path);
      await syncFolder(dirname(this.#path));
    } catch (error) {
      throw new CliError('output', `cannot write ${this.#path}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** Deletes the unfinished file. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await unlink(this.#temporary).catch(absent(undefined));
  }
}

function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return value;
    throw usageError(`--out: ${(error as Error).message}`);
  };
}
