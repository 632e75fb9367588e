/** Writes results in the order of their pushes. While the oldest of a window waits, so does the next. */
export class InOrder<T> {
  readonly #write: (result: T) => Promise<void>;
  readonly #windowSize: number;
  /** The latest results in order; each promise resolves when its result and all before it are written. */
  readonly #window: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(write: (result: T) => Promise<void>, windowSize: number) {
    this.#write = write;
    this.#windowSize = windowSize;
  }

  /**
   * Adds the next result and waits until the window has room. @param result called when everything before it
   * is written; undefined means that no later one may be written.
   */
  async push(result: () => Promise<T | undefined>): Promise<void> {
    if (this.#closed) return this.#last;
    this.#last = this.#last.then(async () => {
      const known = this.#closed ? undefined : await result();
      this.#closed ||= known === undefined;
      if (known === undefined || this.#closed) return;
      this.#writing = this.#write(known);
      await this.#writing;
    });
    this.#last.catch(() => {
      this.#closed = true;
    });
    this.#window.push(this.#last);
    if (this.#window.length >= this.#windowSize) await this.#window.shift();
  }

  /** Gives up results that are not known yet; a write that has begun is finished. */
  abandon(): void {
    this.#closed = true;
    this.#last = this.#writing;
  }

  /** Resolves when all results, or those before the first missing one, are written. */
  end(): Promise<void> {
    return this.#last;
  }
}
