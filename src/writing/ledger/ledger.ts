import { constants } from 'node:fs';
import { type FileHandle, open, rm, stat, truncate } from 'node:fs/promises';
import { coalesced } from '../../concurrency/promises.ts';
import { writeAtomically } from '../../disk/atomic-file.ts';
import { writeError } from '../../disk/file-sink.ts';
import { CliError, errorCode, usageError } from '../../errors.ts';
import { Checksums } from './checksums.ts';
import {
  isReservation,
  type LedgerEntry,
  type LedgerHeader,
  type ReservationEntry,
  type ResultEntry,
  type SentEdits,
} from './entry.ts';
import { entryAt, readLedger } from './ledger-file.ts';
import { LineIndex, LineStatus } from './line-index.ts';
import type { RunLedger } from './run-ledger.ts';

/**
 * The progress of each line of a file, on disk, as NDJSON that is only appended to. A DOI is saved
 * before it is sent: even after a crash, the ledger contains every DOI that may exist.
 */
export class BulkLedger implements RunLedger {
  readonly path: string;
  readonly index: LineIndex;
  /** Undefined until a new ledger is claimed. */
  #handle: FileHandle | undefined;
  #header: LedgerHeader | undefined;
  readonly #checksums: Checksums;
  /** The size of all entries in bytes, including entries that are not written yet. */
  #size: number;
  #written: number;
  #waiting: string[] = [];
  #failure: unknown;
  #closed = false;

  private constructor(
    path: string,
    handle: FileHandle | undefined,
    known: Awaited<ReturnType<typeof readLedger>> | undefined,
  ) {
    this.path = path;
    this.index = known?.index ?? new LineIndex();
    this.#handle = handle;
    this.#header = known?.header;
    this.#checksums = known?.checksums ?? new Checksums();
    this.#size = known?.end ?? 0;
    this.#written = this.#size;
  }

  /**
   * Opens a ledger, which need not exist yet. The caller holds its lock, and calls {@link claim}
   * next.
   * @param path from `regularTarget`.
   */
  static async open(path: string): Promise<BulkLedger> {
    const handle = await openLedger(path).catch((error: unknown) => {
      throw writeError(path, error);
    });
    try {
      return new BulkLedger(path, handle, handle && (await readLedger(handle, path)));
    } catch (error) {
      await handle?.close();
      throw errorCode(error) === undefined ? error : writeError(path, error);
    }
  }

  /**
   * Creates the ledger of this run, or checks that an existing one belongs to it.
   * @param header of a new ledger; of an existing one, only the members of the run are compared.
   * @throws {CliError} kind `usage` when it belongs to another run; `output` when it cannot be
   *   written.
   */
  async claim(header: LedgerHeader): Promise<void> {
    this.check(header);
    this.#header ??= header;
    try {
      if (this.#handle !== undefined) {
        // Removes a line that a crash cut off. By name, because Windows cannot truncate a file that
        // is open to append.
        if ((await this.#handle.stat()).size > this.#size) await truncate(this.path, this.#size);
        return;
      }
      // A ledger appears together with its first line, so that an empty one is known to be damaged.
      const text = this.#line(header);
      await writeAtomically(this.path, text, 0o600);
      this.#size = Buffer.byteLength(text);
      this.#written = this.#size;
      this.#handle = await openLedger(this.path);
    } catch (error) {
      throw writeError(this.path, error);
    }
  }

  /** @throws {CliError} kind `usage` when an existing ledger belongs to another run. */
  check(header: LedgerHeader): void {
    if (this.#header !== undefined) checkHeader(this.#header, header, this.path);
  }

  /** The source of generated suffixes. */
  get seed(): string {
    return this.#header?.seed ?? '';
  }

  /** The time in milliseconds at which the ledger was created: nothing was sent before. */
  get begun(): number {
    return Date.parse(this.#header?.begun ?? '');
  }

  /** Saves the DOI of a line. Resolves when it is safe on disk: only then may it be sent. */
  async reserve(entry: ReservationEntry): Promise<void> {
    this.index.add(entry, this.#append(entry));
    await this.sync();
  }

  /** Adds the result of a line. If a crash loses it, the next run tries the line again. */
  settle(entry: ResultEntry): void {
    // A stopped run does not wait for every answer: one may arrive after the end.
    if (this.#closed) return;
    this.index.add(entry, this.#append(entry));
  }

  /** The edits of the last update of a DOI. */
  async sent(doi: string): Promise<SentEdits | undefined> {
    const offset = this.index.sentAt(doi);
    if (offset === undefined) return undefined;
    await this.#write();
    const entry = await entryAt(this.#opened(), offset);
    return entry === undefined || isReservation(entry) ? undefined : entry.sent;
  }

  isDoubtful(line: number): boolean {
    return this.index.of(line).status === LineStatus.doubtful;
  }

  /** The reserved DOI of a line that is not done. */
  async reservation(line: number): Promise<ReservationEntry | undefined> {
    const entry = await this.#read(line);
    return entry && isReservation(entry) ? entry : undefined;
  }

  async result(line: number): Promise<ResultEntry | undefined> {
    const entry = await this.#read(line);
    return entry && !isReservation(entry) ? entry : undefined;
  }

  /**
   * Resolves when all entries so far are safe on disk. Simultaneous calls share a write and an
   * fsync.
   * @throws {CliError} kind `output`, after which no entries can be added.
   */
  readonly sync: () => Promise<void> = coalesced(async () => {
    await this.#write();
    await this.#attempt((handle) => handle.datasync());
  });

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      if (this.#handle !== undefined) await this.sync();
    } finally {
      this.#closed = true;
      await this.#handle?.close();
    }
  }

  /** Closes the ledger and deletes its file. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  #line(entry: LedgerHeader | LedgerEntry): string {
    return `${this.#checksums.add(JSON.stringify(entry))}\n`;
  }

  /** @returns the offset of the entry. */
  #append(entry: LedgerEntry): number {
    if (this.#failure !== undefined) throw this.#failure;
    const text = this.#line(entry);
    const offset = this.#size;
    this.#size += Buffer.byteLength(text);
    this.#waiting.push(text);
    void this.#write().catch(() => undefined);
    return offset;
  }

  /** Writes waiting entries. Entries of the same turn of the event loop share a write. */
  readonly #write = coalesced(() =>
    this.#attempt(async (handle) => {
      const text = this.#waiting.splice(0).join('');
      if (text === '') return;
      await this.#refuseChanged(handle);
      await handle.appendFile(text);
      this.#written += Buffer.byteLength(text);
    }),
  );

  /** Runs a task on the file; after a failure, every call fails. */
  async #attempt(task: (handle: FileHandle) => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await task(this.#opened());
    } catch (error) {
      this.#failure = error instanceof CliError ? error : writeError(this.path, error);
      throw this.#failure;
    }
  }

  /**
   * @throws {CliError} kind `incomplete` when another process has changed or moved the file.
   */
  async #refuseChanged(handle: FileHandle): Promise<void> {
    const [opened, current] = await Promise.all([
      handle.stat(),
      stat(this.path).catch(() => undefined),
    ]);
    if (opened.size === this.#written && opened.ino === current?.ino) return;
    const what = current === undefined ? 'removed' : 'changed';
    throw new CliError('incomplete', `${this.path} was ${what} while this run was using it`, {
      hint: 'put it back as it was: without it, records could be created twice',
    });
  }

  #opened(): FileHandle {
    if (this.#handle === undefined) throw new Error('the ledger is not claimed');
    return this.#handle;
  }

  async #read(line: number): Promise<LedgerEntry | undefined> {
    const offset = this.index.of(line).offset;
    return offset === undefined ? undefined : entryAt(this.#opened(), offset);
  }
}

/**
 * Opens a ledger to read and to append; undefined when there is none. @throws the system's errors.
 */
async function openLedger(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The hint. With another ledger, `create` would create a second DOI for each record. */
function otherRunHint(
  name: keyof LedgerHeader,
  { command, event }: LedgerHeader,
  before = '',
): string {
  if (command !== 'create' || name !== 'event') return 'use another --ledger';
  if (event === null) return `repeat the command with --event ${before}`;
  return `to change the state of these records: doi-cli dois ${event} --file <results of that run>`;
}

function checkHeader(stored: LedgerHeader, requested: LedgerHeader, path: string): void {
  for (const name of ['command', 'baseUrl', 'account', 'event', 'change'] as const) {
    const [before, now] = [stored[name], requested[name]].map((value) => value ?? 'none');
    if (before === now) continue;
    const what = name === 'baseUrl' ? 'base URL' : name;
    throw usageError(
      `${path} belongs to a run with another ${what}: ${before}, not ${now}`,
      otherRunHint(name, requested, before),
    );
  }
}
