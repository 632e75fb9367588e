import { coalesced } from '../../concurrency/coalesced.ts';
import type { WindowState } from '../store/ledger-data.ts';
import type { PartFile } from '../store/part-file.ts';
import type { Gap, Position } from '../walk/window.ts';

/** Saves the ledger in the right order: data is safe on disk before the ledger counts it. */
export class Checkpoints {
  readonly #save: () => Promise<void>;
  readonly #open = new Map<WindowState, { readonly part: PartFile; progress: WindowProgress | undefined }>();

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** Begins a window, whose part file is being written. */
  begin(window: WindowState, part: PartFile): void {
    this.#open.set(window, { part, progress: undefined });
  }

  /** Notes what has been appended to the window's part file; it is not safe yet. */
  note(window: WindowState, position: Position, records: number, gaps: readonly Gap[]): void {
    const open = this.#open.get(window);
    if (open !== undefined) open.progress = { position, records, gaps, bytes: open.part.bytes };
  }

  /**
   * Ends a window: makes safe what was noted of it, and counts it.
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
   * Makes safe what was noted of all windows, then counts it. Calls during a checkpoint share the next one.
   * @throws {CliError} kind `output` when that fails for a window; the others are counted.
   */
  readonly take: () => Promise<void> = coalesced(() => this.#take());

  async #take(): Promise<void> {
    // A snapshot: appends may go on while files are being synced.
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

/** What was noted of a window. */
interface WindowProgress {
  readonly position: Position;
  readonly gaps: readonly Gap[];
  readonly records: number;
  readonly bytes: number;
}
