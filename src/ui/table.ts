import { strlen, truncate } from 'cli-table3/src/utils.js';
import { visible } from '../text/redact.ts';

const GAP = '  ';
const NARROWEST = 20;

/**
 * A table for people: aligned columns without a frame. Control characters in cells are made visible, because
 * cells hold text of the service.
 * @param width the terminal's width in characters: the last column is cut to fit. Undefined to cut nothing.
 */
export function table(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  color: boolean,
  width?: number,
): string {
  const cells = rows.map((row) => row.map((cell) => visible(cell)));
  const heads = columns.map((column) => column.toUpperCase());
  const widths = heads.map((head, index) => Math.max(widthOf(head), longest(cells, index)));
  const last = heads.length - 1;
  if (width !== undefined) {
    const others = widths.slice(0, last).reduce((sum, other) => sum + other + GAP.length, 0);
    widths[last] = Math.min(widths[last] ?? 0, Math.max(NARROWEST, width - others));
  }
  // Not the library's own layout: its time grows with the square of the rows, and 8000 take seconds.
  const line = (row: readonly string[], style = (cell: string) => cell) =>
    row
      .map((cell, index) => padded(cell, widths[index] ?? 0, style))
      .join(GAP)
      .trimEnd();
  const bold = (head: string) => (color ? `\u001b[1m${head}\u001b[22m` : head);
  return `${[line(heads, bold), ...cells.map((row) => line(row))].join('\n')}\n`;
}

/** A cell of a width in columns of the terminal, where some characters take two. */
function padded(cell: string, width: number, style: (cell: string) => string): string {
  const shown = widthOf(cell) > width ? truncate(cell, width) : cell;
  return style(shown) + ' '.repeat(Math.max(0, width - widthOf(shown)));
}

function longest(rows: readonly (readonly string[])[], column: number): number {
  return rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0);
}

/** The library needs a hundred times as long for what is usual. */
function widthOf(cell: string): number {
  return /^[ -~]*$/.test(cell) ? cell.length : strlen(cell);
}
