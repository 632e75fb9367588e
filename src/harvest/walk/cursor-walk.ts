import { WebPage } from '../../api/http/body.ts';
import type { SmallerPages } from '../../api/http/http.ts';
import { NetworkError, TooLarge } from '../../api/http/network-error.ts';
import { nextCursor } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { Page } from '../page/page.ts';
import { incomplete, NO_LIST, ONLY_REPEATS, RecentSet, type RepeatGuard } from './repeat-guard.ts';
import type { SkippedRecord, WalkState, WalkStep } from './walk-step.ts';
import { lacksRecords, Totals } from './walk-totals.ts';

/** A contradictory answer is accepted after this many further requests. */
export const MAX_REPEATED_REQUESTS = 4;
// In a row, from the latest record.
const MAX_RESTARTS = 4;
// A window has far fewer pages; a walk without windows may have more.
const REMEMBERED_CURSORS = 20_000;
// Pages without new records that may follow a start over: a bulk import may create many records at
// one instant (service.md, P6).
const PAGES_OF_TIES = 20;
// For pages that keep failing: their records may be very large (service.md, E9).
const SMALLER_SIZES = [250, 50, 10, 1];
// As long as a smaller page may succeed.
const RETRIES_BEFORE_SMALLER = 2;
// Good pages in a row before a larger one is requested again.
const GROW_AFTER_PAGES = 2;
// The same after a page that was too large: pages near it may be as large, and it cost a transfer.
const GROW_AFTER_TOO_LARGE_PAGES = 20;

export interface PageRequest extends Pick<WalkState, 'restart'> {
  readonly cursor: string;
  readonly size: number;
  readonly retries: number | undefined;
}

interface WalkPort {
  /** Undefined to try all smaller sizes. */
  readonly smallerPages?: SmallerPages | undefined;
  /**
   * Fetches a page. @returns it, the URL of its request, and `narrowed` if the walk ends earlier
   * than in the request before.
   */
  fetch(
    request: PageRequest,
  ): Promise<{ readonly page: Page; readonly url: URL; readonly narrowed?: boolean }>;
  /**
   * The next page of a list that is walked by its links; null at the end. A page with a link is
   * full then, whatever size was requested.
   */
  next?(page: Page, url: URL): string | null;
  /** Counts the records of the whole walk. Without it, the highest total of a page is used. */
  count?(): Promise<number>;
  /**
   * Skips a record that cannot be fetched even alone; undefined when no record is left. A walk that
   * can skip also starts over where a cursor leads back. Without it, the walk fails after the
   * records before the failure.
   */
  skip?(state: WalkState, cause: CliError): Promise<SkippedRecord | undefined>;
}

interface PageCheck {
  /** The cursor of the next page; null at the end, or if the link is wrong. */
  readonly next: string | null;
  /** Whether the answer may be wrong, so that the request is repeated. */
  readonly doubt: boolean;
  readonly failure?: CliError;
}

/** The walk can neither continue nor start over: the window must be fetched again. */
export class CannotResume extends CliError {
  constructor(cause: CliError) {
    super('incomplete', cause.message, { cause });
    this.name = 'CannotResume';
  }
}

/** A walk along a cursor, page by page. Pages that keep failing are replaced by smaller pages. */
export class CursorWalk {
  readonly #port: WalkPort;
  readonly #guard: RepeatGuard;
  readonly #sizes: PageSizes;
  #state: WalkState;
  #cursors = new RecentSet(REMEMBERED_CURSORS);
  // The totals of the answers since the walk began or started over.
  #totals = new Totals();
  // The number of records on a full page: the service's limit may be lower than the size requested.
  #fullPage = Number.POSITIVE_INFINITY;
  // In a row: repeated requests, starts over, pages without new records.
  #repeats = 0;
  #restarts = 0;
  #ties = 0;
  #ended = false;
  #failure: CliError | undefined;

  constructor(port: WalkPort, guard: RepeatGuard, pageSize: number, start: WalkState) {
    this.#port = port;
    this.#guard = guard;
    this.#sizes = new PageSizes(pageSize);
    this.#state = start;
  }

  /** The pages and gaps. A page is requested only when the step before it has been used. */
  async *steps(): AsyncGenerator<WalkStep> {
    while (!this.#ended) {
      const step = await this.#next();
      if (step !== undefined) yield step;
      if (this.#failure !== undefined) throw this.#failure;
    }
  }

  /** Sends one request. Returns undefined if the walk has ended, or must send another request. */
  async #next(): Promise<WalkStep | undefined> {
    const { cursor, restart } = this.#state;
    const { size } = this.#sizes;
    const request = {
      cursor: cursor ?? '1',
      restart,
      size,
      retries: size > 1 ? RETRIES_BEFORE_SMALLER : undefined,
    };
    this.#cursors.add(request.cursor);
    try {
      const { page, url, narrowed = false } = await this.#port.fetch(request);
      if (narrowed) this.#totals = new Totals();
      return this.#accept(page, await this.#checkPage(page, url, size));
    } catch (error) {
      const { most, onAsk } = this.#port.smallerPages ?? ALL_SIZES;
      if (!mayNeedSmallerPage(error) || (size > 1 && this.#sizes.shrunk >= most)) throw error;
      this.#sizes.shrink(
        error.cause instanceof TooLarge ? GROW_AFTER_TOO_LARGE_PAGES : GROW_AFTER_PAGES,
      );
      if (size === 1) return this.#skip(error);
      onAsk(this.#sizes.size, error.message);
      return undefined;
    }
  }

  async #checkPage(page: Page, url: URL, size: number): Promise<PageCheck> {
    try {
      if (page.kind !== 'list') throw incomplete(NO_LIST);
      this.#totals.add(page.total);
      const { next: follow } = this.#port;
      const next = follow ? follow(page, url) : nextCursor(page.envelope['links'], url);
      if (next === null) return { next, doubt: await this.#endsEarly(page) };
      if (page.count === 0) throw incomplete('an empty page links to a further one');
      if (!this.#cursors.has(next))
        return { next, doubt: !follow && page.count < Math.min(size, this.#fullPage) };
      return {
        next,
        doubt: true,
        failure: incomplete('the service sent a cursor for the second time'),
      };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { next: null, doubt: true, failure: error };
    }
  }

  /** Failing shards answer with too few records. */
  async #endsEarly(page: Page): Promise<boolean> {
    const records = this.#state.received + page.count;
    const { most, agreed } = this.#totals;
    if (this.#port.count === undefined || records === agreed) return records < most;
    // The end cannot be checked without a count; the caller reports that.
    const count = await this.#port.count().catch(() => undefined);
    return lacksRecords(records, most, count ?? most);
  }

  #accept(page: Page, check: PageCheck): WalkStep | undefined {
    const { next, failure } = check;
    // A wrong link ends a walk that cannot start over: a link to another host is no accident.
    const doubt =
      check.doubt && (failure === undefined || page.count === 0 || this.#port.skip !== undefined);
    // A page of known records means that the cursor leads back: a repeat would have the same page.
    if (
      doubt &&
      this.#repeats < MAX_REPEATED_REQUESTS &&
      (next === null || !this.#guard.knows(page))
    ) {
      this.#repeats += 1;
      return undefined;
    }
    // From now on the page is accepted: the end of the walk finds a wrong count, and a wrong link
    // leads nowhere.
    const isAcceptedInDoubt = doubt && this.#repeats === MAX_REPEATED_REQUESTS;
    if (next !== null && isAcceptedInDoubt) this.#fullPage = Math.max(1, page.count);
    this.#repeats = 0;
    if (this.#port.skip === undefined) return this.#take(page, check);
    if (next === null && failure !== undefined) throw failure;
    try {
      if (failure !== undefined) throw failure;
      return this.#take(page, check);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#startOver(error);
      return undefined;
    }
  }

  /**
   * Takes the records of a page. A failure of its link is thrown after they have been used.
   * @throws {CliError} kind `incomplete` when the page shows that the cursor leads back.
   */
  #take(page: Page, { next, failure }: PageCheck): WalkStep {
    const walked = this.#guard.check(page);
    const { restart, after, received } = this.#state;
    const { latest } = this.#guard;
    // At the end, a page without new records is a repeat like others.
    const isEnd = next === null && failure === undefined;
    this.#ties = !isEnd && page.count > 0 && walked.count === 0 ? this.#ties + 1 : 0;
    if (this.#ties > (restart !== null && restart === latest ? PAGES_OF_TIES : 0)) {
      throw incomplete(ONLY_REPEATS);
    }
    if (walked.count > 0) this.#restarts = 0;
    this.#sizes.grow();
    this.#ended = next === null;
    this.#failure = failure;
    // After a start over, the service counts the records of that instant again.
    const counted = restart === null ? walked.count : page.count;
    const last = page.id(page.count - 1) ?? after;
    this.#state = { cursor: next, restart, after: last, received: received + counted };
    return { page: walked, position: { cursor: next, restart, latest } };
  }

  #startOver(cause: CliError): void {
    const { latest } = this.#guard;
    if (latest === null || this.#restarts >= MAX_RESTARTS) throw new CannotResume(cause);
    this.#restarts += 1;
    this.#ties = 0;
    this.#cursors = new RecentSet(REMEMBERED_CURSORS);
    this.#totals = new Totals();
    const restart = Math.max(latest, this.#state.restart ?? latest);
    this.#state = { ...this.#state, cursor: null, restart, received: 0 };
  }

  async #skip(cause: CliError): Promise<WalkStep | undefined> {
    if (this.#port.skip === undefined) throw cause;
    const skipped = await this.#port.skip(this.#state, cause);
    this.#ended = skipped === undefined;
    if (skipped === undefined) return undefined;
    const { cursor, restart } = skipped.position;
    const received = cursor === null ? 0 : this.#state.received + 1;
    if (cursor === null) this.#totals = new Totals();
    this.#state = { ...this.#state, cursor, restart, received };
    return skipped;
  }
}

const ALL_SIZES: SmallerPages = { most: Number.POSITIVE_INFINITY, onAsk: () => undefined };

/** The page size of a walk: it shrinks after failed pages, down to 1, and grows after good ones. */
class PageSizes {
  readonly #largest: number;
  #good = 0;
  #growAfter = GROW_AFTER_PAGES;
  /** How often the size has shrunk since the last good page. */
  shrunk = 0;
  size: number;

  constructor(largest: number) {
    this.#largest = largest;
    this.size = largest;
  }

  shrink(growAfter: number): void {
    this.#good = 0;
    if (this.size > 1) this.shrunk += 1;
    this.#growAfter = growAfter;
    this.size = SMALLER_SIZES.find((size) => size < this.size) ?? 1;
  }

  grow(): void {
    this.shrunk = 0;
    this.#good += 1;
    if (this.#good < this.#growAfter) return;
    this.#good = 0;
    const larger = SMALLER_SIZES.findLast((size) => size > this.size && size < this.#largest);
    this.size = larger ?? this.#largest;
  }
}

/** Whether a smaller page may succeed: only this page fails or is cut off. */
function mayNeedSmallerPage(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error.kind !== 'unavailable') return false;
  const { cause } = error;
  return !(cause instanceof WebPage || (cause instanceof NetworkError && cause.unsent));
}
