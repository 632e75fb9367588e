/** Work that is under way, at most so much of it at once. */
export class RunningTasks {
  readonly #most: number;
  readonly #signal: AbortSignal;
  #count = 0;
  /** Called when something has ended, or the run is to end. */
  #waiting: (() => void)[] = [];

  /** @param signal ends the wait for room. */
  constructor(most: number, signal: AbortSignal) {
    this.#most = most;
    this.#signal = signal;
    signal.addEventListener('abort', this.#wake, { once: true });
  }

  /** Whether anything is under way. */
  get any(): boolean {
    return this.#count > 0;
  }

  add(work: Promise<unknown>): void {
    this.#count += 1;
    const end = () => {
      this.#count -= 1;
      this.#wake();
    };
    work.then(end, end);
  }

  /** Resolves when there is room for more, or the signal says that there will not be any more. */
  async room(): Promise<void> {
    while (this.#count >= this.#most && !this.#signal.aborted) await this.#change();
  }

  /**
   * Resolves when nothing is under way any more.
   * @param graceMs how long that is waited for once the signal is aborted.
   * @param hurried as if it were aborted.
   */
  async idle(graceMs: number, hurried: boolean): Promise<void> {
    while (this.#count > 0 && !this.#signal.aborted && !hurried) await this.#change();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, graceMs);
    while (this.#count > 0 && !late) await this.#change();
    clearTimeout(timer);
    this.#signal.removeEventListener('abort', this.#wake);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  readonly #wake = (): void => {
    for (const resolve of this.#waiting.splice(0)) resolve();
  };
}
