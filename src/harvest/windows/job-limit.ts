// Times the requests that begin within an answer's time: an answer is also unpacked, and the next
// request waits for its turn.
const HEADROOM = 1.2;
// Answers whose mean is judged: single answers take from half to twice as long as others.
const ANSWERS = 12;
// Times the usual: a service that takes longer than this may be slow because of the load.
const SLOWER = 1.4;
// Times the answers with more requests: a service that takes less is faster with fewer.
const FASTER = 0.85;
// Factors for the number of requests while the service is slow, and while it is not.
const FEWER = 0.7;
const MORE = 1.2;

/**
 * How many requests to send at once: a few more than begin within the time of one answer, so that
 * the rate limit is what limits. A service that answers more slowly gets fewer, as long as that
 * makes it faster: what stays slow then is not slow because of these requests.
 */
export class JobLimit {
  readonly #most: number;
  readonly #perSecond: number;
  /** How long an answer usually takes, in milliseconds. */
  #usualMs = Number.NaN;
  /** How long answers took when the number was last lowered. */
  #slowMs = Number.POSITIVE_INFINITY;
  /**
   * The answers since the number was last judged. The first ones are to requests that were sent
   * before.
   */
  #answers = 0;
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

  /**
   * Whether requests that follow one another reach less than the rate, judged by the answers so
   * far.
   */
  get isWorthwhile(): boolean {
    return this.#most > 1 && this.#begin > 1;
  }

  /** How many requests begin within the time of an answer. */
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
      this.#usualMs = before + (ms - before) / 4;
      return;
    }
    this.#answers += 1;
    if (this.#answers <= this.#before) return;
    this.#sumMs += ms;
    if (this.#answers < this.#before + ANSWERS) return;
    this.#judge(this.#sumMs / ANSWERS);
    this.#before = this.current;
    this.#answers = 0;
    this.#sumMs = 0;
  }

  #judge(meanMs: number): void {
    const isSlow = meanMs > SLOWER * this.#usualMs;
    if (isSlow && meanMs < FASTER * this.#slowMs) {
      this.#slowMs = meanMs;
      this.#jobs = Math.max(1, this.#jobs * FEWER);
      return;
    }
    this.#slowMs = Number.POSITIVE_INFINITY;
    // A slow time that has ended must not hide the next one.
    this.#usualMs = isSlow ? meanMs : Math.min(this.#usualMs, (3 * this.#usualMs + meanMs) / 4);
    this.#jobs = isSlow ? this.#chosen : Math.min(this.#chosen, this.#jobs * MORE);
  }
}
