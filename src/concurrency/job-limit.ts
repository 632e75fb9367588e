// Answers that a judgement looks at, at least.
const FEWEST = 4;
const SLOWER = 1.5;
const AS_FAST = 1.25;
const FEWER = 0.7;

/**
 * How many requests to send at once, so that a rate limit is what limits: as many as begin within the time of
 * one answer, and one more. While answers take longer than they did at first, it is fewer: a service that
 * slows down under load gets less of it.
 */
export class JobLimit {
  readonly #most: number;
  readonly #perSecond: number;
  #unloadedMs = Number.NaN;
  #chosen = 1;
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

  /** Whether requests that follow one another reach less than the rate, judged by the answers so far. */
  get isWorthwhile(): boolean {
    return this.#most > 1 && (this.#perSecond * medianOf(this.#times)) / 1000 > 1;
  }

  /** Begins with the number that the answers so far call for. */
  start(): void {
    this.#unloadedMs = medianOf(this.#times);
    const wanted = Math.ceil((this.#perSecond * this.#unloadedMs) / 1000) + 1;
    this.#chosen = Math.max(1, Math.min(this.#most, wanted));
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
    const median = medianOf(this.#times.slice(-Math.max(FEWEST, this.#current)));
    if (median > SLOWER * this.#unloadedMs) {
      this.#set(Math.max(1, Math.floor(this.#current * FEWER)));
    } else {
      const asFast = median <= AS_FAST * this.#unloadedMs;
      this.#unloadedMs = Math.min(this.#unloadedMs, median);
      this.#set(asFast ? Math.min(this.#chosen, this.#current + 1) : this.#current);
    }
  }

  #set(jobs: number): void {
    this.#current = jobs;
    this.#times = [];
  }
}

/** NaN without numbers. */
function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}
