import type { ReservationEntry, ResultEntry, SentEdits } from './entry.ts';

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
  /** Adds the result of a line. */
  settle(entry: ResultEntry): void;
  /** The result of a line that an earlier run has done. */
  result(line: number): Promise<ResultEntry | undefined>;
}
