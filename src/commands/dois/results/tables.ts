import type { Context } from '../../../cli/context.ts';
import { number } from '../../../text/words.ts';
import { Look } from '../../../ui/look.ts';
import type { Column } from '../../../ui/table.ts';

/** The most rows of a table, so that the tables of a run fit on some screens. */
export const MOST_ROWS = 50;

/** A table at the end of a run. */
export interface EndTable<Result> {
  readonly columns: readonly Column[];
  /** Whether it says what failed, which is shown next to a file of results, too. */
  readonly isProblem: boolean;
  add(result: Result): void;
  readonly rows: readonly (readonly string[])[];
  /** How many results have no room in it. */
  readonly more: number;
}

/** A table of the first results that have rows. @param rowsOf gives undefined for one that is only counted. */
export function firstRows<Result>(
  isProblem: boolean,
  columns: readonly Column[],
  rowsOf: (result: Result) => readonly (readonly string[])[] | undefined,
): EndTable<Result> {
  const rows: (readonly string[])[] = [];
  const table = { isProblem, columns, rows, more: 0 };
  return Object.assign(table, {
    add(result: Result) {
      const own = rowsOf(result);
      if (own !== undefined && rows.length < MOST_ROWS) rows.push(...own);
      else if (own === undefined || own.length > 0) table.more += 1;
    },
  });
}

/** Prints tables that have rows to stdout; next to a file of results, those of what failed to stderr. */
export async function printTables<Result>(
  context: Context,
  tables: readonly EndTable<Result>[],
  out: string | undefined,
): Promise<void> {
  const { host, messages, options } = context;
  const shown = tables.filter(({ rows, isProblem }) => rows.length > 0 && (out === undefined || isProblem));
  if (shown.length === 0) return;
  const { table } = await import('../../../ui/table.ts');
  const isCut = (out === undefined ? host.terminal.stdout : host.terminal.stderr) && !options.wide;
  const width = isCut ? host.terminal.columns || undefined : undefined;
  const look = out === undefined ? context.look : Look.plain;
  for (const [place, { columns, rows, more }] of shown.entries()) {
    const all = out === undefined ? '; --out results.csv has all' : ` in ${out}`;
    const rest = more > 0 ? `… and ${number(more)} more${all}\n` : '';
    const text = `${place > 0 ? '\n' : ''}${table(columns, rows, { look, width })}${rest}`;
    if (out === undefined) await host.stdout.write(text);
    else for (const line of text.trimEnd().split('\n')) messages.status(line);
  }
}
