import { CliError } from '../../errors.ts';
import { counted, number } from '../../text/words.ts';
import type { WalkedPage } from './repeat-guard.ts';

export const RUN_AGAIN = 'run it again; what was written is valid';

/** The records of a walk over a whole query, written and left out, and the service's counts of them. */
export class WalkTotals {
  records = 0;
  repeats = 0;
  /** On the first page that has a total, and on the last. */
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
   * Compares the records with the service's counts at the end of a walk. Returns notes for people.
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
    const most = this.#highest;
    if (records < least || records > most) {
      const expected = least === most ? number(least) : `${number(least)} to ${number(most)}`;
      const gave = `${records < least ? 'only ' : ''}${number(records)}`;
      throw new CliError('incomplete', `the service counts ${expected} DOIs, but gave ${gave}`, {
        hint: RUN_AGAIN,
      });
    }
    if (firstTotal === lastTotal) return this.notes();
    const change = `the total moved from ${number(firstTotal)} to ${number(lastTotal)} DOIs during the harvest`;
    return [...this.notes(), change];
  }
}
