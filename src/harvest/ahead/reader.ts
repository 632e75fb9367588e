// A reader that takes no page for so long has stopped.
const PATIENCE_MS = 3000;

/** Whether the walk still takes pages. */
export class Reader {
  readonly #now: () => number;
  /** When the walk took a page; undefined while it waits for one. */
  #taken: number | undefined;

  /** @param now milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
    this.#taken = now();
  }

  waits(): void {
    this.#taken = undefined;
  }

  takes(): void {
    this.#taken = this.#now();
  }

  get isGone(): boolean {
    return this.#taken !== undefined && this.#now() - this.#taken > PATIENCE_MS;
  }
}
