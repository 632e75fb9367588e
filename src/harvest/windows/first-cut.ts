/**
 * Finds out whether the service understands queries by creation time: it counts as many records in the windows of the
 * first cut as in the whole. Later cuts need no such proof; the number of records is compared at the end.
 */
export class FirstCut<W extends object> {
  readonly #total: number;
  readonly #recount: () => Promise<number>;
  readonly #uncounted: Set<W>;
  #sum = 0;
  #settle: (isUnderstood: boolean) => void = () => undefined;
  /** Settles with the count of the last window. */
  readonly understood = new Promise<boolean>((resolve) => {
    this.#settle = resolve;
  });

  /**
   * @param total the count of the whole before the cut.
   * @param recount counts it once more: records may have been added or hidden since.
   */
  constructor(windows: readonly W[], total: number, recount: () => Promise<number>) {
    this.#uncounted = new Set(windows);
    this.#total = total;
    this.#recount = recount;
  }

  /** Whether a window's count is missing. */
  awaits(window: W): boolean {
    return this.#uncounted.has(window);
  }

  /** Takes the service's first count of a window; undefined if it is unusable. */
  counted(window: W, count: number | undefined): void {
    if (!this.#uncounted.delete(window)) return;
    if (count === undefined) {
      this.fail();
      return;
    }
    this.#sum += count;
    if (this.#uncounted.size > 0) return;
    const [sum, before] = [this.#sum, this.#total];
    if (sum === before) {
      this.#settle(true);
      return;
    }
    this.#recount().then(
      (now) => this.#settle(sum >= Math.min(before, now) && sum <= Math.max(before, now)),
      () => this.fail(),
    );
  }

  /** An answer shows that the service does not understand. */
  fail(): void {
    this.#uncounted.clear();
    this.#settle(false);
  }
}
