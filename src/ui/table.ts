import Table from 'cli-table3';
import { visible } from '../text/redact.ts';
import type { Look, Style } from './look.ts';
import { cut, widthOf, wrap } from './width.ts';

/** What is between two columns. */
export const GAP = '  ';
/** A column that may be cut stays at least this wide as long as others can be left out. */
const LEAST = 10;
/** The time that cli-table3 takes grows with the square of the rows: a second for four thousand of them. */
const ROWS_AT_ONCE = 50;
/** And with the square of the characters of a cell that is not ASCII: 0.7 s for five thousand. Longer cells are not aligned. */
const LONGEST = 400;
/** Stands for a column of a longer cell while it is drawn: half of a character, which no cell has. */
const STAND_IN = '\ud800';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the code of a link.
const LINK = /\u001b\]8;;(\d+)\u0007/g;

/** The table without borders of cli-table3's documents. */
const BORDERLESS = {
  chars: {
    ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
    ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
    ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: GAP },
  },
  // Its own colours follow the process. Those of a run follow its streams and options, see Look.
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};

/** A cell without control characters but those of its look. */
interface Cell {
  readonly content: string;
  /** The web address that it leads to. */
  readonly href?: string | undefined;
}

/** Lines of cells in columns of some widths. A cell that is wider than its column is cut. */
export function grid(
  rows: readonly (readonly Cell[])[],
  colWidths: readonly number[],
  colAligns: ('left' | 'right')[] = [],
): string {
  let lines = '';
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    lines += `${block(rows.slice(from, from + ROWS_AT_ONCE), colWidths, colAligns)}\n`;
  }
  return lines;
}

function block(
  rows: readonly (readonly Cell[])[],
  colWidths: readonly number[],
  colAligns: ('left' | 'right')[],
): string {
  const addresses: string[] = [];
  const long: string[] = [];
  // It changes the widths that it is given.
  const table = new Table({ ...BORDERLESS, colWidths: [...colWidths], colAligns });
  const drawable = ({ content, href }: Cell, column: number) => {
    if (content.length > LONGEST) {
      long.push(content);
      return STAND_IN.repeat(Math.max(1, Math.min(widthOf(content), colWidths[column] ?? 1, LONGEST)));
    }
    // It takes some characters of an address for text that makes the cell wider.
    return href === undefined || content === '' ? content : { content, href: `${addresses.push(href) - 1}` };
  };
  table.push(...rows.map((row) => row.map(drawable)));
  return table
    .toString()
    .replace(/ +$/gm, '')
    .replace(LINK, (_, index) => `\u001b]8;;${addresses[index]}\u0007`)
    .replace(/\ud800+/gu, () => long.shift() ?? '');
}

/** With less room next to its labels, a text is below them. */
const LEAST_TEXT = 20;
const BLANK: Cell = { content: '' };

/** A text next to a label. */
export interface Text {
  readonly text: string;
  readonly style?: Style | undefined;
  /** The web address that it leads to. */
  readonly address?: string | undefined;
}

/**
 * Labels in columns, and lines of text in one more column. A terminal without room for that has the text below its
 * labels.
 * @param width the terminal's width in characters; infinite to break no line.
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
  const cells = texts.flatMap(({ text, style, address }) =>
    wrap(text, room).map((line) => ({ content: look.paint(style, line), href: look.address(address) })),
  );
  const textWidth = Math.max(1, ...cells.map(({ content }) => widthOf(content)));
  const heads = labels.map((content) => ({ content }));
  if (!isStacked) {
    const rows = cells.map((cell, line) => [...(line === 0 ? heads : labels.map(() => BLANK)), cell]);
    return grid(rows, [...labelWidths, textWidth]);
  }
  const below = cells.map((cell) => [BLANK, cell]);
  return below.length === 0 ? '' : grid([heads], labelWidths) + grid(below, [1, textWidth]);
}

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
 * A table for people: a head, and aligned columns that fit into a width. Control characters in cells are made visible,
 * because cells hold text of the service.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { look, width = Number.POSITIVE_INFINITY }: TableOptions,
): string {
  const heads = columns.map(({ name }) => name.toUpperCase());
  const cells = rows.map((row) => row.map((cell) => visible(cell)));
  const isCut = width < Number.POSITIVE_INFINITY;
  const measured = (cell: string) => (cell.length <= LONGEST ? widthOf(cell) : isCut ? width : 0);
  const natural = heads.map((head, index) =>
    cells.reduce((most, row) => Math.max(most, measured(row[index] ?? '')), widthOf(head)),
  );
  const shown = fitted(columns, natural, width);
  const lines = [heads, ...cells].map((row, line) =>
    shown.map(({ index, wide }): Cell => {
      const { style, link } = columns[index] ?? {};
      const cell = row[index] ?? '';
      const content = isCut ? cut(cell, wide) : cell;
      if (line === 0) return { content: look.paint('bold', content) };
      return { content: look.paint(style?.(cell), content), href: look.address(link?.(cell, row)) };
    }),
  );
  const widths = shown.map(({ wide }) => wide);
  return grid(lines, widths);
}

/**
 * The columns that fit into a width, by their index, with a width for each: cli-table3 has no width of a table.
 * Columns with a rank are left out first, then the widest are cut.
 */
function fitted(
  columns: readonly Column[],
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
    const last = kept.reduce((most, one) => (one.rank > most.rank ? one : most));
    if (last.rank === 0) break;
    kept = kept.filter((one) => one !== last);
  }
  while (kept.length > 1 && room() < kept.length) kept.pop();
  for (let over = sum('wide') - room(); over > 0; over -= 1) {
    const loose = kept.filter(({ wide, least }) => wide > least);
    // Even what should stay whole is cut before a line becomes wider than the terminal.
    const widest = (loose.length > 0 ? loose : kept).reduce((most, one) =>
      one.wide > most.wide ? one : most,
    );
    widest.wide -= 1;
  }
  return kept;
}
