import { extname } from 'node:path';
import * as zlib from 'node:zlib';
import { usageError } from '../errors.ts';

export type Packing = 'gzip' | 'zstd';

/** What the name of a file says about its contents. */
export interface OutTarget<Format> {
  /** Undefined where neither the name nor an option says it. */
  readonly format: Format | undefined;
  readonly packing: Packing | undefined;
}

const PACKINGS: Readonly<Record<string, Packing>> = { '.gz': 'gzip', '.zst': 'zstd' };
const OTHER_PACKINGS = /\.(?:bz2|xz|lzma|lz4|br|zip|7z|rar|tar|tgz|z)$/i;

/**
 * Chooses the format and the packing of a file by the endings of its name: `dois.csv.gz`.
 * @param given the format that an option names: it wins over the ending.
 */
export function outTarget<Format extends string>(
  path: string,
  formats: Readonly<Record<string, Format>>,
  given: Format | undefined,
): OutTarget<Format> {
  const last = extname(path).toLowerCase();
  const packing = PACKINGS[last];
  const endings = Object.keys(formats).join(', ');
  if (packing === 'zstd' && !('createZstdCompress' in zlib)) {
    throw usageError(`--out ${path}: this Node cannot write Zstandard`, 'use .gz, or Node 22.15 or later');
  }
  if (OTHER_PACKINGS.test(last)) {
    throw usageError(`--out ${path}: ${last} cannot be written`, 'a file can be packed as .gz or .zst');
  }
  const ending = packing === undefined ? last : extname(path.slice(0, -last.length)).toLowerCase();
  const format = Object.hasOwn(formats, ending) ? formats[ending] : undefined;
  if (given !== undefined) return { format: given, packing };
  // Something like `dois.2024` or `v1.2` has no ending.
  if (format === undefined && /^\.[a-z]/.test(ending)) {
    const hint = `the endings are ${endings}, with .gz or .zst after them`;
    throw usageError(`--out ${path}: no format has the ending ${ending}`, hint);
  }
  return { format, packing };
}
