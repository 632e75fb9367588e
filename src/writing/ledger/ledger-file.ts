import type { FileHandle } from 'node:fs/promises';
import { type CliError, usageError } from '../../errors.ts';
import { readLines } from '../../text/lines.ts';
import { Checksums } from './checksums.ts';
import { type LedgerEntry, type LedgerHeader, parseEntry, parseHeader } from './entry.ts';
import { LineIndex } from './line-index.ts';

/**
 * Reads a ledger. Text after the last line break was cut off by a crash, and is ignored. Any other
 * damaged line is an error: it may be the only trace of a record.
 */
export async function readLedger(handle: FileHandle, path: string) {
  const index = new LineIndex();
  const checksums = new Checksums();
  let header: LedgerHeader | undefined;
  let end = 0;
  for await (const line of readLines(chunksOf(handle, 65_536), path)) {
    const text = line.bytes.toString();
    if (header === undefined) {
      header = parseHeader(text);
      if (header === undefined || !line.ended) throw notOurs(path, text);
      if (!checksums.accept(text)) throw damaged(path, line);
    } else {
      if (!line.ended) break;
      const entry = checksums.accept(text) ? parseEntry(text) : undefined;
      if (entry === undefined) throw damaged(path, line);
      index.add(entry, line.offset);
    }
    end = line.end;
  }
  if (header !== undefined) return { header, end, index, checksums };
  throw usageError(
    `${path} is empty, which a ledger never is`,
    'restore it, or remove it if no run has used it',
  );
}

/** The entry that begins at an offset of a ledger. */
export async function entryAt(
  handle: FileHandle,
  offset: number,
): Promise<LedgerEntry | undefined> {
  for await (const { bytes } of readLines(chunksOf(handle, 4096, offset), 'the ledger')) {
    return parseEntry(bytes.toString());
  }
  return undefined;
}

function damaged(path: string, { number, offset }: { number: number; offset: number }): CliError {
  return usageError(
    `${path} is damaged in line ${number}, at byte ${offset}; nothing was sent`,
    'restore it from a copy: without what it held, records could be created twice',
  );
}

function notOurs(path: string, text: string): CliError {
  if (text.includes('doi-cli bulk ledger')) return damaged(path, { number: 1, offset: 0 });
  return usageError(`${path} is not a ledger`, 'use another --ledger');
}

async function* chunksOf(handle: FileHandle, size: number, from = 0): AsyncGenerator<Buffer> {
  for (let at = from; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(size), 0, size, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
