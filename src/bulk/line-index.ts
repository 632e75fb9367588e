import type { LineResult } from './entry.ts';

/** The status of a line in the ledger. */
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

/**
 * The status of every line, in 25 bytes each, so that a file may have any length. Everything else is in the
 * ledger; the index holds the offsets.
 */
export class LineIndex {
  #hashes = new BigUint64Array(1024);
  /** Offsets in the ledger plus 1, so that 0 means none. */
  #fixed = new Float64Array(1024);
  #results = new Float64Array(1024);
  #states = new Uint8Array(1024);
  /** The highest line number. */
  last = 0;

  status(line: number): LineStatus {
    return (this.#states[line] ?? LineStatus.untouched) as LineStatus;
  }

  /** Of the line's bytes, see {@link hashOf}. */
  hash(line: number): bigint {
    return this.#hashes[line] ?? 0n;
  }

  /** The offset of the line's DOI in the ledger; undefined when it has none. */
  fixedAt(line: number): number | undefined {
    return this.#fixed[line] ? this.#fixed[line] - 1 : undefined;
  }

  /** The offset of the line's result in the ledger; undefined when it has none. */
  resultAt(line: number): number | undefined {
    return this.#results[line] ? this.#results[line] - 1 : undefined;
  }

  /** Records the DOI of a line, which may be sent from now on. */
  setFixed(line: number, hash: bigint, offset: number): void {
    this.setHash(line, hash);
    this.#fixed[line] = offset + 1;
    this.#states[line] = LineStatus.doubtful;
  }

  setResult(line: number, hash: bigint, offset: number, result: LineResult, doubt: boolean): void {
    this.setHash(line, hash);
    this.#results[line] = offset + 1;
    this.#states[line] = statusOf(result, doubt);
  }

  setHash(line: number, hash: bigint): void {
    if (line >= this.#hashes.length) this.#grow(line);
    this.#hashes[line] = hash;
    this.last = Math.max(this.last, line);
  }

  #grow(line: number): void {
    const length = Math.max(line + 1, this.#hashes.length * 2);
    const grown = <T extends Float64Array | BigUint64Array | Uint8Array>(old: T, made: T): T => {
      (made as { set(from: T): void }).set(old);
      return made;
    };
    this.#hashes = grown(this.#hashes, new BigUint64Array(length));
    this.#fixed = grown(this.#fixed, new Float64Array(length));
    this.#results = grown(this.#results, new Float64Array(length));
    this.#states = grown(this.#states, new Uint8Array(length));
  }
}

function statusOf({ outcome, errors }: LineResult, doubt: boolean): LineStatus {
  if (doubt) return LineStatus.doubtful;
  if (outcome === 'failed') return LineStatus.failed;
  return errors.length > 0 ? LineStatus.wrong : LineStatus.done;
}
