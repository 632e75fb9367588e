// Answers that a judgement looks at, at least.
const FEWEST = 4;
const SLOWER = 1.5;
const AS_FAST = 1.25;
const FEWER = 0.7;
const MORE = 1.25;
// Times the requests that begin within an answer: an answer is also unpacked, and the next request waits for its turn.
const HEADROOM = 1.2;

/**
 * How many requests to send at once, so that a rate limit is what limits: a few more than begin within the time of
 * one answer. While answers take longer than they did at first, it is fewer: a service that
 * slows down under load gets less of it.
 */
export class JobLimit {
  readonly #most: number;
  readonly #perSecond: number;
  #unloadedMs = Number.NaN;
  #chosen = 1;
  /** The requests that the rate lets begin within an answer. */
  #begin = 1;
  #current = 1;
  /** The times of the answers since the number changed, in milliseconds. */
  #times: number[] = [];

  /**
   * @param most the largest number.
   * @param perSecond the requests per second that are allowed.
   */
  constructor(most: number, perSecond: number) {
    this.#most = most;
    this.#perSecond = perSecond;
  }

  /** The number of requests to send at once now. */
  get current(): number {
    return this.#current;
  }

  /** How many requests begin within the time of an answer: as many as the rate allows, and as there are jobs. */
  get perAnswer(): number {
    return Math.max(1, Math.min(this.#current, this.#begin));
  }

  /** Whether requests that follow one another reach less than the rate, judged by the answers so far. */
  get isWorthwhile(): boolean {
    return this.#most > 1 && (this.#perSecond * medianOf(this.#times)) / 1000 > 1;
  }

  /** Begins with the number that the answers so far call for. */
  start(): void {
    this.#unloadedMs = medianOf(this.#times);
    this.#choose(this.#unloadedMs);
    this.#set(this.#chosen);
  }

  /** Takes the time of an answer, in milliseconds. */
  note(ms: number): void {
    this.#times.push(ms);
    if (Number.isNaN(this.#unloadedMs)) {
      this.#times = this.#times.slice(-FEWEST);
      return;
    }
    // Those that were under way when the number changed tell nothing about it.
    if (this.#times.length < 2 * Math.max(FEWEST, this.#current)) return;
    const latest = this.#times.slice(-Math.max(FEWEST, this.#current));
    const median = medianOf(latest);
    if (median > SLOWER * this.#unloadedMs) {
      this.#set(Math.max(1, Math.floor(this.#current * FEWER)));
    } else {
      const asFast = median <= AS_FAST * this.#unloadedMs;
      // Some answers may take longer than half of them do.
      if (asFast) this.#choose(Math.min(meanOf(latest), SLOWER * this.#unloadedMs));
      this.#unloadedMs = Math.min(this.#unloadedMs, median);
      this.#set(asFast ? Math.min(this.#chosen, Math.ceil(this.#current * MORE)) : this.#current);
    }
  }

  #choose(ms: number): void {
    this.#begin = Math.max(this.#begin, (this.#perSecond * ms) / 1000);
    const wanted = Math.ceil(HEADROOM * this.#begin) + 1;
    this.#chosen = Math.max(this.#chosen, Math.min(this.#most, wanted));
  }

  #set(jobs: number): void {
    this.#current = jobs;
    this.#times = [];
  }
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** NaN without numbers. */
function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}
