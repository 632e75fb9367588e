import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { AtomicFile } from '../disk/atomic-file.ts';
import { writeError } from '../disk/file-sink.ts';
import { regularTarget } from '../disk/regular-file.ts';
import { systemReason } from '../disk/system-error.ts';
import { CliError, errorCode, isStop, usageError } from '../errors.ts';
import type { Sink } from './sink.ts';

type Packing = 'gzip' | 'zstd';

/** The format and compression of an output file. */
export interface OutTarget<Format> {
  /** Undefined if neither the name nor an option decides. */
  readonly format: Format | undefined;
  readonly packing: Packing | undefined;
}

const PACKINGS: Readonly<Record<string, Packing>> = { '.gz': 'gzip', '.zst': 'zstd' };
const OTHER_PACKINGS = /\.(?:bz2|xz|lzma|lz4|br|zip|7z|rar|tar|tgz|z)$/i;

/**
 * Chooses format and packing by the endings of a name: `dois.csv.gz`.
 * @param chosen the format of an option, which is used instead of the ending.
 */
export function outTarget<Format extends string>(
  path: string,
  formats: Readonly<Record<string, Format>>,
  chosen: Format | undefined,
): OutTarget<Format> {
  const last = extname(path).toLowerCase();
  const packing = PACKINGS[last];
  const endings = Object.keys(formats).join(', ');
  if (packing === 'zstd' && !('createZstdCompress' in zlib)) {
    throw usageError(
      `--out ${path}: this Node cannot write Zstandard`,
      'use .gz, or Node 22.15 or later',
    );
  }
  if (OTHER_PACKINGS.test(last)) {
    throw usageError(
      `--out ${path}: ${last} cannot be written`,
      'files can be packed as .gz or .zst',
    );
  }
  const ending = packing === undefined ? last : extname(path.slice(0, -last.length)).toLowerCase();
  const format = Object.hasOwn(formats, ending) ? formats[ending] : undefined;
  if (chosen !== undefined) return { format: chosen, packing };
  // Names like `dois.2024` or `v1.2` have no ending.
  if (format === undefined && /^\.[a-z]/.test(ending)) {
    const hint = `the endings are ${endings}, with .gz or .zst after them`;
    throw usageError(`--out ${path}: no format has the ending ${ending}`, hint);
  }
  return { format, packing };
}

interface OutFileOptions {
  readonly packing?: Packing | undefined;
  readonly warn: (text: string) => void;
}

/**
 * Writes the file of `--out`. The file appears only when it is complete; otherwise, the error of a
 * stop or of an incomplete list says that nothing was written. A link stays a link.
 * @param options.warn reports a partial file that is left, because the error thrown is the one of
 *   `write`.
 */
export async function writeOutFile<Made>(
  path: string,
  { packing, warn }: OutFileOptions,
  write: (out: Sink) => Promise<Made>,
): Promise<Made> {
  const { file, target } = await openOutFile(path);
  const orFail = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      throw writeError(target, error);
    });
  const packed = packing && packedSink(file, packing);
  try {
    const made = await write({ write: (...chunks) => orFail((packed ?? file).write(...chunks)) });
    if (packed !== undefined) await orFail(packed.end());
    await orFail(file.commit());
    return made;
  } catch (error) {
    await file
      .discard()
      .catch((cause: Error) => warn(`a partial file of ${path} is left: ${cause.message}`));
    if (!isStop(error) && !(error instanceof CliError && error.kind === 'incomplete')) throw error;
    throw error.with({ message: `${error.message}; nothing was written to ${path}` });
  }
}

/** Opens a temporary file next to the target that it will replace. */
async function openOutFile(
  path: string,
): Promise<{ readonly file: AtomicFile; readonly target: string }> {
  if (/[\\/]$/.test(path)) throw usageError(`--out ${path}: this is a folder`, 'name a file');
  const target = resolve(await regularTarget(path, `--out ${path}`));
  const existing = await stat(target).catch(() => undefined);
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

function packedSink(sink: Sink, packing: Packing): Sink & { readonly end: () => Promise<void> } {
  // Node has Zstandard since 22.15; `outTarget` has checked.
  const { createZstdCompress } = zlib as unknown as { createZstdCompress(): Transform };
  const packer: Transform = packing === 'gzip' ? zlib.createGzip() : createZstdCompress();
  const pass = async () => {
    for await (const chunk of packer) await sink.write(chunk as Buffer);
  };
  const written = pass();
  // The next write or `end` reports the error.
  written.catch(() => undefined);
  return {
    async write(...chunks) {
      for (const chunk of chunks) {
        if (!packer.write(chunk)) await Promise.race([once(packer, 'drain'), written]);
      }
    },
    async end() {
      packer.end();
      await written;
    },
  };
}
