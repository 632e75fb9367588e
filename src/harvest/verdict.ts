import { CliError } from '../errors.ts';

/** What a walk of a whole query has counted. */
export class Tally {
  /** Records given out. */
  records = 0;
  /** Repeats left out. */
  repeats = 0;
  /** The service's totals, as the pages named them. */
  firstTotal: number | undefined;
  lastTotal: number | undefined;
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;

  addPage(page: {
    readonly count: number;
    readonly page: { readonly count: number };
    readonly total: number | undefined;
  }): void {
    this.records += page.count;
    this.repeats += page.page.count - page.count;
    const { total } = page;
    if (total === undefined) return;
    this.firstTotal ??= total;
    this.lastTotal = total;
    this.#least = Math.min(this.#least, total);
    this.#most = Math.max(this.#most, total);
  }

  /**
   * Compares the records with the service's count at the end of a walk.
   * @returns remarks for people; none when all is plain.
   * @throws {CliError} kind `incomplete` when records are missing or too many. Records that were added or hidden
   *   while the walk went on move the total, and any number between the least and the greatest is then right.
   */
  verdict(): string[] {
    const remarks: string[] = [];
    const { records, repeats, firstTotal, lastTotal } = this;
    if (repeats > 0) remarks.push(`${number(repeats)} repeated ${plural(repeats, 'record')} left out`);
    if (firstTotal === undefined || lastTotal === undefined) {
      return [...remarks, 'the service gave no total, so completeness could not be checked'];
    }
    const moved = this.#least !== this.#most;
    const expected = moved ? `${number(this.#least)} to ${number(this.#most)}` : number(lastTotal);
    if (records < this.#least) {
      throw new CliError(
        'incomplete',
        `the service counts ${expected} DOIs, but gave only ${number(records)}`,
        {
          hint: 'run it again; what was written is valid',
        },
      );
    }
    if (records > this.#most) {
      throw new CliError('incomplete', `the service counts ${expected} DOIs, but gave ${number(records)}`, {
        hint: 'run it again; what was written is valid',
      });
    }
    if (moved) {
      remarks.push(
        `the total moved from ${number(firstTotal)} to ${number(lastTotal)} DOIs during the harvest`,
      );
    }
    return remarks;
  }
}

/** A count with thousands separators: `36,409`. */
export function number(count: number): string {
  return count.toLocaleString('en-US');
}

/** `record` or `records`. */
export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
