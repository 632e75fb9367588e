import {
  FASTER_STEP,
  FIRST_ANSWERS,
  HEADROOM,
  MOST_USUAL,
  RECENT_WEIGHT,
  SLOWER,
  SLOWER_STEP,
} from './tuning.ts';

/**
 * How many requests to send at once: a few more than begin within the time of one answer, so that the rate limit is
 * what limits. A service that answers more slowly under load gets fewer.
 */
export class JobLimit {
  readonly #most: number;
  readonly #perSecond: number;
  /** The mean time of the first answers, in milliseconds: few requests were under way then. */
  #usualMs = Number.NaN;
  #mostUsualMs = Number.NaN;
  #answers = 0;
  #recentMs = Number.NaN;
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

  /** Whether requests that follow one another reach less than the rate, judged by the answers so far. */
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
    this.#answers = 1;
    this.#recentMs = this.#usualMs;
    this.#mostUsualMs = MOST_USUAL * this.#usualMs;
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
    if (this.#answers <= FIRST_ANSWERS) {
      const mean = this.#usualMs + (ms - this.#usualMs) / this.#answers;
      this.#usualMs = Math.min(mean, this.#mostUsualMs);
    }
    this.#recentMs += RECENT_WEIGHT * (ms - this.#recentMs);
    const change = this.#recentMs > SLOWER * this.#usualMs ? 1 - SLOWER_STEP : 1 + FASTER_STEP;
    this.#jobs = Math.max(1, Math.min(this.#chosen, this.#jobs * change));
  }
}
