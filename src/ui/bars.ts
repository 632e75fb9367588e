import { visible } from '../text/redact.ts';
import { number } from '../text/words.ts';
import type { Look } from './look.ts';
import { GAP, grid } from './table.ts';
import { cut, widthOf } from './width.ts';

interface BarGroup {
  readonly head: string;
  readonly rows: readonly { readonly label: string; readonly count: number }[];
}

const NARROWEST_BAR = 6;
const NARROWEST_LABEL = 8;
const WIDEST_BAR = 40;
// A full block, and blocks of one to seven eighths.
const FULL = '█';
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Groups of horizontal bars for a terminal: the longest bar of a group is its largest count. Bars
 * are left out if labels leave too little space for them.
 * @param total the count that is 100 %.
 */
export function bars(
  groups: readonly BarGroup[],
  total: number,
  look: Look,
  width: number,
): string {
  const shown = groups.map(({ head, rows }) => ({
    head,
    rows: rows.map(({ label, count }) => ({
      label: visible(label),
      count,
      figures: `${number(count)}${GAP}${share(count, total)}`,
    })),
  }));
  const all = shown.flatMap(({ rows }) => rows);
  const figures = Math.max(0, ...all.map((row) => row.figures.length));
  const longest = Math.max(0, ...all.map(({ label }) => widthOf(label)));
  const room = Math.max(NARROWEST_LABEL, width - figures - GAP.length);
  const withBars = room - NARROWEST_BAR - GAP.length >= NARROWEST_LABEL;
  // Names matter more than bars, whose numbers are next to them.
  const labels = Math.min(longest, withBars ? room - NARROWEST_BAR - GAP.length : room);
  const bar = withBars ? Math.min(WIDEST_BAR, room - labels - GAP.length) : 0;
  return shown
    .map(({ head, rows }) => {
      const most = Math.max(1, ...rows.map(({ count }) => count));
      const lines = rows.map(({ label, figures, count }) => [
        cutLabel(label, labels),
        figures,
        ...(withBars ? [look.paint('cyan', barOf(count / most, bar))] : []),
      ]);
      const title = look.paint('bold', cut(visible(head).toUpperCase(), width));
      return `${title}\n${grid(lines, [labels, figures, bar], ['left', 'right'])}`;
    })
    .join('\n');
}

/** A label, cut before an id at its end: `University of… (ror.org/052gg0110)`. */
function cutLabel(label: string, columns: number): string {
  const [id = ''] = / \(\S+\)$/.exec(label) ?? [];
  const room = columns - widthOf(id);
  return room < NARROWEST_LABEL
    ? cut(label, columns)
    : cut(label.slice(0, -id.length || undefined), room) + id;
}

/** `12 %`; any count above zero is at least `<1 %`. */
function share(count: number, total: number): string {
  const percent = total > 0 ? (100 * count) / total : 0;
  return `${percent > 0 && percent < 1 ? '<1' : Math.round(percent)} %`.padStart(5);
}

function barOf(part: number, width: number): string {
  const eighths = part > 0 ? Math.max(1, Math.round(part * width * 8)) : 0;
  return width === 0 ? '' : FULL.repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? '');
}
