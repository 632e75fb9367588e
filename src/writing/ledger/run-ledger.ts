import { randomBytes } from 'node:crypto';
import type { ReservationEntry, SentEdits } from './entry.ts';

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

/** The ledger of a single record, which ends with the process. */
export class MemoryLedger implements RunLedger {
  readonly seed: string = randomBytes(16).toString('hex');
  readonly begun: number;
  #reservation: ReservationEntry | undefined;

  /** @param begun the time in milliseconds. */
  constructor(begun: number) {
    this.begun = begun;
  }

  /** The DOI that was reserved for the record. */
  get reserved(): string | undefined {
    return this.#reservation?.doi;
  }

  isDoubtful(): boolean {
    return false;
  }

  async reservation(): Promise<ReservationEntry | undefined> {
    return this.#reservation;
  }

  async reserve(entry: ReservationEntry): Promise<void> {
    this.#reservation = entry;
  }

  async sent(): Promise<undefined> {
    return undefined;
  }
}
