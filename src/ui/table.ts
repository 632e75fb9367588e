import { visible } from '../text/redact.ts';
import type { Look, Style } from './look.ts';
import { cut, widthOf } from './width.ts';

const GAP = '  ';
/** Wider cells are not measured to their end, which takes a second for each megabyte: they are not aligned. */
const WIDEST = 1000;
/** A column that may be cut stays at least this wide as long as others can be left out. */
const LEAST = 10;

/** A column of a table for people. */
export interface Column {
  readonly name: string;
  /** Below this width the column is of no use; its widest cell for one that must stay whole. */
  readonly least?: number;
  /** Where not all columns fit, those with the highest rank are left out first; without a rank, none. */
  readonly rank?: number;
  readonly style?: (cell: string) => Style | undefined;
  /** The web address that a cell of a row leads to. */
  readonly link?: (cell: string, row: readonly string[]) => string | undefined;
}

interface TableOptions {
  readonly look: Look;
  /** The terminal's width in characters, which no line exceeds; undefined to cut nothing. */
  readonly width: number | undefined;
}

/**
 * A table for people: aligned columns without a frame. Control characters in cells are made visible, because
 * cells hold text of the service.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { look, width = Number.POSITIVE_INFINITY }: TableOptions,
): string {
  const cells = rows.map((row) => row.map((cell) => visible(cell)));
  const isCut = width < Number.POSITIVE_INFINITY;
  const measured = (cell: string) => Math.min(WIDEST, widthOf(cell, WIDEST));
  const heads = columns.map(({ name }) => name.toUpperCase());
  const natural = heads.map((head, index) =>
    cells.reduce((most, row) => Math.max(most, measured(row[index] ?? '')), widthOf(head)),
  );
  const widths = fitted(columns, natural, width);
  const shown = [...widths.keys()];
  const line = (row: readonly string[], styled: (cell: string, index: number) => string) =>
    shown
      .map((index, place) => {
        const room = widths.get(index) ?? 0;
        const whole = row[index] ?? '';
        const cell = isCut ? cut(whole, room) : whole;
        const padding = place === shown.length - 1 ? 0 : room - measured(cell);
        return styled(cell, index) + ' '.repeat(Math.max(0, padding));
      })
      .join(GAP)
      .trimEnd();
  const body = cells.map((row) =>
    line(row, (shownCell, index) => {
      const { style, link } = columns[index] ?? {};
      const cell = row[index] ?? '';
      return look.link(look.paint(style?.(cell), shownCell), link?.(cell, row));
    }),
  );
  return `${[line(heads, (head) => look.paint('bold', head)), ...body].join('\n')}\n`;
}

/**
 * The columns that fit into a width, by their index, with a width for each. Columns with a rank go first, then the
 * widest are cut.
 */
function fitted(
  columns: readonly Column[],
  natural: readonly number[],
  width: number,
): ReadonlyMap<number, number> {
  let kept = columns.map((column, index) => {
    const wide = Math.min(natural[index] ?? 0, width);
    return { index, wide, least: Math.min(wide, column.least ?? LEAST), rank: column.rank ?? 0 };
  });
  const room = () => width - GAP.length * (kept.length - 1);
  const leastSum = () => kept.reduce((sum, { least }) => sum + least, 0);
  while (leastSum() > room()) {
    const last = kept.reduce((most, one) => (one.rank > most.rank ? one : most));
    if (last.rank === 0) break;
    kept = kept.filter((one) => one !== last);
  }
  while (kept.length > 1 && room() < kept.length) kept.pop();
  // Even what should stay whole is cut before a line becomes wider than the terminal.
  const share = Math.min(1, room() / leastSum());
  const least = (one: { readonly least: number }) => Math.max(1, Math.floor(one.least * share));
  const at = (level: number) => kept.map((one) => Math.min(one.wide, Math.max(least(one), level)));
  const sum = (widths: readonly number[]) => widths.reduce((total, one) => total + one, 0);
  let level = Math.max(0, ...kept.map(({ wide }) => wide));
  while (level > 0 && sum(at(level)) > room()) level -= 1;
  const widths = at(level);
  // What the last step took too much goes to the columns that are cut.
  for (let index = 0, spare = room() - sum(widths); index < kept.length && spare > 0; index += 1) {
    const more = Math.min(1, (kept[index]?.wide ?? 0) - (widths[index] ?? 0));
    widths[index] = (widths[index] ?? 0) + more;
    spare -= more;
  }
  return new Map(kept.map(({ index }, place) => [index, widths[place] ?? 0]));
}
