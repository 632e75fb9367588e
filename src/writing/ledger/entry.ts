import { hash } from 'node:crypto';
import type { Problem } from '../../errors.ts';
import { isObject, type JsonObject, jsonIn } from '../../text/json-values.ts';

/** The commands that take one record or many, and what becomes of a record. */
export const OUTCOME_OF = {
  create: 'created',
  update: 'updated',
  publish: 'published',
  register: 'registered',
  hide: 'hidden',
  delete: 'deleted',
  transfer: 'transferred',
} as const;
export type WriteCommand = keyof typeof OUTCOME_OF;

/** What became of a line; `unchanged` is one that was as asked before, `valid` one of a dry run. */
export const OUTCOMES = [...Object.values(OUTCOME_OF), 'unchanged', 'valid', 'failed'] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

/** One value that a request changes. */
export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What the ledger remembers of an update. */
export interface SentEdits {
  /**
   * What it was sent from: the text of what was exported, or the time of the last update, as the
   * file has it.
   */
  readonly base: string;
  /** The attributes that were edited, as the file had them. */
  readonly mine?: JsonObject | undefined;
  /** The time of the update itself. */
  readonly updated?: string | undefined;
}

/** The result of one line, as it is printed and kept in the ledger. */
export interface LineResult {
  readonly line: number;
  /** Where the records are files of a folder, the file. */
  readonly file?: string | undefined;
  /** Null when no DOI was chosen. */
  readonly doi: string | null;
  /** Of the DOI; null when it is not known. */
  readonly state: string | null;
  /** The time at which the service gave that state; ISO 8601, UTC. Absent without a state. */
  readonly asOf?: string | undefined;
  readonly outcome: OutcomeName;
  readonly changes?: readonly Change[] | undefined;
  /** Empty on success. A record may be `created`, but in another state than the one asked for. */
  readonly errors: readonly Problem[];
  /** What the service drops of the record without an error; absent where it drops nothing. */
  readonly dropped?: readonly Problem[];
  /** What else was sent although it should be different; absent if nothing. */
  readonly warnings?: readonly Problem[];
}

/** The first line of a ledger: the run that it belongs to. */
export interface LedgerHeader {
  readonly format: 'doi-cli bulk ledger';
  readonly version: 2;
  readonly command: WriteCommand;
  readonly baseUrl: string;
  /** The repository account, in lower case. */
  readonly account: string;
  readonly event: string | null;
  /** What else the command line asks of all lines, such as its `--set`; absent if nothing. */
  readonly change?: string | undefined;
  /**
   * Random. The suffixes of its DOIs are made from it, so that a line whose entries are lost gets
   * the same.
   */
  readonly seed: string;
  /** The time at which the ledger was made; ISO 8601, UTC. */
  readonly begun: string;
}

/** The DOI of a line, saved before it is sent: from here on the record may exist. */
export interface ReservationEntry {
  readonly line: number;
  /** The hash of the line, see {@link hashOf}. */
  readonly of: string;
  readonly doi: string;
  /** Whether we generated the suffix, so that another one is as good. */
  readonly generated: boolean;
  /** The time just before it was first sent; ISO 8601, UTC. */
  readonly at: string;
}

export interface ResultEntry {
  readonly line: number;
  readonly of: string;
  readonly result: LineResult;
  /** Whether the record may exist although it failed. */
  readonly doubt?: true | undefined;
  readonly sent?: SentEdits | undefined;
}

export type LedgerEntry = ReservationEntry | ResultEntry;

/** The first 64 bits of the SHA-256 of a line's bytes, without its line break. */
export function hashOf(bytes: Buffer): bigint {
  return hash('sha256', bytes, 'buffer').readBigUInt64BE();
}

export const hashText = (value: bigint): string => value.toString(16).padStart(16, '0');

/**
 * The checksums of a ledger's lines. Each covers all before it, so that an altered or moved line
 * shows.
 */
export class Checksums {
  #last = '';

  /** Adds a checksum to the JSON of the next line. */
  add(json: string): string {
    this.#last = hashText(hashOf(Buffer.from(this.#last + json)));
    return `${json.slice(0, -1)},"check":"${this.#last}"}`;
  }

  /** Whether a text is the next line, as {@link add} wrote it. */
  accept(text: string): boolean {
    const [, json] = /^(.*),"check":"[0-9a-f]{16}"}$/s.exec(text) ?? [];
    return json !== undefined && this.add(`${json}}`) === text;
  }
}

/** Parses a line of a ledger whose checksum is right; undefined when the text was cut off. */
export function parseEntry(text: string): LedgerEntry | undefined {
  const { check, ...entry } = objectIn(text);
  return check === undefined ? undefined : (entry as unknown as LedgerEntry);
}

/** Parses the first line of a ledger; undefined when the text is not a header of this version. */
export function parseHeader(text: string): LedgerHeader | undefined {
  const value = objectIn(text);
  const isHeader = value['format'] === 'doi-cli bulk ledger' && value['version'] === 2;
  return isHeader ? (value as unknown as LedgerHeader) : undefined;
}

export function isReservation(entry: LedgerEntry): entry is ReservationEntry {
  return !('result' in entry);
}

/** Empty for other text: the line was cut off by a crash, or the file is not a ledger. */
function objectIn(text: string): JsonObject {
  const value = jsonIn(text);
  return isObject(value) ? value : {};
}

export const LineStatus = {
  untouched: 0,
  /** It may have been sent, and its result is not known. */
  doubtful: 1,
  /** It was refused, or did not reach the service. */
  failed: 2,
  done: 3,
  /** Done, but not as asked, for instance in another state. */
  wrong: 4,
} as const;
export type LineStatus = (typeof LineStatus)[keyof typeof LineStatus];

interface KnownLine {
  readonly hash: bigint;
  readonly status: LineStatus;
  /** Where its result, or else its DOI, begins in the ledger; undefined for neither. */
  readonly offset: number | undefined;
}

/**
 * The status of every line, in 17 bytes each: a file may have any length. The ledger holds the
 * rest, and what was sent of each DOI.
 */
export class LineIndex {
  #hashes = new BigUint64Array(1024);
  /** 0 means none, because the header is there. */
  #offsets = new Float64Array(1024);
  #statuses = new Uint8Array(1024);
  /** By DOI in lower case: where the last entry begins that says what was sent. */
  readonly #sent = new Map<string, number>();
  last = 0;

  /** What is known of a line. */
  of(line: number): KnownLine {
    return {
      hash: this.#hashes[line] ?? 0n,
      status: (this.#statuses[line] ?? LineStatus.untouched) as LineStatus,
      offset: this.#offsets[line] || undefined,
    };
  }

  /** @param offset where the entry begins in the ledger. */
  add(entry: LedgerEntry, offset: number): void {
    const { line, of } = entry;
    this.setHash(line, BigInt(`0x${of}`));
    const status = isReservation(entry) ? LineStatus.doubtful : statusOf(entry);
    this.#statuses[line] = status;
    // A line that is not done may be sent again, with the DOI that it has.
    if (isReservation(entry) || status >= LineStatus.done) this.#offsets[line] = offset;
    if (!isReservation(entry) && entry.sent !== undefined) {
      this.#sent.set(String(entry.result.doi).toLowerCase(), offset);
    }
  }

  /** Where the last entry begins that says what was sent of a DOI. */
  sentAt(doi: string): number | undefined {
    return this.#sent.get(doi.toLowerCase());
  }

  /** Lets a line that was done be carried out again: it says something else now. */
  forget(line: number): void {
    this.#statuses[line] = LineStatus.untouched;
    this.#offsets[line] = 0;
  }

  setHash(line: number, hash: bigint): void {
    if (line >= this.#hashes.length) {
      this.#hashes = copied(this.#hashes, new BigUint64Array(line * 2));
      this.#offsets = copied(this.#offsets, new Float64Array(line * 2));
      this.#statuses = copied(this.#statuses, new Uint8Array(line * 2));
    }
    this.#hashes[line] = hash;
    this.last = Math.max(this.last, line);
  }
}

function copied<T extends { set(values: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

function statusOf({ result: { outcome, errors }, doubt }: ResultEntry): LineStatus {
  if (doubt) return LineStatus.doubtful;
  if (outcome === 'failed') return LineStatus.failed;
  return errors.length > 0 ? LineStatus.wrong : LineStatus.done;
}
