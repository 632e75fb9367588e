import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { AtomicFile } from '../disk/atomic-file.ts';
import { writeError } from '../disk/file-sink.ts';
import { isDiskFull, systemReason } from '../disk/system-error.ts';
import { CliError, errorCode, isStop, usageError } from '../errors.ts';
import type { Packing } from './out-target.ts';
import type { Sink } from './sink.ts';

/** The file of `--out`, which appears complete or not at all. */
class OutFile implements Sink {
  readonly #file: AtomicFile;
  readonly #path: string;
  readonly #packed: PackedSink | undefined;

  private constructor(file: AtomicFile, path: string, packing: Packing | undefined) {
    this.#file = file;
    this.#path = path;
    this.#packed = packing && new PackedSink(file, packing);
  }

  /**
   * Opens a temporary file next to `path`. A link stays a link: its target is replaced.
   * @throws {CliError} kind `usage` when the path cannot be a file.
   */
  static async open(path: string, packing?: Packing): Promise<OutFile> {
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
    try {
      const file = await AtomicFile.open(target);
      if (existing !== undefined) await file.chmod(existing.mode);
      return new OutFile(file, target, packing);
    } catch (error) {
      const folder = dirname(target);
      throw usageError(
        `--out ${path}: cannot write in ${folder}: ${systemReason(error)}`,
        errorCode(error) === 'ENOENT' ? `mkdir -p ${folder}` : 'name another folder',
      );
    }
  }

  write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    return (this.#packed ?? this.#file).write(...chunks).catch((error: unknown) => {
      throw notWritten(this.#path, error);
    });
  }

  /**
   * Puts the finished file in its place, safe from a power cut.
   * @throws {CliError} kind `output`.
   */
  async commit(): Promise<void> {
    const end = async () => {
      await this.#packed?.end();
      await this.#file.commit();
    };
    await end().catch((error: unknown) => {
      throw notWritten(this.#path, error);
    });
  }

  discard(): Promise<void> {
    return this.#file.discard();
  }
}

/**
 * Writes the file of `--out`.
 * @param options.warn tells of leftovers: the error that made `write` fail matters more.
 * @throws what `write` throws; with a stop or an incomplete list, that nothing was written.
 */
export async function writeOutFile(
  path: string,
  { packing, warn }: { readonly packing?: Packing | undefined; readonly warn: (text: string) => void },
  write: (out: Sink) => Promise<void>,
): Promise<void> {
  const out = await OutFile.open(path, packing);
  try {
    await write(out);
    await out.commit();
  } catch (error) {
    await out.discard().catch((cause: Error) => warn(`leftovers of ${path}: ${cause.message}`));
    if (!isStop(error) && !(error instanceof CliError && error.kind === 'incomplete')) throw error;
    throw error.with({ message: `${error.message}; nothing was written to ${path}` });
  }
}

/** Unlike a copy on disk, the next run does not continue a file. */
function notWritten(path: string, error: unknown): CliError {
  const failure = writeError(path, error);
  return isDiskFull(failure.cause)
    ? failure.with({ hint: 'make room, or name a file on another disk' })
    : failure;
}

function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return value;
    throw usageError(`--out: ${systemReason(error)}`, 'name another file');
  };
}

/** A sink that packs what it writes to another one. */
class PackedSink implements Sink {
  readonly #packer: Transform;
  /** The writes of what has been packed. */
  #written: Promise<void> = Promise.resolve();

  constructor(sink: Sink, packing: Packing) {
    this.#packer = packing === 'gzip' ? zlib.createGzip() : zstd();
    this.#packer.on('data', (packed: Buffer) => {
      this.#written = this.#written.then(() => sink.write(packed));
      // The next write or the end reports it.
      this.#written.catch(() => undefined);
    });
  }

  async write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    const bytes = Buffer.concat(
      chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    );
    await new Promise<void>((resolve, reject) => {
      this.#packer.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await this.#written;
  }

  /** Writes the end of the packed data. */
  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#packer.once('end', resolve).once('error', reject).end();
    });
    await this.#written;
  }
}

/** {@link zlib} has it from Node 22.15 on; `outTarget` has looked. */
function zstd(): Transform {
  return (zlib as unknown as { createZstdCompress(): Transform }).createZstdCompress();
}
