import { coalesced } from '../../concurrency/promises.ts';
import type { LedgerWindow } from '../store/ledger-data.ts';
import type { PartFile } from '../store/part-file.ts';
import type { Position } from '../walk/walk-step.ts';

type Progress = Position & Pick<LedgerWindow, 'records' | 'gaps'>;

/** Saves the ledger in the right order: it counts only what is safe on disk. */
export class Checkpoints {
  readonly #save: () => Promise<void>;
  /** Progress of windows that is not safe yet. */
  readonly #noted = new Map<
    LedgerWindow,
    { part: PartFile; progress: Progress & { bytes: number } }
  >();

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** Notes what has been appended to the window's part file and is not safe yet. */
  note(window: LedgerWindow, part: PartFile, progress: Progress): void {
    this.#noted.set(window, { part, progress: { ...progress, bytes: part.bytes } });
  }

  /** Ends a window: makes its progress safe, and counts it. @throws {CliError} kind `output`. */
  async end(window: LedgerWindow): Promise<void> {
    try {
      if (this.#noted.has(window)) await this.take();
    } finally {
      this.#noted.delete(window);
    }
  }

  /**
   * Makes the noted progress of all windows safe, then counts it. Calls during a checkpoint share
   * the next one.
   * @throws {CliError} kind `output` when that fails for a window; the others are counted.
   */
  readonly take = coalesced(async () => {
    // A snapshot: appends may continue while files are synced.
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
