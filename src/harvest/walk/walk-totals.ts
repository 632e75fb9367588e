import { CliError, toCliError } from '../../errors.ts';
import { counted, number } from '../../text/words.ts';
import type { WalkedPage } from './repeat-guard.ts';

export const RUN_AGAIN = 'run it again';

/** The totals that the pages of one walk name. */
export class Totals {
  first: number | undefined;
  last: number | undefined;
  least = Number.POSITIVE_INFINITY;
  most = Number.NEGATIVE_INFINITY;
  #missing = false;

  add(total: number | undefined): void {
    this.#missing ||= total === undefined;
    if (total === undefined) return;
    this.first ??= total;
    this.last = total;
    this.least = Math.min(this.least, total);
    this.most = Math.max(this.most, total);
  }

  /**
   * The total that every page named; undefined where they differ or one has none. Undefined also
   * for 0: failing shards say it too, and an empty list misleads most.
   */
  get agreed(): number | undefined {
    return !this.#missing && this.least === this.most ? this.most || undefined : undefined;
  }
}

/**
 * Whether records are missing: there are fewer than the service counts, or fewer than the highest
 * total that a page named. Failing shards answer with lower totals (service.md, P18), so a lower
 * count excuses only what it confirms.
 */
export function lacksRecords(records: number, most: number, count: number): boolean {
  return records !== count && records < Math.max(most, count);
}

/** The part of a list that a walk is asked for, in records; `asked` is infinite for all. */
interface Share {
  readonly before: number;
  readonly asked: number;
}

/** The records of a walk, written and left out, and the totals of its pages. */
export class WalkTotals {
  records = 0;
  repeats = 0;
  readonly #totals = new Totals();

  get lastTotal(): number | undefined {
    return this.#totals.last;
  }

  /** Counts a page of which `written` records were written. */
  addPage(
    { page, count, listTotal = page.total }: Omit<WalkedPage, 'fresh'>,
    written = count,
  ): void {
    this.records += written;
    this.repeats += page.count - count;
    this.#totals.add(listTotal);
  }

  notes(): string[] {
    return this.repeats > 0 ? [`${counted(this.repeats, 'repeated record')} left out`] : [];
  }

  /**
   * Compares the records with the service's counts at the end of a walk. Returns notes for people.
   * @param count asks for the count once more, because records that are added or hidden during the
   *   walk change the total; it is called unless all totals agree with the records.
   * @throws {CliError} kind `incomplete` when there are too few records or too many, or when no
   *   count is usable; whatever else `count` throws.
   */
  async compare(count: () => Promise<number>, share: Share): Promise<string[]> {
    const { records } = this;
    const { first, most, agreed } = this.#totals;
    const shared = (total: number) => Math.min(share.asked, Math.max(0, total - share.before));
    if (records === share.asked || (agreed !== undefined && records === shared(agreed)))
      return this.notes();
    const now = await count().catch((error: unknown) => {
      throw toCliError(error).kind === 'unexpected' ? this.#unknown(error) : error;
    });
    if (lacksRecords(records, shared(most), shared(now)) || records > shared(Math.max(most, now))) {
      throw this.#mismatch(now, share);
    }
    if (first === undefined || first === now) return this.notes();
    return [
      ...this.notes(),
      `the total moved from ${number(first)} to ${number(now)} DOIs during the harvest`,
    ];
  }

  #unknown(cause: unknown): CliError {
    const message = `the service gave no usable count (meta.total): it is unknown whether more than ${counted(this.records, 'DOI')} match`;
    return new CliError('incomplete', message, {
      hint: 'dois list --count with the same filters tells when the service counts again',
      cause,
    });
  }

  #mismatch(now: number, { asked }: Share): CliError {
    const { records } = this;
    const earlier = this.#totals.most;
    const counts =
      now >= earlier
        ? `counts ${number(now)}`
        : `first counted ${number(earlier)}, then ${number(now)}`;
    const of = Number.isFinite(asked) ? ` of the ${number(asked)} asked for` : '';
    const gave = `${records < Math.max(now, earlier) ? 'only ' : ''}${number(records)}${of}`;
    const message = [`the service ${counts} DOIs, but gave ${gave}`, ...this.notes()].join('; ');
    return new CliError('incomplete', message, { hint: RUN_AGAIN });
  }
}
