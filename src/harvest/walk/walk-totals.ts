import { CliError, toCliError } from '../../errors.ts';
import { counted, number } from '../../text/words.ts';
import type { WalkedPage } from './repeat-guard.ts';

export const RUN_AGAIN = 'run it again';

/** The totals on the pages of one walk. */
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
   * The total, if all pages have the same. 0 is never trusted: failing shards report it.
   */
  get agreed(): number | undefined {
    return !this.#missing && this.least === this.most ? this.most || undefined : undefined;
  }
}

/**
 * Whether records are missing: there are fewer than the service counts, or fewer than the highest
 * total of a page. Failing shards answer with lower totals (service.md, P18), so that a lower count
 * is believed only if it is exactly the number of records.
 */
export function lacksRecords(records: number, most: number, count: number): boolean {
  return records !== count && records < Math.max(most, count);
}

/** The part of a list to walk, in records; `asked` is infinite for the whole list. */
interface Share {
  readonly before: number;
  readonly asked: number;
}

/** Counts the records of a walk, written and left out, and compares them with the totals. */
export class WalkTotals {
  records = 0;
  repeats = 0;
  readonly #totals = new Totals();
  /** The noun for a record in messages. */
  readonly noun: string;

  constructor(noun = 'DOI') {
    this.noun = noun;
  }

  get lastTotal(): number | undefined {
    return this.#totals.last;
  }

  /** Counts a page, of which `written` records were written. */
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
   * @param count counts once more, because records that are added or hidden during the walk change
   *   the total; not called if all totals agree with the records.
   * @throws {CliError} kind `incomplete` for too few or too many records, and without a usable
   *   count; what else `count` throws.
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
      `the total moved from ${number(first)} to ${number(now)} ${this.noun}s during the harvest`,
    ];
  }

  #unknown(cause: unknown): CliError {
    const unknown = `whether more than ${counted(this.records, this.noun)} match`;
    const message = 'the service gave no usable count (meta.total): it is unknown';
    return new CliError('incomplete', `${message} ${unknown}`, {
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
    const message = [`the service ${counts} ${this.noun}s, but gave ${gave}`, ...this.notes()].join(
      '; ',
    );
    return new CliError('incomplete', message, { hint: RUN_AGAIN });
  }
}
