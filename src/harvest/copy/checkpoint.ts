import { coalesced } from '../../concurrency/coalesced.ts';
import type { WindowState } from '../store/ledger-data.ts';
import type { PartFile } from '../store/part-file.ts';
import type { Gap, Position } from '../walk/walk-step.ts';

interface WindowProgress extends Position {
  readonly records: number;
  readonly gaps: Gap[];
}

/** Saves the ledger in the right order: data is safe on disk before the ledger counts it. */
export class Checkpoints {
  readonly #save: () => Promise<void>;
  /** Windows with progress that is not safe yet. */
  readonly #noted = new Map<
    WindowState,
    { part: PartFile; progress: WindowProgress & { bytes: number } }
  >();

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** Notes what has been appended to the window's part file; it is not safe yet. */
  note(window: WindowState, part: PartFile, progress: WindowProgress): void {
    this.#noted.set(window, { part, progress: { ...progress, bytes: part.bytes } });
  }

  /**
   * Ends a window: makes safe what was noted of it, and counts it. @throws {CliError} kind
   * `output`.
   */
  async end(window: WindowState): Promise<void> {
    try {
      if (this.#noted.has(window)) await this.take();
    } finally {
      this.#noted.delete(window);
    }
  }

  /**
   * Makes safe what was noted of all windows, then counts it. Calls during a checkpoint share the
   * next one.
   * @throws {CliError} kind `output` when that fails for a window; the others are counted.
   */
  readonly take = coalesced(async () => {
    // A snapshot: appends may go on while files are being synced.
    const noted = [...this.#noted];
    const synced = await Promise.allSettled(noted.map(([, { part }]) => part.sync()));
    for (const [index, [window, entry]] of noted.entries()) {
      if (synced[index]?.status === 'rejected') continue;
      Object.assign(window, entry.progress);
      if (this.#noted.get(window) === entry) this.#noted.delete(window);
    }
    await this.#save();
    const failed = synced.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  });
}
