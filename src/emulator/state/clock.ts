/**
 * The time in the emulator. It begins as the machine's time; requests can move it forward, so that
 * tests can age keys.
 */
export class Clock {
  #offset = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#offset;
  }

  /**
   * Milliseconds since 1970, cut to the whole second: the precision of most times of the service.
   */
  wholeSecond(): number {
    return Math.floor(this.now() / 1000) * 1000;
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}
