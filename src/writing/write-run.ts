import type { Service } from '../api/service.ts';
import type { ReadContext } from '../formats/input/source.ts';
import type { Suggest } from '../text/shell-word.ts';
import type { RunLedger } from './ledger/run-ledger.ts';
import type { ListedRecords } from './listed-records.ts';

/** The parts of a command's context that reading, checking and writing records needs. */
interface RunIo extends ReadContext {
  readonly host: ReadContext['host'] & {
    readonly now: () => number;
    readonly random: () => number;
    readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  readonly options: { readonly retries: number };
  readonly redactor: { mask(text: string): string };
  readonly messages: { note(text: string): void; trace(text: string): void };
  /** A command to type next, for the same service and profile. */
  readonly suggest: Suggest;
}

/** One run of a command that writes a record, or the records of a file. */
export interface WriteRun {
  readonly io: RunIo;
  /**
   * All but `send` are dry runs. `again` follows a run that may have created the records: it does
   * not look for DOIs that exist. `offline` checks new records without credentials.
   */
  readonly mode: 'send' | 'preview' | 'again' | 'offline';
  /** Called only after a record has passed the checks that need no service. */
  readonly service: () => Promise<Service>;
  readonly ledger: RunLedger;
  /** Sends a request that changes records. */
  readonly send: <T>(request: () => Promise<T>) => Promise<T>;
  /** The lists in which some records are found without a request for each. */
  readonly listed?: ListedRecords | undefined;
  /** The number of records of a file that are processed at once, by default 1. */
  readonly jobs?: number;
  /** Whether no further record begins after a failed one. */
  readonly failFast?: boolean | undefined;
  /** Prints warnings at once; without it, only the outcome has them. */
  readonly warn?: ((text: string) => void) | undefined;
}
