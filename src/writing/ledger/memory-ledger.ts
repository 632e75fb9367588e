import { randomBytes } from 'node:crypto';
import type { ReservationEntry, ResultEntry, SentEdits } from './entry.ts';
import type { LineIndex } from './line-index.ts';
import type { RunLedger } from './run-ledger.ts';

/** The ledger of a run that needs none on disk: of a single record, or one that can be repeated. */
export class MemoryLedger implements RunLedger {
  readonly seed = randomBytes(16).toString('hex');
  readonly begun: number;
  readonly #index: LineIndex | undefined;
  readonly #earlier: Pick<RunLedger, 'sent'> | undefined;
  /** The last reservation. */
  reserved: ReservationEntry | undefined;

  /**
   * @param begun the present time in milliseconds.
   * @param index of the lines of a file.
   * @param earlier the ledger of an earlier run.
   */
  constructor(begun: number, index?: LineIndex, earlier?: Pick<RunLedger, 'sent'>) {
    this.begun = begun;
    this.#index = index;
    this.#earlier = earlier;
  }

  isDoubtful(): boolean {
    return false;
  }

  async reservation(): Promise<ReservationEntry | undefined> {
    return this.reserved;
  }

  async reserve(entry: ReservationEntry): Promise<void> {
    this.reserved = entry;
  }

  async sent(doi: string): Promise<SentEdits | undefined> {
    return this.#earlier?.sent(doi);
  }

  settle({ line, of, result }: ResultEntry): void {
    this.#index?.add({ line, of, result }, 0);
  }

  async result(): Promise<undefined> {}
}
