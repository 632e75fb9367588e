// Requests in flight, as a multiple of rate and latency.
const HEADROOM_FACTOR = 1.2;
// Single answers take from half to twice as long as others: only the mean of several is judged.
const ANSWERS_JUDGED = 12;
// Slow: a mean above this multiple of the usual answer.
const SLOW_FACTOR = 1.4;
// A mean below this multiple of the last slow mean shows that fewer requests help.
const FASTER_FACTOR = 0.85;
// Changes the number of requests while the service is slow, and while it is not.
const FEWER_FACTOR = 0.7;
const MORE_FACTOR = 1.2;

/**
 * How many requests to send at once: a few more than begin within the time of one answer, so that
 * only the rate limit slows them down. A service that becomes slower gets fewer, as long as that
 * makes it faster: otherwise these requests are not the cause.
 */
export class JobLimit {
  readonly #most: number;
  readonly #perSecond: number;
  /** How long an answer usually takes, in milliseconds. */
  #usualMs = Number.NaN;
  /** How long answers took when the number was last lowered. */
  #slowMs = Number.POSITIVE_INFINITY;
  /** The answers since the number was last judged. */
  #answers = 0;
  /** How many of them do not count: their requests were sent before. */
  #before = 0;
  #sumMs = 0;
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

  /** Whether one request after the other stays below the rate, judged by the answers so far. */
  get isWorthwhile(): boolean {
    return this.#most > 1 && this.#perAnswer > 1;
  }

  /** How many requests begin within the time of an answer. */
  get #perAnswer(): number {
    return (this.#perSecond * this.#usualMs) / 1000;
  }

  /** Starts with the number that fits the answers so far. */
  start(): void {
    this.#isStarted = true;
    this.#chosen = Math.min(this.#most, Math.ceil(HEADROOM_FACTOR * this.#perAnswer) + 1);
    this.#jobs = this.#chosen;
  }

  /** Learns from the time of an answer, in milliseconds. */
  note(ms: number): void {
    if (!this.#isStarted) {
      const before = Number.isNaN(this.#usualMs) ? ms : this.#usualMs;
      this.#usualMs = before + (ms - before) / 4;
      return;
    }
    this.#answers += 1;
    if (this.#answers <= this.#before) return;
    this.#sumMs += ms;
    if (this.#answers < this.#before + ANSWERS_JUDGED) return;
    this.#judge(this.#sumMs / ANSWERS_JUDGED);
    this.#before = this.current;
    this.#answers = 0;
    this.#sumMs = 0;
  }

  #judge(meanMs: number): void {
    const isSlow = meanMs > SLOW_FACTOR * this.#usualMs;
    if (isSlow && meanMs < FASTER_FACTOR * this.#slowMs) {
      this.#slowMs = meanMs;
      this.#jobs = Math.max(1, this.#jobs * FEWER_FACTOR);
      return;
    }
    this.#slowMs = Number.POSITIVE_INFINITY;
    // The end of a slow time must not hide the next one.
    this.#usualMs = isSlow ? meanMs : Math.min(this.#usualMs, (3 * this.#usualMs + meanMs) / 4);
    this.#jobs = isSlow ? this.#chosen : Math.min(this.#chosen, this.#jobs * MORE_FACTOR);
  }
}
