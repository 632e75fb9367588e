import { csvLine } from '../text/csv.ts';
import { visible } from '../text/redact.ts';
import type { Context } from './context.ts';

export type RowFormat = 'table' | 'json' | 'ndjson' | 'csv';

interface RowLayout<Item> {
  /** The heads of a table; in CSV, blanks become underscores. */
  readonly columns: readonly string[];
  /** The cells of a row, in the order of the columns. */
  readonly cells: (item: Item) => readonly string[];
  /** The object of a row in JSON; the item itself when left out. */
  readonly object?: (item: Item) => unknown;
}

/**
 * Prints items as rows of a table or of CSV, as one JSON array, or as JSON lines. No items make no table. In CSV
 * an item is always one line: control characters in its cells are made visible, as in a table.
 */
export async function printRows<Item>(
  context: Context,
  format: RowFormat,
  items: readonly Item[],
  { columns, cells, object = (item) => item }: RowLayout<Item>,
): Promise<void> {
  switch (format) {
    case 'json':
      return context.out.write(`${JSON.stringify(items.map(object), null, 2)}\n`);
    case 'ndjson':
      return context.out.write(items.map((item) => `${JSON.stringify(object(item))}\n`).join(''));
    case 'csv': {
      const heads = columns.map((column) => column.replace(' ', '_'));
      return context.out.write(
        [heads, ...items.map((item) => cells(item).map((cell) => visible(cell)))].map(csvLine).join(''),
      );
    }
    case 'table': {
      if (items.length === 0) return;
      const { table } = await import('../ui/table.ts');
      const color = context.color && context.host.terminal.stdout;
      // The table has made its cells safe; `context.out` would also escape its bold heads.
      return context.host.stdout.write(table(columns, items.map(cells), color));
    }
  }
}
