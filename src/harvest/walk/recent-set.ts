/**
 * Remembers the most recent strings exactly, in bounded memory: at least `size` of them, at most twice as
 * many. Exact, because a record taken for a repeat by mistake would be a record lost.
 */
export class RecentSet {
  readonly #size: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(size: number) {
    this.#size = size;
  }

  has(text: string): boolean {
    return this.#young.has(text) || this.#old.has(text);
  }

  add(text: string): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(text);
  }
}
