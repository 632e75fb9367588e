import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

// Numbers read or written at a time: 512 KB.
const BATCH = 2 ** 17;

/** Pairs of numbers of 32 bits, on disk: in a file without a name, so that none stays behind. */
export class Spill {
  readonly #fd: number;
  readonly #batch = new Uint32Array(BATCH);
  #filled = 0;

  constructor(folder: string) {
    const path = join(folder, `.${randomBytes(6).toString('hex')}.part`);
    this.#fd = openSync(path, 'wx+');
    unlinkSync(path);
  }

  write(high: number, low: number): void {
    this.#batch[this.#filled] = high;
    this.#batch[this.#filled + 1] = low;
    this.#filled += 2;
    if (this.#filled === BATCH) this.#flush();
  }

  /** Gives all pairs out, with turns of the event loop between. */
  async read(each: (high: number, low: number) => void): Promise<void> {
    this.#flush();
    const bytes = Buffer.from(this.#batch.buffer);
    for (let at = 0; ; at += bytes.length) {
      let filled = 0;
      for (let count = -1; count !== 0 && filled < bytes.length; filled += count) {
        count = readSync(this.#fd, bytes, filled, bytes.length - filled, at + filled);
      }
      for (let index = 0; index < filled / 4; index += 2) {
        each(this.#batch[index] as number, this.#batch[index + 1] as number);
      }
      if (filled < bytes.length) return;
      await setImmediate();
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#batch.buffer, 0, this.#filled * 4);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done);
    this.#filled = 0;
  }
}
