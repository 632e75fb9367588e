import { CliError } from '../../errors.ts';
import { number, plural } from '../../text/words.ts';
import type { WalkedPage } from './repeat-guard.ts';

/** What a walk of a whole query has counted. */
export class Tally {
  /** Records given out. */
  records = 0;
  /** Repeats left out. */
  repeats = 0;
  /** The service's totals, as the pages named them. */
  firstTotal: number | undefined;
  lastTotal: number | undefined;
  #most = Number.NEGATIVE_INFINITY;

  /** Counts a page of which so many records were written. */
  addPage({ page, count }: Pick<WalkedPage, 'page' | 'count'>, written = count): void {
    this.records += written;
    this.repeats += page.count - count;
    const { total } = page;
    if (total === undefined) return;
    this.firstTotal ??= total;
    this.lastTotal = total;
    this.#most = Math.max(this.#most, total);
  }

  /** What is worth saying beside the numbers; none when all is plain. */
  remarks(): string[] {
    const { repeats } = this;
    return repeats > 0 ? [`${number(repeats)} repeated ${plural(repeats, 'record')} left out`] : [];
  }

  /**
   * Compares the records with the service's count at the end of a walk.
   * @returns remarks for people.
   * @throws {CliError} kind `incomplete` when records are missing or too many. Records that were added or hidden while
   *   the walk went on move the total: what counts is its first and its last value, and no page in between can
   *   excuse a loss by naming a smaller one.
   */
  verdict(): string[] {
    const { records, firstTotal, lastTotal } = this;
    if (firstTotal === undefined || lastTotal === undefined) {
      return [...this.remarks(), 'warning: the service gave no total, so completeness could not be checked'];
    }
    const least = Math.min(firstTotal, lastTotal);
    if (records < least || records > this.#most) {
      const expected = least === this.#most ? number(least) : `${number(least)} to ${number(this.#most)}`;
      const gave = records < least ? `gave only ${number(records)}` : `gave ${number(records)}`;
      throw new CliError('incomplete', `the service counts ${expected} DOIs, but ${gave}`, {
        hint: RUN_AGAIN,
      });
    }
    if (firstTotal === lastTotal) return this.remarks();
    const moved = `the total moved from ${number(firstTotal)} to ${number(lastTotal)} DOIs during the harvest`;
    return [...this.remarks(), moved];
  }
}

/** The hint for a harvest that stopped. */
export const RUN_AGAIN = 'run it again; what was written is valid';
