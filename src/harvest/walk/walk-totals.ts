import { CliError } from '../../errors.ts';
import { counted, number } from '../../text/words.ts';
import type { WalkedPage } from './repeat-guard.ts';

/** The hint for a list that stopped. */
export const RUN_AGAIN = 'run it again; what was written is valid';

/** The records of a walk over a whole query, and the service's counts of them. */
export class WalkTotals {
  /** The number of records written. */
  records = 0;
  /** The number of repeats left out. */
  repeats = 0;
  /** The service's total on the first page that has one, and on the last. */
  firstTotal: number | undefined;
  lastTotal: number | undefined;
  #highest = Number.NEGATIVE_INFINITY;

  /** Counts a page of which `written` records were written. */
  addPage({ page, count }: Pick<WalkedPage, 'page' | 'count'>, written = count): void {
    this.records += written;
    this.repeats += page.count - count;
    const { total } = page;
    if (total === undefined) return;
    this.firstTotal ??= total;
    this.lastTotal = total;
    this.#highest = Math.max(this.#highest, total);
  }

  /** What a person should know in addition to the counts. */
  notes(): string[] {
    return this.repeats > 0 ? [`${counted(this.repeats, 'repeated record')} left out`] : [];
  }

  /**
   * Compares the records with the service's counts at the end of a walk.
   * @returns notes for people.
   * @throws {CliError} kind `incomplete` when there are too few records or too many. Records that are added
   *   or hidden during the walk change the total. The least number is its first or its last value: a smaller
   *   one in between cannot excuse a loss.
   */
  compare(): string[] {
    const { records, firstTotal, lastTotal } = this;
    if (firstTotal === undefined || lastTotal === undefined) {
      return [...this.notes(), 'warning: the service gave no total, so completeness could not be checked'];
    }
    const least = Math.min(firstTotal, lastTotal);
    if (records < least || records > this.#highest) {
      const expected =
        least === this.#highest ? number(least) : `${number(least)} to ${number(this.#highest)}`;
      const gave = records < least ? `gave only ${number(records)}` : `gave ${number(records)}`;
      throw new CliError('incomplete', `the service counts ${expected} DOIs, but ${gave}`, {
        hint: RUN_AGAIN,
      });
    }
    if (firstTotal === lastTotal) return this.notes();
    const change = `the total moved from ${number(firstTotal)} to ${number(lastTotal)} DOIs during the harvest`;
    return [...this.notes(), change];
  }
}
