import { isFixed, type LedgerEntry, type ResultEntry } from './entry.ts';

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
 * The status of every line, in 17 bytes each: a file may have any length. The ledger holds the rest, and what was sent of
 * each DOI.
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
    const status = isFixed(entry) ? LineStatus.doubtful : statusOf(entry);
    this.#statuses[line] = status;
    // A line that is not done may be sent again, with the DOI that it has.
    if (isFixed(entry) || status >= LineStatus.done) this.#offsets[line] = offset;
    if (!isFixed(entry) && entry.sent !== undefined) {
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
