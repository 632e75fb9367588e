import type { Context } from '../../../cli/context.ts';
import { printTable, type RowColumn } from '../../../cli/print-rows.ts';
import type { Style } from '../../../ui/look.ts';
import type { Sink } from '../../../ui/sink.ts';

const STATE_STYLES: Readonly<Record<string, Style>> = {
  findable: 'green',
  registered: 'yellow',
  draft: 'dim',
};

/** How the state of a record looks. */
export function styleOfState(state: string): Style | undefined {
  return STATE_STYLES[state];
}

const LOOKS: Readonly<Record<string, Omit<RowColumn, 'name'>>> = {
  doi: { least: 32 },
  state: { least: 10, rank: 1, style: styleOfState },
  year: { least: 4, rank: 3 },
  type: { rank: 2 },
  title: { least: 20 },
  url: { least: 20 },
  created: { isTime: true, least: 12 },
  registered: { isTime: true, least: 12 },
  updated: { isTime: true, least: 12 },
};

/** Prints a table of records, whose columns have the names of their attributes. */
export function printRecords(
  context: Context,
  names: readonly string[],
  rows: readonly (readonly string[])[],
  out?: Sink,
): Promise<void> {
  const columns = names.map((name) => ({ name, ...LOOKS[name] }));
  return printTable(context, columns, rows, out);
}
