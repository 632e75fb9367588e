/** A heap: a collection of items that always knows its first item by an order. */
export class Heap<T> {
  readonly #items: T[];
  readonly #ahead: (a: T, b: T) => boolean;

  /** @param ahead whether the first item comes before the second one */
  constructor(ahead: (a: T, b: T) => boolean, items: readonly T[]) {
    this.#ahead = ahead;
    this.#items = [...items];
    for (let place = this.#items.length >> 1; place >= 0; place--) this.#sink(place);
  }

  first(): T | undefined {
    return this.#items[0];
  }

  /** Replaces the first item by another one. */
  replace(item: T): void {
    this.#items[0] = item;
    this.#sink(0);
  }

  /** Removes the first item. */
  drop(): void {
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.replace(last);
  }

  #sink(from: number): void {
    const items = this.#items;
    for (let place = from; ; ) {
      let best = place;
      for (const child of [2 * place + 1, 2 * place + 2]) {
        if (child < items.length && this.#ahead(items[child] as T, items[best] as T)) best = child;
      }
      if (best === place) return;
      [items[place], items[best]] = [items[best] as T, items[place] as T];
      place = best;
    }
  }
}
