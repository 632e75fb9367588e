import { hash } from 'node:crypto';
import { same } from '../../api/record-match.ts';
import type { Problem } from '../../errors.ts';
import { isObject, type JsonObject, jsonIn, type Path, pathText } from '../../text/json-values.ts';

/** The commands for one record or many, each with the outcome of a record. */
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

/** The outcomes of a line: `unchanged` needs no request, and `valid` is for dry runs. */
export const OUTCOMES = [...Object.values(OUTCOME_OF), 'unchanged', 'valid', 'failed'] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

/** A value that a request changes. */
export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The changes that an update makes to a record's attributes, as single values. */
export function changesOf(before: JsonObject, sent: JsonObject): readonly Change[] {
  return Object.entries(sent).flatMap(([name, after]) => changesAt([name], before[name], after));
}

function changesAt(path: Path, before: unknown, after: unknown): Change[] {
  if (same(before, after)) return [];
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === undefined || now === undefined || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path: pathText(path), before: before ?? undefined, after: after ?? undefined }];
  }
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((step) =>
    changesAt([...path, step], old.get(step), now.get(step)),
  );
}

function membersOf(value: unknown): Map<string | number, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.entries());
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** The changes in JSON output: null where there is no value. */
export function changesMember(changes: readonly Change[]): readonly Change[] {
  return changes.map(({ path, before = null, after = null }) => ({ path, before, after }));
}

/** A change as a diff: a line for the old value and one for the new. null counts as absent. */
export function changeText({ path, before, after }: Change): string {
  const line = (sign: string, value: unknown) =>
    value === undefined || value === null ? '' : `${sign} ${path}: ${JSON.stringify(value)}\n`;
  return line('-', before) + line('+', after);
}

/** The edits of an update in the ledger. */
export interface SentEdits {
  /** The version that was edited: its exported text or time of last update, as in the file. */
  readonly base: string;
  /** The edited attributes, as in the file. */
  readonly mine?: JsonObject | undefined;
  /** The time of the update itself. */
  readonly updated?: string | undefined;
}

/** The result of a line, as it is printed and kept in the ledger. */
export interface LineResult {
  readonly line: number;
  /** The file of the record, where each record is a file. */
  readonly file?: string | undefined;
  /** Null when no DOI was chosen. */
  readonly doi: string | null;
  /** The state of the DOI; null when it is not known. */
  readonly state: string | null;
  /** The time at which the service returned that state; ISO 8601, UTC. Absent without a state. */
  readonly asOf?: string | undefined;
  readonly outcome: OutcomeName;
  readonly changes?: readonly Change[] | undefined;
  /** Empty on success. A record that was `created` in a state other than requested has an error. */
  readonly errors: readonly Problem[];
  /** Values that the service drops without an error; absent where it drops nothing. */
  readonly dropped?: readonly Problem[];
  /** Other doubtful values that were sent; absent if there are none. */
  readonly warnings?: readonly Problem[];
}

/** The first line of a ledger, which identifies its run. */
export interface LedgerHeader {
  readonly format: 'doi-cli bulk ledger';
  readonly version: 2;
  readonly command: WriteCommand;
  readonly baseUrl: string;
  /** The repository account, in lower case. */
  readonly account: string;
  readonly event: string | null;
  /** The other options that change all lines, such as `--set`; absent if there are none. */
  readonly change?: string | undefined;
  /** Random source of generated suffixes: a line whose entries are lost gets the same DOI again. */
  readonly seed: string;
  /** The time at which the ledger was created; ISO 8601, UTC. */
  readonly begun: string;
}

/** The DOI of a line, saved before it is sent: from then on the record may exist. */
export interface ReservationEntry {
  readonly line: number;
  /** The hash of the line, see {@link hashOf}. */
  readonly of: string;
  readonly doi: string;
  /** Whether the suffix was generated, so that another one may replace it. */
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

/** The memory of a run about its lines: on disk for a file, in memory for a single record. */
export interface RunLedger {
  /** The source of generated suffixes. */
  readonly seed: string;
  /** The time in milliseconds at which the ledger was created: nothing was sent before. */
  readonly begun: number;
  /** Whether the record of a line may exist, without a known result. */
  isDoubtful(line: number): boolean;
  /** The reserved DOI of a line that is not done. */
  reservation(line: number): Promise<ReservationEntry | undefined>;
  /** Reserves the DOI of a line, which may be sent only after this has resolved. */
  reserve(entry: ReservationEntry): Promise<void>;
  /** The edits of the last update of a DOI. */
  sent(doi: string): Promise<SentEdits | undefined>;
}

/** The first 64 bits of the SHA-256 of a line's bytes, without its line break. */
export function hashOf(bytes: Buffer): bigint {
  return hash('sha256', bytes, 'buffer').readBigUInt64BE();
}

export const hashText = (value: bigint): string => value.toString(16).padStart(16, '0');

/** The checksums of a ledger's lines. Each covers all lines before it, and so shows any change. */
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

/** Empty for text that is not an object: an incomplete line, or a file that is not a ledger. */
function objectIn(text: string): JsonObject {
  const value = jsonIn(text);
  return isObject(value) ? value : {};
}

export const LineStatus = {
  untouched: 0,
  /** Possibly sent, without a known result. */
  doubtful: 1,
  /** Refused, or never received by the service. */
  failed: 2,
  done: 3,
  /** Done, but not as requested, for example in another state. */
  wrong: 4,
} as const;
export type LineStatus = (typeof LineStatus)[keyof typeof LineStatus];

interface KnownLine {
  readonly hash: bigint;
  readonly status: LineStatus;
  /** The offset of its result, or else of its reservation, in the ledger. */
  readonly offset: number | undefined;
}

/**
 * The status of every line, in 17 bytes each: a file may have any length. Results and sent edits
 * stay in the ledger.
 */
export class LineIndex {
  #hashes = new BigUint64Array(1024);
  /** 0 means no entry: the header is at offset 0. */
  #offsets = new Float64Array(1024);
  #statuses = new Uint8Array(1024);
  /** The offset of the last entry with sent edits, by DOI in lower case. */
  readonly #sent = new Map<string, number>();
  last = 0;

  of(line: number): KnownLine {
    return {
      hash: this.#hashes[line] ?? 0n,
      status: (this.#statuses[line] ?? LineStatus.untouched) as LineStatus,
      offset: this.#offsets[line] || undefined,
    };
  }

  /** @param offset of the entry in the ledger. */
  add(entry: LedgerEntry, offset: number): void {
    const { line, of } = entry;
    this.setHash(line, BigInt(`0x${of}`));
    const status = isReservation(entry) ? LineStatus.doubtful : statusOf(entry);
    this.#statuses[line] = status;
    // A line that is not done keeps its reservation, to be sent again with the same DOI.
    if (isReservation(entry) || status >= LineStatus.done) this.#offsets[line] = offset;
    if (!isReservation(entry) && entry.sent !== undefined) {
      this.#sent.set(String(entry.result.doi).toLowerCase(), offset);
    }
  }

  /** The offset of the last entry with sent edits of a DOI. */
  sentAt(doi: string): number | undefined {
    return this.#sent.get(doi.toLowerCase());
  }

  /** Marks a line as not done, because its text has changed. */
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
