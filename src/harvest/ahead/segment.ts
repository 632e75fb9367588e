import type { JobLimit } from '../../concurrency/job-limit.ts';
import { CliError } from '../../errors.ts';
import type { Span } from '../walk/creation-time.ts';
import type { FetchPacked, PackedPage } from './packed-page.ts';

const MOST_PATIENCE = 32;
// As the walk asks for a page that may have to be a smaller one.
const RETRIES = 2;

/** The pages of one span of creation times, as far as they have been asked for before their turn. */
export class Segment {
  readonly from: number | null;
  /** What its requests ask for. It ends earlier after a cut. */
  span: Span;
  /** Whether the counts of the cut that made its end add up. */
  check: Check | undefined;
  /** Whether the counts of the cut that made its beginning add up. */
  readonly origin: Check | undefined;
  /** The cursor of the next page to ask for; null behind the last one, undefined if only the walk knows it. */
  next: string | null | undefined = '1';
  /** The answers, the latest of which may be under way. */
  readonly answers: Answer[] = [];
  underWay: AbortController | undefined;
  /** The number of records on the pages so far. */
  records = 0;
  /** The number of records of {@link span}, by the latest answer to it. */
  total: number | undefined;
  /** The creation time of the last record so far, in milliseconds. */
  last = Number.NaN;
  /** Milliseconds for each record of the latest page. */
  density = Number.NaN;

  /** The pages since the latest cut, and how many there must be before the next one. */
  pages = 0;
  patience: number;

  constructor(span: Span, origin?: Check, patience = 1) {
    this.from = span.from;
    this.span = span;
    this.origin = origin;
    this.check = origin;
    this.patience = patience;
  }

  get isUnasked(): boolean {
    return this.next === '1';
  }

  /** The span of the records that are still to be asked for. */
  get rest(): Span {
    return Number.isNaN(this.last) ? this.span : { from: this.last + 1, to: this.span.to };
  }

  endAt(to: number | null, check: Check | undefined): void {
    this.span = { from: this.from, to };
    this.check = check;
    this.total = undefined;
    this.pages = 0;
  }

  /** Ends at the first of these times. Returns the segments between them and to its former end, which begin there. */
  cutAt(places: readonly number[], check: Check): readonly Segment[] {
    const { to } = this.span;
    this.endAt(places[0] ?? null, check);
    const pieces = places.map(
      (from, index) => new Segment({ from, to: places[index + 1] ?? to }, check, this.patience),
    );
    check.expect([this, ...pieces]);
    return pieces;
  }

  /** Goes on behind a page. @param size the number of its records, unless it is the last one. */
  goOn({ next, total, first, last }: PackedPage, size: number): void {
    this.total = total;
    this.next = next;
    this.pages += 1;
    const records = next === null ? Math.max(0, (total ?? 0) - this.records) : size;
    this.records += records;
    this.last = last;
    this.density = records === 0 ? Number.NaN : (last - first) / records;
  }

  /** Drops all answers. The walk asks for the next page by itself. */
  drop(): void {
    this.underWay?.abort();
    this.underWay = undefined;
    this.answers.splice(0);
    this.next = undefined;
    this.last = Number.NaN;
  }
}

export interface Answer {
  readonly cursor: string;
  readonly size: number;
  readonly span: Span;
  readonly check: Check | undefined;
  /** Undefined when the request failed: the walk asks again, and judges. */
  readonly packed: Promise<PackedPage | undefined>;
  /** The service did not accept the credentials, as far as this answer says. */
  refusal?: CliError;
  bytes: number;
  /** The records of the segment before it. */
  readonly recordsBefore: number;
}

export interface RequestPort {
  readonly fetch: FetchPacked;
  url(span: Span, cursor: string, size: number): URL;
  readonly jobs: JobLimit;
  readonly pageSize: number;
}

/** Asks for a page of a segment before its turn. The answer is one of the segment's from now on. */
export function request(port: RequestPort, segment: Segment, cursor: string, signal: AbortSignal): Answer {
  const { span, check, records } = segment;
  const size = port.pageSize;
  const url = port.url(span, cursor, size);
  const onTime = (ms: number) => port.jobs.note(ms);
  const onFailure = (error: unknown) => {
    if (error instanceof CliError && error.kind === 'credentials') answer.refusal = error;
    return undefined;
  };
  const packed = port.fetch(url, { signal, retries: RETRIES, onTime }).catch(onFailure);
  const answer: Answer = { cursor, size, span, check, packed, bytes: 0, recordsBefore: records };
  segment.answers.push(answer);
  return answer;
}

/**
 * Whether a cut loses nothing: the service counts in the pieces at least as many records as in the whole
 * before. Until then, no page that was narrowed by the cut may be used.
 */
export class Check {
  readonly settled: Promise<boolean>;
  readonly #whole: number;
  readonly #recount: () => Promise<number>;
  #pieces: readonly Segment[] = [];
  #left = 0;
  #sum = 0;
  #wasted = 0;
  #settle: (isRight: boolean) => void = () => undefined;

  /** @param recount counts the whole once more: records may have been hidden since. */
  constructor(whole: number, recount: () => Promise<number>) {
    this.#whole = whole;
    this.#recount = recount;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  expect(pieces: readonly Segment[]): void {
    this.#pieces = pieces;
    this.#left = pieces.length;
  }

  /** Takes the count of a piece. @param isWaste whether the cut has left next to nothing to it. */
  add(count: number, isWaste: boolean): void {
    this.#left -= 1;
    this.#sum += count;
    if (isWaste) this.#wasted += 1;
    if (this.#left > 0) return;
    // Where cuts go wrong, the next ones come more and more slowly.
    const factor = 2 * this.#wasted >= this.#pieces.length ? 2 : 0.5;
    for (const piece of this.#pieces) {
      piece.patience = Math.min(MOST_PATIENCE, Math.max(1, piece.patience * factor));
    }
    if (this.#sum >= this.#whole) this.#settle(true);
    else this.#recount().then((now) => this.#settle(this.#sum >= now), this.fail);
  }

  fail = (): void => this.#settle(false);
}
