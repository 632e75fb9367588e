import { isReservation, type LedgerEntry, type ResultEntry } from './entry.ts';

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

  /** A line, and the offset of its result, or else of its reservation, in the ledger. */
  of(line: number) {
    return {
      hash: this.#hashes[line] ?? 0n,
      status: (this.#statuses[line] ?? LineStatus.untouched) as LineStatus,
      offset: this.#offsets[line] || undefined,
    };
  }

  /** The number of lines that are done. */
  get done(): number {
    return this.#statuses.filter((status) => status >= LineStatus.done).length;
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
