import { once } from 'node:events';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { AtomicFile } from '../disk/atomic-file.ts';
import { writeError } from '../disk/file-sink.ts';
import { systemReason } from '../disk/system-error.ts';
import { CliError, errorCode, isStop, usageError } from '../errors.ts';
import type { Packing } from './out-target.ts';
import type { Sink } from './sink.ts';

/**
 * Writes the file of `--out`, which appears complete or not at all. A link stays a link: its target is replaced.
 * @param options.warn tells of leftovers: the error that made `write` fail matters more.
 * @throws {CliError} kind `usage` when the path cannot be a file; kind `output`; what `write` throws; with a stop or
 *   an incomplete list, that nothing was written.
 */
export async function writeOutFile(
  path: string,
  { packing, warn }: { readonly packing?: Packing | undefined; readonly warn: (text: string) => void },
  write: (out: Sink) => Promise<void>,
): Promise<void> {
  const { file, target } = await openOutFile(path);
  const orFail = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      throw writeError(target, error);
    });
  const packed = packing && new PackedSink(file, packing);
  try {
    await write({ write: (...chunks) => orFail((packed ?? file).write(...chunks)) });
    if (packed !== undefined) await orFail(packed.end());
    await orFail(file.commit());
  } catch (error) {
    await file.discard().catch((cause: Error) => warn(`leftovers of ${path}: ${cause.message}`));
    if (!isStop(error) && !(error instanceof CliError && error.kind === 'incomplete')) throw error;
    throw error.with({ message: `${error.message}; nothing was written to ${path}` });
  }
}

/** Opens a temporary file next to the target of a path, which it will replace. */
async function openOutFile(path: string): Promise<{ readonly file: AtomicFile; readonly target: string }> {
  if (/[\\/]$/.test(path)) throw usageError(`--out ${path}: this is a folder`, 'name a file');
  const target = await realpath(path).catch(absent(resolve(path)));
  const existing = await stat(target).catch(absent(undefined));
  if (existing === undefined && (await lstat(target).catch(absent(undefined)))?.isSymbolicLink()) {
    throw usageError(`--out ${path}: this is a link to nowhere`, 'remove the link or name another file');
  }
  if (existing?.isFile() === false) {
    throw usageError(
      `--out ${path}: this is not a regular file`,
      'leave out --out and redirect stdout instead',
    );
  }
  try {
    const file = await AtomicFile.open(target);
    if (existing !== undefined) await file.chmod(existing.mode);
    return { file, target };
  } catch (error) {
    const folder = dirname(target);
    throw usageError(
      `--out ${path}: cannot write in ${folder}: ${systemReason(error)}`,
      errorCode(error) === 'ENOENT' ? `mkdir -p ${folder}` : 'name another folder',
    );
  }
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
  /** Ends when all that was packed is written. */
  readonly #written: Promise<void>;

  constructor(sink: Sink, packing: Packing) {
    // Node has Zstandard from 22.15 on; `outTarget` has looked.
    const { createZstdCompress } = zlib as unknown as { createZstdCompress(): Transform };
    this.#packer = packing === 'gzip' ? zlib.createGzip() : createZstdCompress();
    this.#written = this.#pass(sink);
    // The next write or the end reports it.
    this.#written.catch(() => undefined);
  }

  async #pass(sink: Sink): Promise<void> {
    for await (const chunk of this.#packer) await sink.write(chunk as Buffer);
  }

  async write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    for (const chunk of chunks) {
      if (!this.#packer.write(chunk)) await Promise.race([once(this.#packer, 'drain'), this.#written]);
    }
  }

  /** Writes the end of the packed data. */
  async end(): Promise<void> {
    this.#packer.end();
    await this.#written;
  }
}
