import { type RowFormat, rowWriter } from '../formats/output/row-writer.ts';
import { ago } from '../text/words.ts';
import { Look } from '../ui/look.ts';
import type { Sink } from '../ui/sink.ts';
import type { TextColumn } from '../ui/table.ts';
import type { Io } from './io.ts';

export type { RowFormat };

export interface RowColumn extends TextColumn {
  /** Whether its cells contain ISO times, which a terminal shows as ages. */
  readonly isTime?: boolean;
}

interface ItemLayout<Item> {
  /** The heads of a table; in CSV, blanks become underscores. */
  readonly columns: readonly RowColumn[];
  readonly cells: (item: Item) => readonly string[];
  /** The object of a row in JSON; the item itself when left out. */
  readonly object?: (item: Item) => unknown;
}

/**
 * Prints items as rows of a table or of CSV, as one JSON array, or as JSON lines. Without items
 * there is no table. Control characters in cells are made visible.
 */
export async function printRows<Item>(
  context: Io,
  format: RowFormat,
  items: readonly Item[],
  { columns, cells, object = (item) => item }: ItemLayout<Item>,
): Promise<void> {
  const json = (item: Item) =>
    format === 'json'
      ? `  ${JSON.stringify(object(item), null, 2).replaceAll('\n', '\n  ')}`
      : JSON.stringify(object(item));
  const heads = columns.map(({ name }) => name.replace(' ', '_'));
  const table = (rows: readonly (readonly string[])[]) => printTable(context, columns, rows);
  const writer = rowWriter(format, context.out, { heads, cells, json, table });
  if (items.length > 0) await writer.write(items);
  await writer.end();
}

/** Prints a table to stdout or a file: on a terminal in its width, with ages instead of times. */
export async function printTable(
  context: Io,
  columns: readonly RowColumn[],
  rows: readonly (readonly string[])[],
  out?: Sink,
): Promise<void> {
  if (out === undefined) return context.page(await tableText(context, columns, rows));
  const { table } = await import('../ui/table.ts');
  await out.write(table(columns, rows, { look: new Look(), width: undefined }));
}

/** A table as {@link printTable} prints it to stdout. */
export async function tableText(
  context: Io,
  columns: readonly RowColumn[],
  rows: readonly (readonly string[])[],
): Promise<(look: Look) => string> {
  const { table } = await import('../ui/table.ts');
  const { now, terminal } = context.host;
  const isCut = terminal.stdout && !context.options.wide;
  const aged = (cell: string, index: number) => (columns[index]?.isTime ? ago(cell, now()) : cell);
  const shown = isCut ? rows.map((row) => row.map(aged)) : rows;
  const width = isCut ? terminal.columns || undefined : undefined;
  // The table makes its cells safe.
  return (look) => table(columns, shown, { look, width });
}
