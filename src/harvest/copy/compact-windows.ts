import type { WindowState } from '../store/ledger-data.ts';
import type { Span } from '../walk/created.ts';
import { MOST_RECORDS } from './generation.ts';
import { type UpdatedDois, WindowFinder } from './updated-dois.ts';

/** A window of the compact generation. */
export interface CompactWindow extends Span {
  /** The old window that it is a part of, by its position in the list. */
  readonly old: number;
}

/**
 * The windows of a compact generation: the old ones, cut where updates would make them hold more than a
 * window should. Otherwise all new records would gather in the last window for ever.
 * @param most the most records of a window; the estimate counts updated records twice.
 */
export function compactWindows(
  old: readonly WindowState[],
  updated: UpdatedDois,
  most = MOST_RECORDS,
): readonly CompactWindow[] {
  const finder = new WindowFinder(old);
  const times: number[][] = old.map(() => []);
  for (const created of updated.values()) {
    if (!Number.isNaN(created)) times[finder.indexOf(created)]?.push(created);
  }
  return old.flatMap((window, index) => {
    // A gap's cursor belongs to the whole window: it leads nowhere in a piece.
    const cuts = window.gaps.length > 0 ? [] : cutsOf(window, times[index] ?? [], most);
    return [window.from, ...cuts].map((from, piece) => ({ from, to: cuts[piece] ?? window.to, old: index }));
  });
}

/** Where to cut a window: at creation times of its updates, evenly spread among them. */
function cutsOf({ from, to, records }: WindowState, times: number[], most: number): readonly number[] {
  const pieces = Math.ceil((records + times.length) / most);
  if (pieces < 2 || times.length === 0) return [];
  times.sort((a, b) => a - b);
  const cuts = Array.from(
    { length: pieces - 1 },
    (_, index) => times[Math.floor(((index + 1) * times.length) / pieces)] ?? 0,
  );
  return [...new Set(cuts)].filter((cut) => (from === null || cut > from) && (to === null || cut < to));
}
