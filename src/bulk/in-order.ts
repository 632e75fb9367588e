/** What is to be written for a line, once it is known; undefined when nobody will know in this run. */
type Pending = () => Promise<string | undefined>;

/**
 * Writes results in the order of their lines, whatever the order in which they come. Only so many lines may be ahead
 * of the one that is waited for: the memory stays small, and a reader who is slow makes the rest wait.
 */
export class InOrder {
  readonly #write: (text: string) => Promise<void>;
  readonly #most: number;
  readonly #queue: Pending[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;
  #cut = false;
  #hurried = false;
  #inWrite = false;
  /** Called when there is room, or no more hope for it. */
  #room: (() => void)[] = [];

  constructor(write: (text: string) => Promise<void>, most: number) {
    this.#write = write;
    this.#most = most;
  }

  /**
   * Adds the next line. Resolves when there is room for another.
   * @throws what writing has thrown.
   */
  async add(pending: Pending): Promise<void> {
    this.#queue.push(pending);
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
    });
    if (this.#queue.length >= this.#most && !this.#hurried)
      await new Promise<void>((resolve) => this.#room.push(resolve));
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Nobody waits for room any more: the run is to end. */
  hurry(): void {
    this.#hurried = true;
    for (const resolve of this.#room.splice(0)) resolve();
  }

  /** Gives up results that are not there yet. */
  async abandon(): Promise<void> {
    // Those that are there may still be on their way through the queue.
    await new Promise((resolve) => setImmediate(resolve));
    this.#cut = true;
    if (!this.#inWrite) this.#writing = undefined;
  }

  /**
   * Resolves when everything that can be written is written: all, or what stands before the first line without a
   * result.
   * @throws what writing has thrown.
   */
  async end(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #drain(): Promise<void> {
    // Whoever adds several at once does so before the first is waited for.
    await null;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (!this.#cut && this.#failure === undefined) await this.#one(next);
      this.#queue.shift();
      for (const resolve of this.#room.splice(0)) resolve();
    }
  }

  async #one(pending: Pending): Promise<void> {
    try {
      const text = await pending();
      // What follows would stand in the place of the missing line.
      if (text === undefined || this.#cut) this.#cut = true;
      else {
        this.#inWrite = true;
        await this.#write(text);
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#inWrite = false;
    }
  }
}
