import type { WindowState } from '../store/ledger-data.ts';
import type { PartFile } from '../store/part-file.ts';
import type { Gap, Position } from '../walk/window.ts';

/** Saves the ledger, in the right order: what it counts is safe on disk before it counts it. */
export class Checkpoints {
  readonly #save: () => Promise<void>;
  readonly #open = new Map<WindowState, { readonly part: PartFile; progress: Progress | undefined }>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** A window that is being written. */
  begin(window: WindowState, part: PartFile): void {
    this.#open.set(window, { part, progress: undefined });
  }

  /** What has been appended to its part file and how far that is; not yet safe. */
  note(window: WindowState, position: Position, records: number, gaps: readonly Gap[]): void {
    const open = this.#open.get(window);
    if (open !== undefined) open.progress = { position, records, gaps, bytes: open.part.bytes };
  }

  /**
   * The last of a window: what was noted of it is made safe and counted.
   * @throws {CliError} kind `output`.
   */
  async end(window: WindowState): Promise<void> {
    try {
      if (this.#open.get(window)?.progress !== undefined) await this.take();
    } finally {
      this.#open.delete(window);
    }
  }

  /**
   * Makes all that was noted safe, then counts it. One at a time: calls during another share the next one.
   * @throws {CliError} kind `output`, when that was not to be had for every window; the others are counted.
   */
  take(): Promise<void> {
    this.#next ??= this.#takeNext();
    return this.#next;
  }

  async #takeNext(): Promise<void> {
    // Whether that one fails is for those to hear who asked for it.
    await Promise.allSettled([this.#running]);
    this.#next = undefined;
    this.#running = this.#take();
    await this.#running;
  }

  async #take(): Promise<void> {
    // As it stands now: appends may go on while files are being synced.
    const noted = [...this.#open].flatMap(([window, open]) =>
      open.progress === undefined ? [] : [{ window, open, safe: open.progress }],
    );
    const synced = await Promise.allSettled(noted.map(({ open }) => open.part.sync()));
    for (const [index, { window, open, safe }] of noted.entries()) {
      if (synced[index]?.status === 'rejected') continue;
      window.bytes = safe.bytes;
      window.records = safe.records;
      window.gaps = [...safe.gaps];
      window.cursor = safe.position.cursor;
      window.restart = safe.position.restart;
      window.latest = safe.position.latest;
      if (open.progress === safe) open.progress = undefined;
    }
    await this.#save();
    const failed = synced.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

interface Progress {
  readonly position: Position;
  readonly gaps: readonly Gap[];
  readonly records: number;
  readonly bytes: number;
}
