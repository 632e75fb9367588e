import Table from 'cli-table3';
import { visible } from '../text/redact.ts';
import type { Look, Style } from './look.ts';
import { cut, widthOf, wrap } from './width.ts';

/** The space between two columns. */
export const GAP = '  ';
/** Columns are left out before another column is cut to less than this. */
const LEAST = 10;
/** The time of cli-table3 grows with the square of the rows: a second for four thousand. */
const ROWS_AT_ONCE = 50;
/** Without a width, a longer cell does not widen its column. */
const LONGEST = 400;
const MOST_LINES = 5;
/** A narrow cell has more lines: a message ends with what to do. */
const LEAST_CHARACTERS = 200;
/** Stands for one character column of a cell while the table is drawn. */
const STAND_IN = 'x';

/** The borderless table from cli-table3's documentation. */
const BORDERLESS = {
  chars: {
    ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
    ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
    ...{
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: GAP,
    },
  },
  // cli-table3's colours follow the process; ours follow the run's streams and options, see Look.
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};

/**
 * Lines of cells in columns. cli-table3 measures text differently, so it draws stand-ins, which are
 * then replaced.
 */
export function grid(
  rows: readonly (readonly string[])[],
  colWidths: readonly number[],
  colAligns: ('left' | 'right')[] = [],
): string {
  let lines = '';
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const cells = rows
      .slice(from, from + ROWS_AT_ONCE)
      .map((row) =>
        row.map((cell, column) => ({ cell, wide: widthUpTo(cell, colWidths[column] ?? 0) })),
      );
    // Table changes the array of widths.
    const drawn = new Table({ ...BORDERLESS, colWidths: [...colWidths], colAligns });
    drawn.push(...cells.map((row) => row.map(({ wide }) => STAND_IN.repeat(wide))));
    const contents = cells.flat().filter(({ wide }) => wide > 0);
    const filled = drawn
      .toString()
      .replace(/ +$/gm, '')
      .replace(/x+/g, () => contents.shift()?.cell ?? '');
    lines += `${filled}\n`;
  }
  return lines;
}

const LEAST_TEXT = 20;

export interface Text {
  readonly text: string;
  readonly style?: Style | undefined;
}

/**
 * Labels in columns, and lines of text in another column, or below the labels in a narrow terminal.
 * @param width infinite to break no line.
 */
export function labelled(
  labels: readonly string[],
  labelWidths: readonly number[],
  texts: readonly Text[],
  { look, width }: { readonly look: Look; readonly width: number },
): string {
  const indent = labelWidths.reduce((sum, wide) => sum + wide + GAP.length, 0);
  const isStacked = indent > 0 && width - indent < LEAST_TEXT;
  const room = width - (isStacked ? 1 + GAP.length : indent);
  const lines = texts.flatMap(({ text, style }) =>
    wrap(text, room).map((line) => look.paint(style, line)),
  );
  const textWidth = Math.max(1, ...lines.map(widthOf));
  const blanks = labels.map(() => '');
  if (!isStacked) {
    const rows = lines.map((line, index) => [...(index === 0 ? labels : blanks), line]);
    return grid(rows, [...labelWidths, textWidth]);
  }
  const below = lines.map((line) => ['', line]);
  return below.length === 0 ? '' : grid([labels], labelWidths) + grid(below, [1, textWidth]);
}

export interface TextColumn {
  readonly name: string;
  /** The minimum useful width. Use the widest cell's width for a column that must not be cut. */
  readonly least?: number;
  /**
   * If not all columns fit, the highest rank is left out first; a column without a rank always
   * stays.
   */
  readonly rank?: number;
  /** Whether a cell that is too wide takes several lines; otherwise it is cut. */
  readonly wraps?: boolean;
  /** @param row all cells of the row. */
  readonly style?: (cell: string, row: readonly string[]) => Style | undefined;
}

interface TableOptions {
  readonly look: Look;
  /** The terminal's width in characters, which no line exceeds; undefined to cut nothing. */
  readonly width: number | undefined;
}

/** A table for people: a header, and columns that fit. Control characters in cells are escaped. */
export function table(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  { look, width = Number.POSITIVE_INFINITY }: TableOptions,
): string {
  const heads = columns.map(({ name }) => name.toUpperCase());
  const cells = rows.map((row) => row.map((cell) => visible(cell)));
  const isCut = width < Number.POSITIVE_INFINITY;
  const measured = (cell: string) => (isCut || cell.length <= LONGEST ? widthUpTo(cell, width) : 0);
  const natural = heads.map((head, index) =>
    cells.reduce((most, row) => Math.max(most, measured(row[index] ?? '')), widthOf(head)),
  );
  const shown = fitted(columns, natural, width);
  const lines = cells.flatMap((row) => {
    const pieces = shown.map(({ index, wide }) => {
      const cell = row[index] ?? '';
      const { style, wraps } = columns[index] ?? {};
      const pieces = isCut ? fittedLines(cell, wide, wraps) : [cell];
      return pieces.map((piece) => look.paint(style?.(cell, row), piece));
    });
    const height = Math.max(...pieces.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      pieces.map((cellLines) => cellLines[line] ?? ''),
    );
  });
  const head = shown.map(({ index, wide }) => look.paint('bold', cut(heads[index] ?? '', wide)));
  return grid(
    [head, ...lines],
    shown.map(({ wide }) => wide),
  );
}

function fittedLines(cell: string, columns: number, wraps = false): string[] {
  return wraps ? wrapped(cell, columns) : [cut(cell, columns)];
}

function wrapped(cell: string, columns: number): string[] {
  // Do not break a cell of megabytes into lines.
  const most = Math.max(MOST_LINES, Math.ceil(LEAST_CHARACTERS / columns));
  const lines = wrap(cell.slice(0, 2 * most * columns), columns);
  return [...lines.slice(0, most - 1), cut(lines.slice(most - 1).join(' '), columns)].filter(
    Boolean,
  );
}

/** The width of a cell in columns, up to `most`. A long cell is not measured. */
function widthUpTo(cell: string, most: number): number {
  return cell.length > 8 * most ? most : Math.min(most, widthOf(cell));
}

/**
 * The columns that fit, with their widths: first ranked columns are left out, then the widest are
 * cut.
 */
function fitted(
  columns: readonly TextColumn[],
  natural: readonly number[],
  width: number,
): readonly { readonly index: number; readonly wide: number }[] {
  let kept = natural.map((wide, index) => {
    const { least = LEAST, rank = 0 } = columns[index] ?? {};
    return { index, wide, least: Math.min(wide, least), rank };
  });
  const room = () => width - GAP.length * (kept.length - 1);
  const sum = (key: 'wide' | 'least') => kept.reduce((total, column) => total + column[key], 0);
  while (sum('least') > room()) {
    const last = kept.reduce((most, column) => (column.rank > most.rank ? column : most));
    if (last.rank === 0) break;
    kept = kept.filter((column) => column !== last);
  }
  while (kept.length > 1 && room() < kept.length) kept.pop();
  for (let over = sum('wide') - room(); over > 0; over -= 1) {
    const loose = kept.filter(({ wide, least }) => wide > least);
    // Rather cut any column than make a line wider than the terminal.
    const widest = (loose.length > 0 ? loose : kept).reduce((most, column) =>
      column.wide > most.wide ? column : most,
    );
    widest.wide -= 1;
  }
  return kept;
}
