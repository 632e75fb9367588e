import type { WindowState } from '../store/ledger-data.ts';
import type { Span } from '../walk/created.ts';
import { MOST_RECORDS } from './generation.ts';
import { type UpdatedDois, WindowFinder } from './updated-dois.ts';

/** A window of the generation that is being made, and the place of the old window that it is a part of. */
export interface NewWindow extends Span {
  readonly old: number;
}

/**
 * The windows of a compact generation: the old ones, cut where updates brought so much that they would hold more than
 * a window should. Without that all that is new would gather in the last window for ever.
 * @param most the most records of a window, by an estimate that counts what was updated twice.
 */
export function compactWindows(
  old: readonly WindowState[],
  later: UpdatedDois,
  most = MOST_RECORDS,
): readonly NewWindow[] {
  const finder = new WindowFinder(old);
  const times: number[][] = old.map(() => []);
  for (const created of later.values()) {
    if (!Number.isNaN(created)) times[finder.at(created)]?.push(created);
  }
  return old.flatMap((window, place) => {
    // The cursor at which a record could not be had is one of the whole window: asked of a piece, it leads nowhere.
    const cuts = window.gaps.length > 0 ? [] : cutsOf(window, times[place] ?? [], most);
    return [window.from, ...cuts].map((from, index) => ({ from, to: cuts[index] ?? window.to, old: place }));
  });
}

/** Where a window is cut, by the creation times of its updates: evenly spread among these. */
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
