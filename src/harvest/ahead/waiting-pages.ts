// What a page of a thousand records takes, until the first one has arrived.
const USUAL_BYTES = 600;

/** The memory of the pages that wait for their turn. */
export class WaitingPages {
  readonly #mostBytes: number;
  #bytes = 0;
  readonly #received: { pages: number; bytes: number };

  constructor(mostBytes: number, pageSize: number) {
    this.#mostBytes = mostBytes;
    this.#received = { pages: 1, bytes: USUAL_BYTES * pageSize };
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#mostBytes;
  }

  /** How many pages may wait, by the average of those so far. */
  get capacity(): number {
    const { pages, bytes } = this.#received;
    return (this.#mostBytes * pages) / bytes;
  }

  /** How many more pages may wait; less than none where there are too many. */
  get room(): number {
    return this.capacity * (1 - this.#bytes / this.#mostBytes);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#received.pages += 1;
    this.#received.bytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }
}
