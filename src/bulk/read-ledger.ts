import type { FileHandle } from 'node:fs/promises';
import { type CliError, usageError } from '../errors.ts';
import { readLines } from '../text/lines.ts';
import { isFixed, type LedgerHeader, parseEntry, parseHeader } from './entry.ts';
import type { LineIndex } from './line-index.ts';

export interface KnownLedger {
  /** Undefined for a file without a complete first line: nothing was sent yet. */
  readonly header: (Omit<LedgerHeader, 'version'> & { version: number }) | undefined;
  /** The end of the intact part, in bytes. */
  readonly end: number;
}

/**
 * Reads a ledger into an index. A last line without a line break is ignored, because a crash leaves one; so
 * is everything after the first NUL, because a power failure may keep the length of a file and lose its
 * content.
 * @throws {CliError} kind `usage` for any other line that is no entry: another program has changed the file,
 *   and the entry that it removed may be the only trace of a record.
 */
export async function readLedger(handle: FileHandle, path: string, index: LineIndex): Promise<KnownLedger> {
  let header: KnownLedger['header'];
  let end = 0;
  for await (const { number, offset, bytes, ended } of readLines(chunksOf(handle), path)) {
    const text = bytes.toString();
    if (!ended || bytes.includes(0)) {
      // `claim` cuts this off: never in a file that is no ledger.
      if (number === 1 && !isBegun(text)) throw notOurs(path);
      break;
    }
    if (number === 1) {
      header = parseHeader(text);
      if (header === undefined) throw notOurs(path);
    } else {
      const entry = parseEntry(text);
      if (entry === undefined) {
        throw usageError(
          `${path} is damaged in line ${number}`,
          'restore it from a copy; without it records could be created twice',
        );
      }
      const hash = BigInt(`0x${entry.of}`);
      if (isFixed(entry)) index.setFixed(entry.line, hash, offset);
      else index.setResult(entry.line, hash, offset, entry.result, entry.doubt === true);
    }
    end = offset + bytes.length + 1;
  }
  return { header, end };
}

/** Whether a text is the beginning of a ledger's first line. */
function isBegun(text: string): boolean {
  const written = text.replace(/\0.*$/s, '');
  return written.startsWith(HEAD) || HEAD.startsWith(written);
}

const HEAD = '{"format":"doi-cli bulk ledger"';

function notOurs(path: string): CliError {
  return usageError(`${path} is not a ledger`, 'use another --ledger');
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(65_536), 0, 65_536, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
