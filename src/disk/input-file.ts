import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { type CliError, usageError } from '../errors.ts';

/**
 * Whether an input file is a pipe, which can be read only once. @throws {CliError} for a folder or
 * device.
 */
export function isPipe(path: string): boolean {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch {
    // Reading the file reports its own error.
    return false;
  }
  if (stats.isFile() || stats.isFIFO()) return stats.isFIFO();
  throw unreadable(path, stats);
}

function unreadable(path: string, stats: Stats): CliError {
  const what = stats.isDirectory() ? 'it is a folder' : 'it is not a regular file';
  return usageError(`cannot read ${path}: ${what}`, 'name a file, or - for stdin');
}

/**
 * Opens an input file. @param takesPipe whether it may be a pipe. @throws {CliError} for another
 * kind of file; the system's error.
 */
export function openInput(path: string, takesPipe = true): Readable {
  // A file may become a pipe at any time. Without the flag, opening a pipe would wait for a writer
  // in a thread that cannot be interrupted.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(fd);
  if (stats.isFile()) return createReadStream(path, { fd });
  if (stats.isFIFO() && takesPipe) return new Socket({ fd, readable: true, writable: false });
  closeSync(fd);
  throw unreadable(path, stats);
}

/**
 * The bytes of a stream: unpacked if they begin like gzip or Zstandard, and as UTF-8 if they are
 * UTF-16. The stream is closed at the end.
 * @throws {CliError} kind `usage` when they cannot be unpacked.
 */
export async function* unpacked(stream: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    yield* asUtf8(unpackedChunks(copies(stream), name), name);
  } finally {
    stream.destroy();
  }
}

async function* unpackedChunks(
  chunks: AsyncGenerator<Buffer>,
  name: string,
): AsyncGenerator<Buffer> {
  const first: Buffer[] = [];
  let size = 0;
  while (size < 4) {
    const next = await chunks.next();
    if (next.done) break;
    first.push(next.value);
    size += next.value.length;
  }
  async function* all() {
    yield* first;
    yield* chunks;
  }
  const decoder = decoderFor(Buffer.concat(first), name);
  if (decoder === undefined) return yield* all();
  pipeline(Readable.from(all()), decoder, () => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
  } catch (error) {
    // Errors of reading the file do not concern its contents.
    if ((error as NodeJS.ErrnoException).syscall !== undefined || !isZlib(error)) throw error;
    throw usageError(
      `cannot unpack ${name}: it is damaged or incomplete`,
      'pack or download it again',
    );
  }
}

/**
 * UTF-16 as UTF-8: Windows PowerShell writes it with `>`. Other bytes stay as they are, without a
 * byte order mark.
 */
async function* asUtf8(chunks: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let first: Buffer | undefined;
  try {
    for await (const chunk of chunks) {
      // A chunk may be a single byte.
      let bytes = first === undefined || first.length >= 4 ? chunk : Buffer.concat([first, chunk]);
      if (first === undefined || first.length < 4) {
        first = bytes;
        if (bytes.length < 4) continue;
        const encoding = utf16In(bytes);
        if (encoding !== undefined) decoder = new TextDecoder(encoding, { fatal: true });
        bytes = withoutMark(bytes);
      }
      yield decoder === undefined ? bytes : Buffer.from(decoder.decode(bytes, { stream: true }));
    }
    if (first !== undefined && first.length < 4) yield withoutMark(first);
    const rest = decoder?.decode();
    if (rest) yield Buffer.from(rest);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(`${name} is damaged UTF-16 text`, 'save it as UTF-8');
  }
}

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.toString('hex', 0, 3) === 'efbbbf' ? bytes.subarray(3) : bytes;

/** The encoding of UTF-16 if bytes begin with its byte order mark, or with two ASCII characters. */
function utf16In(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const begin = bytes.toString('hex', 0, 4);
  if (/^(?:fffe|[0-7][1-9a-f]00[0-7][1-9a-f]00)/.test(begin)) return 'utf-16le';
  return /^(?:feff|00[0-7][1-9a-f]00[0-7][1-9a-f])/.test(begin) ? 'utf-16be' : undefined;
}

/** Copies of a stream's chunks, whose memory the stream may reuse. */
async function* copies(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.from(chunk as Buffer);
}

function decoderFor(first: Buffer, name: string): Transform | undefined {
  const magic = first.subarray(0, 4).toString('hex');
  if (magic.startsWith('1f8b')) return zlib.createGunzip();
  // New workbooks are ZIP archives; old Excel workbooks are compound files.
  if (magic === '504b0304' || magic === 'd0cf11e0') {
    const hint = 'save the table in it as "CSV UTF-8"';
    throw usageError(`${name} is a workbook or an archive, not text`, hint);
  }
  if (magic !== '28b52ffd') return undefined;
  // Node has Zstandard since 22.15.
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };
  if (createZstdDecompress !== undefined) return createZstdDecompress();
  throw usageError(
    `${name}: this Node cannot unpack Zstandard`,
    `zstd -dc ${name} | doi-cli … --file -`,
  );
}

function isZlib(error: unknown): boolean {
  return /^(Z_|ZSTD_|ERR_)/.test(String((error as NodeJS.ErrnoException).code));
}
