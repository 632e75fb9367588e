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

const UNKNOWN: KnownLine = { hash: 0n, status: LineStatus.untouched, offset: undefined };

/** The status of every line. The ledger holds the rest. */
export class LineIndex {
  readonly #lines = new Map<number, KnownLine>();
  last = 0;

  /** What is known of a line. */
  of(line: number): KnownLine {
    return this.#lines.get(line) ?? UNKNOWN;
  }

  /** @param offset where the entry begins in the ledger. */
  add(entry: LedgerEntry, offset: number): void {
    const { line, of } = entry;
    const status = isFixed(entry) ? LineStatus.doubtful : statusOf(entry);
    // A line that is not done may be sent again, with the DOI that it has.
    const isKept = isFixed(entry) || status >= LineStatus.done;
    this.#set(line, { hash: BigInt(`0x${of}`), status, offset: isKept ? offset : this.of(line).offset });
  }

  setHash(line: number, hash: bigint): void {
    this.#set(line, { ...this.of(line), hash });
  }

  /** Lets a line that was done be carried out again: it says something else now. */
  forget(line: number): void {
    this.#lines.delete(line);
  }

  #set(line: number, known: KnownLine): void {
    this.#lines.set(line, known);
    this.last = Math.max(this.last, line);
  }
}

function statusOf({ result: { outcome, errors }, doubt }: ResultEntry): LineStatus {
  if (doubt) return LineStatus.doubtful;
  if (outcome === 'failed') return LineStatus.failed;
  return errors.length > 0 ? LineStatus.wrong : LineStatus.done;
}
