import type { Gap, WindowState } from './disk/ledger-data.ts';
import type { PartFile } from './disk/part-file.ts';
import type { Position } from './window-walk.ts';

/** Saves the ledger, in the right order: what it counts is safe on disk before it counts it. */
export class Checkpoints {
  readonly #save: () => Promise<void>;
  readonly #open = new Map<WindowState, { readonly part: PartFile; progress: Progress | undefined }>();
  #running: Promise<void> | undefined;

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

  /** No more of this window; what was noted of it is part of no later checkpoint. */
  end(window: WindowState): void {
    this.#open.delete(window);
  }

  /**
   * Makes all that was noted safe, then counts it. One at a time; a call during another waits for one of its own.
   * @throws {CliError} kind `output`.
   */
  async take(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    this.#running = this.#take();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  async #take(): Promise<void> {
    // As it stands now: appends may go on while files are being synced.
    const noted = [...this.#open].filter(([, { progress }]) => progress !== undefined);
    const progress = noted.map(([window, open]) => ({ window, open, progress: open.progress as Progress }));
    await Promise.all(progress.map(({ open }) => open.part.sync()));
    for (const { window, open, progress: safe } of progress) {
      window.bytes = safe.bytes;
      window.records = safe.records;
      window.gaps = [...safe.gaps];
      window.cursor = safe.position.cursor;
      window.restart = safe.position.restart;
      window.latest = safe.position.latest;
      if (open.progress === safe) open.progress = undefined;
    }
    await this.#save();
  }
}

interface Progress {
  readonly position: Position;
  readonly gaps: readonly Gap[];
  readonly records: number;
  readonly bytes: number;
}
