import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeError } from '../disk/atomic-file.ts';
import { errorCode, usageError } from '../errors.ts';
import {
  type FixedEntry,
  isFixed,
  type LedgerEntry,
  type LedgerHeader,
  parseEntry,
  type ResultEntry,
} from './entry.ts';
import { LineIndex } from './line-index.ts';
import { type KnownLedger, readLedger } from './read-ledger.ts';

/**
 * The progress of each line of a file, on disk, as NDJSON that is only appended to. A DOI is safe in it
 * before it is sent for the first time, so after a crash at any moment the ledger names every record that may
 * exist.
 */
export class BulkLedger {
  readonly path: string;
  readonly index: LineIndex;
  readonly #handle: FileHandle;
  #size: number;
  /** How much of `#size` is already in the file. */
  #written: number;
  #waiting: string[] = [];
  #pumping: Promise<void> | undefined;
  #syncWanted = false;
  #failure: unknown;
  #closed = false;

  #header: KnownLedger['header'];

  private constructor(path: string, handle: FileHandle, known: KnownLedger, index: LineIndex) {
    this.path = path;
    this.#handle = handle;
    this.#header = known.header;
    this.#size = known.end;
    this.#written = known.end;
    this.index = index;
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
      const index = new LineIndex();
      return new BulkLedger(path, handle, await readLedger(handle, path, index), index);
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
    const text = `${JSON.stringify(header)}\n`;
    this.#size += Buffer.byteLength(text);
    this.#waiting.push(text);
    this.#header = header;
    await this.sync();
    await syncFolder(dirname(this.path));
  }

  /** Saves the DOI of a line. Resolves when it is safe on disk: only then may it be sent. */
  async fix(entry: FixedEntry): Promise<void> {
    const offset = this.#append(entry);
    this.index.setFixed(entry.line, BigInt(`0x${entry.of}`), offset);
    await this.sync();
  }

  /** Adds the result of a line. If a crash loses it, the next run finds out again. */
  settle(entry: ResultEntry): void {
    // A stopped run does not wait for every answer: one may arrive after the end.
    if (this.#closed) return;
    const offset = this.#append(entry);
    this.index.setResult(entry.line, BigInt(`0x${entry.of}`), offset, entry.result, entry.doubt === true);
  }

  /** The DOI that this run or an earlier one has saved for a line. */
  async fixed(line: number): Promise<FixedEntry | undefined> {
    const entry = await this.#read(this.index.fixedAt(line));
    return entry !== undefined && isFixed(entry) ? entry : undefined;
  }

  /** The result of a line. */
  async result(line: number): Promise<ResultEntry | undefined> {
    const entry = await this.#read(this.index.resultAt(line));
    return entry !== undefined && !isFixed(entry) ? entry : undefined;
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

  #append(entry: LedgerEntry): number {
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
        this.#written += Buffer.byteLength(text);
        if (sync) await this.#handle.datasync();
      }
    } catch (error) {
      this.#failure = writeError(this.path, error);
      throw this.#failure;
    }
  }

  async #read(offset: number | undefined): Promise<LedgerEntry | undefined> {
    if (offset === undefined) return undefined;
    if (offset >= this.#written) await this.#pump();
    let text = '';
    const chunks: Buffer[] = [];
    for (let at = offset; !text.includes('\n'); ) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(4096), 0, 4096, at);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      at += bytesRead;
      text = Buffer.concat(chunks).toString();
    }
    return parseEntry(text.slice(0, text.indexOf('\n')));
  }
}

function checkHeader(
  found: Omit<LedgerHeader, 'version'> & { version: number },
  wanted: LedgerHeader,
  path: string,
): void {
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
      `${path} belongs to a run with another ${NAMES[name]}: ${before}, not ${now}`,
      'use another --ledger, or remove this one if you no longer need the records that it lists',
    );
  }
}

const NAMES = { command: 'command', baseUrl: 'base URL', account: 'account', event: 'event' } as const;
