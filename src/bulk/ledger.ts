import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeError } from '../disk/atomic-file.ts';
import { type CliError, errorCode, usageError } from '../errors.ts';
import { readLines } from '../text/lines.ts';
import {
  type FixedEntry,
  type FoundHeader,
  isFixed,
  type LedgerEntry,
  type LedgerHeader,
  parseEntry,
  parseHeader,
  type ResultEntry,
} from './entry.ts';
import { LineIndex } from './line-index.ts';

/**
 * The progress of each line of a file, on disk, as NDJSON that is only appended to. A DOI is safe in it
 * before it is sent for the first time, so after a crash at any moment the ledger names every record that may
 * exist.
 */
export class BulkLedger {
  readonly path: string;
  readonly index: LineIndex;
  readonly #handle: FileHandle;
  /** Undefined for a file without a complete first line: nothing was sent yet. */
  readonly #header: FoundHeader | undefined;
  /** The size of all entries in bytes, including those that are not written yet. */
  #size: number;
  #waiting: string[] = [];
  #pumping: Promise<void> | undefined;
  #syncWanted = false;
  #failure: unknown;
  #closed = false;

  private constructor(path: string, handle: FileHandle, { header, end, index }: KnownLedger) {
    this.path = path;
    this.index = index;
    this.#handle = handle;
    this.#header = header;
    this.#size = end;
  }

  /**
   * Opens or creates a ledger. The caller holds its lock, and calls {@link claim} before anything else.
   * @throws {CliError} kind `usage` when the file is damaged or no ledger; `output` when it cannot be
   *   written.
   */
  static async open(path: string): Promise<BulkLedger> {
    const handle = await open(path, 'a+', 0o600).catch((error: unknown) => {
      throw writeError(path, error);
    });
    try {
      return new BulkLedger(path, handle, await readLedger(handle, path));
    } catch (error) {
      await handle.close();
      throw errorCode(error) === undefined ? error : writeError(path, error);
    }
  }

  /**
   * Makes a new ledger the ledger of this run, or checks that an old one belongs to it.
   * @throws {CliError} kind `usage` when it belongs to another run; `output` when it cannot be written.
   */
  async claim(header: LedgerHeader): Promise<void> {
    if (this.#header !== undefined) checkHeader(this.#header, header, this.path);
    // Cut off a line that was being written when the process or the machine died.
    await this.#handle.truncate(this.#size).catch((error: unknown) => {
      throw writeError(this.path, error);
    });
    if (this.#header !== undefined) return;
    this.#append(header);
    await this.sync();
    await syncFolder(dirname(this.path));
  }

  /** Saves the DOI of a line. Resolves when it is safe on disk: only then may it be sent. */
  async fix(entry: FixedEntry): Promise<void> {
    this.index.add(entry, this.#append(entry));
    await this.sync();
  }

  /** Adds the result of a line. If a crash loses it, the next run finds out again. */
  settle(entry: ResultEntry): void {
    // A stopped run does not wait for every answer: one may arrive after the end.
    if (!this.#closed) this.index.add(entry, this.#append(entry));
  }

  /** The DOI that is saved for a line that is not done. */
  async fixed(line: number): Promise<FixedEntry | undefined> {
    const entry = await this.#read(line);
    return entry !== undefined && isFixed(entry) ? entry : undefined;
  }

  /** The result of a line that an earlier run has done. */
  async result(line: number): Promise<ResultEntry | undefined> {
    const entry = await this.#read(line);
    return entry === undefined || isFixed(entry) ? undefined : entry;
  }

  /**
   * Resolves when all entries so far are safe on disk. Calls at the same time share one write and one fsync.
   * @throws {CliError} kind `output`; no more entries can be added then.
   */
  async sync(): Promise<void> {
    this.#syncWanted = true;
    // A write in progress may not hold all entries; the one after it does.
    await this.#pump();
    if (this.#waiting.length > 0 || this.#syncWanted) await this.#pump();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.sync();
    } finally {
      this.#closed = true;
      const { size } = await this.#handle.stat();
      await this.#handle.close();
      // The run ended before `claim`.
      if (size === 0) await rm(this.path, { force: true });
    }
  }

  /** @returns the offset of the entry. */
  #append(entry: LedgerHeader | LedgerEntry): number {
    if (this.#failure !== undefined) throw this.#failure;
    const text = `${JSON.stringify(entry)}\n`;
    const offset = this.#size;
    this.#size += Buffer.byteLength(text);
    this.#waiting.push(text);
    void this.#pump().catch(() => undefined);
    return offset;
  }

  #pump(): Promise<void> {
    this.#pumping ??= this.#write().finally(() => {
      this.#pumping = undefined;
    });
    return this.#pumping;
  }

  async #write(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    // Entries added in the same turn of the event loop share one write.
    await null;
    try {
      while (this.#waiting.length > 0 || this.#syncWanted) {
        const text = this.#waiting.splice(0).join('');
        const sync = this.#syncWanted;
        this.#syncWanted = false;
        if (text !== '') await this.#handle.appendFile(text);
        if (sync) await this.#handle.datasync();
      }
    } catch (error) {
      this.#failure = writeError(this.path, error);
      throw this.#failure;
    }
  }

  async #read(line: number): Promise<LedgerEntry | undefined> {
    const offset = this.index.offset(line);
    if (offset === undefined) return undefined;
    const lines = readLines(chunksOf(this.#handle, 4096, offset), this.path);
    for await (const { bytes } of lines) return parseEntry(bytes.toString());
    return undefined;
  }
}

function checkHeader(found: FoundHeader, wanted: LedgerHeader, path: string): void {
  if (found.version !== wanted.version) {
    throw usageError(
      `${path} was written by another version of this program (format ${found.version})`,
      'use that version, or another --ledger',
    );
  }
  for (const name of ['command', 'baseUrl', 'account', 'event'] as const) {
    const [before, now] = [found[name], wanted[name]].map((value) => value ?? 'none');
    if (before === now) continue;
    throw usageError(
      `${path} belongs to a run with another ${name === 'baseUrl' ? 'base URL' : name}: ${before}, not ${now}`,
      'use another --ledger, or remove this one if you no longer need the records that it lists',
    );
  }
}

interface KnownLedger {
  readonly header: FoundHeader | undefined;
  /** The end of the intact part, in bytes. */
  readonly end: number;
  readonly index: LineIndex;
}

/**
 * A last line without a line break is ignored, because a crash leaves one; so is everything after the first
 * NUL, because a power failure may keep the length of a file and lose its content.
 * @throws {CliError} kind `usage` for any other line that is no entry: another program has changed the file,
 *   and the entry that it removed may be the only trace of a record.
 */
async function readLedger(handle: FileHandle, path: string): Promise<KnownLedger> {
  const index = new LineIndex();
  let header: FoundHeader | undefined;
  let end = 0;
  for await (const { number, offset, bytes, ended } of readLines(chunksOf(handle, 65_536), path)) {
    const text = bytes.toString();
    if (!ended || bytes.includes(0)) {
      // `claim` cuts this off: never in a file that is not a ledger.
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
      index.add(entry, offset);
    }
    end = offset + bytes.length + 1;
  }
  return { header, end, index };
}

/** Whether a text is the beginning of a ledger's first line. */
function isBegun(text: string): boolean {
  const head = '{"format":"doi-cli bulk ledger"';
  return head.startsWith(text.replace(/\0.*$/s, '').slice(0, head.length));
}

function notOurs(path: string): CliError {
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
