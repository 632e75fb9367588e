/** An answer that takes this many times as long as usual shows that the service slows down under load. */
const SLOWER = 1.5;
/** What one answer changes the number by. */
const STEP = 0.02;
/** The weight of the latest of the answers that say what is usual. */
const WEIGHT = 1 / 4;
// Times the requests that begin within an answer: an answer is also unpacked, and the next request waits for its turn.
const HEADROOM = 1.2;

/**
 * How many requests to send at once, so that a rate limit is what limits: a few more than begin within the time of
 * one answer. While more than half of the answers take longer than they did at first, it becomes less with each: a
 * service that slows down under load gets less of it.
 */
export class JobLimit {
  readonly #most: number;
  readonly #perSecond: number;
  /** The time of an answer before several requests were sent at once, in milliseconds. */
  #usualMs = Number.NaN;
  #chosen = 1;
  #isStarted = false;
  #jobs = 1;

  /** @param perSecond the requests per second that are allowed. */
  constructor(most: number, perSecond: number) {
    this.#most = most;
    this.#perSecond = perSecond;
  }

  /** The number of requests to send at once now. */
  get current(): number {
    return Math.floor(this.#jobs);
  }

  /** How many requests begin within the time of an answer: as many as the rate allows, and as there are jobs. */
  get perAnswer(): number {
    return Math.max(1, Math.min(this.current, this.#begin));
  }

  /** Whether requests that follow one another reach less than the rate, judged by the answers so far. */
  get isWorthwhile(): boolean {
    return this.#most > 1 && this.#begin > 1;
  }

  get #begin(): number {
    return (this.#perSecond * this.#usualMs) / 1000;
  }

  /** Begins with the number that the answers so far call for. */
  start(): void {
    this.#isStarted = true;
    this.#chosen = Math.min(this.#most, Math.ceil(HEADROOM * this.#begin) + 1);
    this.#jobs = this.#chosen;
  }

  /** Takes the time of an answer, in milliseconds. */
  note(ms: number): void {
    if (!this.#isStarted) {
      const before = Number.isNaN(this.#usualMs) ? ms : this.#usualMs;
      this.#usualMs = before + WEIGHT * (ms - before);
      return;
    }
    const change = ms > SLOWER * this.#usualMs ? 1 - STEP : 1 + STEP;
    this.#jobs = Math.max(1, Math.min(this.#chosen, this.#jobs * change));
  }
}
