import type { Problem } from '../../errors.ts';
import { isObject, type JsonObject, jsonIn } from '../../text/json-values.ts';
import type { Change } from './changes.ts';
import type { OutcomeName, WriteCommand } from './outcome.ts';

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

/** A line of a file; a single record is the only line of a run. */
export interface LineTask {
  readonly line: number;
  /** The hash of the line, see `hashOf`. */
  readonly of: string;
}

/** A DOI that is saved before it is sent: from then on the record may exist. */
export interface ReservedDoi {
  readonly doi: string;
  /** Whether the suffix was generated, so that another one may replace it. */
  readonly generated: boolean;
  /** The time just before it was first sent; ISO 8601, UTC. */
  readonly at: string;
}

export interface ReservationEntry extends LineTask, ReservedDoi {}

export interface ResultEntry extends LineTask {
  readonly result: LineResult;
  /** Whether the record may exist although it failed. */
  readonly doubt?: true | undefined;
  readonly sent?: SentEdits | undefined;
}

export type LedgerEntry = ReservationEntry | ResultEntry;

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
