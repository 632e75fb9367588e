import Table from 'cli-table3';
import { visible } from '../text/redact.ts';

const CHARS = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
];
const NO_FRAME = { ...Object.fromEntries(CHARS.map((name) => [name, ''])), middle: '  ' };
const GAP = 2;
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
  const widths: (number | null)[] = heads.map(() => null);
  if (width !== undefined) {
    const others = heads.slice(0, -1).map((_, index) => longest([heads, ...cells], index) + GAP);
    const left = Math.max(NARROWEST, width - others.reduce((sum, other) => sum + other, 0));
    if (longest(cells, heads.length - 1) > left) widths[heads.length - 1] = left;
  }
  const made = new Table({
    chars: NO_FRAME,
    colWidths: widths,
    // By default the library colours heads and borders.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  made.push(color ? heads.map((head) => `\u001b[1m${head}\u001b[22m`) : heads, ...cells);
  const lines = made.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function longest(rows: readonly (readonly string[])[], column: number): number {
  return rows.reduce((most, row) => Math.max(most, [...(row[column] ?? '')].length), 0);
}
