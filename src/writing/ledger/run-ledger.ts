import { randomBytes } from 'node:crypto';
import type { ReservationEntry, SentEdits } from './entry.ts';

/** What a run remembers of its lines: on disk for a file of them, in memory for one record. */
export interface RunLedger {
  /** What the suffixes of new DOIs are made from. */
  readonly seed: string;
  /** The time in milliseconds before which nothing was sent. */
  readonly begun: number;
  /** Whether the record of a line may exist although its result is not known. */
  isDoubtful(line: number): boolean;
  /** The DOI that is reserved for a line that is not done. */
  reservation(line: number): Promise<ReservationEntry | undefined>;
  /** Reserves the DOI of a line. Only when it resolves, the DOI may be sent. */
  reserve(entry: ReservationEntry): Promise<void>;
  /** What was sent of a DOI by the last update. */
  sent(doi: string): Promise<SentEdits | undefined>;
}

/** What the run of one record remembers, which ends with the process. */
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
