import { randomBytes } from 'node:crypto';
import type { ReservationEntry } from './entry.ts';
import type { RunLedger } from './run-ledger.ts';

/** The ledger of a run that needs none on disk: of a single record, or one that can be repeated. */
export class MemoryLedger implements RunLedger {
  readonly seed = randomBytes(16).toString('hex');
  readonly begun: number;
  /** The last reservation. */
  reserved: ReservationEntry | undefined;

  /** @param begun the present time in milliseconds. */
  constructor(begun: number) {
    this.begun = begun;
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

  async sent(): Promise<undefined> {
    return undefined;
  }
}
