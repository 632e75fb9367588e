import type { Context } from '../../../cli/context.ts';
import { coalesced } from '../../../concurrency/promises.ts';
import { type Problem, usageError } from '../../../errors.ts';
import { type RowFormat, type RowWriter, rowWriter } from '../../../formats/output/row-writer.ts';
import { ENDINGS } from '../../../formats/registry.ts';
import { placeText, withoutIndices, withoutValues } from '../../../metadata/findings.ts';
import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import { Look } from '../../../ui/look.ts';
import { type OutTarget, outTarget, writeOutFile } from '../../../ui/out-file.ts';
import { Progress } from '../../../ui/progress.ts';
import type { Sink } from '../../../ui/sink.ts';
import type { TextColumn } from '../../../ui/table.ts';
import type { LineResult } from '../../../writing/ledger/entry.ts';

const RESULT_FORMATS: ReadonlySet<string> = new Set(['csv', 'tsv', 'json', 'ndjson']);

/** Where the results of a run go: to stdout, or to a file. */
export interface ResultTarget {
  readonly format: RowFormat;
  readonly out?: string | undefined;
  readonly packing?: OutTarget<RowFormat>['packing'];
  /** Whether it only shows tables before a question, on stderr. */
  readonly isPreview?: boolean;
}

/** How results look. */
interface ResultLayout<Result> {
  /** The JSON of a result, by default all of it. */
  readonly json?: (result: Result) => string;
  readonly heads: readonly string[];
  readonly cells: (result: Result) => readonly string[];
  readonly tables: readonly EndTable<Result>[];
}

// The most characters that wait to be written. A write for each result would take longer than the
// work on it.
const MOST_WAITING = 64 * 1024;

interface Run<Result> {
  readonly write: (result: Result) => Promise<void>;
  readonly progress: Progress;
}

/** The target and format of results: `--out` and its ending, else a terminal or NDJSON. */
export function resultTarget(
  { host }: Context,
  { format, out }: { readonly format?: RowFormat | undefined; readonly out?: string | undefined },
): ResultTarget {
  if (out === undefined) return { format: format ?? (host.terminal.stdout ? 'table' : 'ndjson') };
  const endings = Object.fromEntries(
    Object.entries(ENDINGS).filter((entry): entry is [string, Exclude<RowFormat, 'table'>] =>
      RESULT_FORMATS.has(entry[1]),
    ),
  );
  const target = outTarget<RowFormat>(out, endings, format);
  if (target.format !== undefined && target.format !== 'table')
    return { ...target, format: target.format, out };
  throw usageError(
    `--out ${out}: a file of results is CSV, TSV, JSON or NDJSON`,
    '--out results.csv',
  );
}

/** Whether tables follow at the end, so that nothing needs to be reported before. */
export const endsWithTables = ({ host }: Context, { format, out }: ResultTarget): boolean =>
  out === undefined ? format === 'table' : host.terminal.stderr;

/**
 * Runs long work: shows progress, writes each result, and at the end, even of work that was
 * stopped, shows tables of what people want to know.
 * @param first what is shown before the first result.
 */
export async function withResults<Result, Made>(
  context: Context,
  target: ResultTarget,
  layout: ResultLayout<Result>,
  first: string,
  work: (run: Run<Result>) => Promise<Made>,
): Promise<Made> {
  const { format, out, packing } = target;
  const onScreen = out === undefined && format !== 'table' && context.host.terminal.stdout;
  const progress = await Progress.start(context, onScreen, first);
  const run = async (sink: Sink): Promise<Made> => {
    const texts = gathering(sink);
    const writer = writerOf(format, texts, layout);
    const write = (result: Result) => {
      for (const table of layout.tables) table.add(result);
      return writer.write([result]);
    };
    await writer.write([]);
    return work({ write, progress }).finally(async () => {
      await writer.end();
      await texts.flush();
    });
  };
  try {
    const { warn } = context.messages;
    return await (out === undefined ? run(context.out) : writeOutFile(out, { packing, warn }, run));
  } finally {
    progress.stop();
    if (endsWithTables(context, target)) await printTables(context, layout.tables, target);
  }
}

function writerOf<Result>(
  format: RowFormat,
  sink: Sink,
  { heads, cells, json = JSON.stringify }: ResultLayout<Result>,
): RowWriter<Result> {
  // On a terminal, the tables of the layout replace a table of all results.
  if (format === 'table') return { write: async () => {}, end: async () => {} };
  return rowWriter(format, sink, { heads, cells, json, table: async () => {} });
}

/** A sink that joins the texts that arrive during a write into the next one. */
function gathering(sink: Sink): Sink & { readonly flush: () => Promise<void> } {
  let waiting = '';
  let failure: unknown;
  const flush = coalesced(async () => {
    const text = waiting;
    waiting = '';
    if (text !== '') await sink.write(text);
  });
  return {
    async write(...chunks) {
      if (failure !== undefined) throw failure;
      waiting += chunks.join('');
      const written = flush().catch((error: unknown) => {
        failure ??= error;
        throw error;
      });
      if (waiting.length >= MOST_WAITING) await written;
      else written.catch(() => undefined);
    },
    // A write that was not awaited may have failed meanwhile.
    async flush() {
      await flush();
      if (failure !== undefined) throw failure;
    },
  };
}

/** The most rows of a table, so that the tables of a run fit on some screens. */
export const MOST_ROWS = 50;

/** A table at the end of a run. */
export interface EndTable<Result> {
  readonly columns: readonly TextColumn[];
  /** Whether it lists failures, which are also shown when the results go to a file. */
  readonly isProblem: boolean;
  add(result: Result): void;
  readonly rows: readonly (readonly string[])[];
  readonly more: number;
}

/**
 * A table of the first results that have rows.
 * @param rowsOf returns undefined for a result that is only counted.
 */
export function firstRows<Result>(
  isProblem: boolean,
  columns: readonly TextColumn[],
  rowsOf: (result: Result) => readonly (readonly string[])[] | undefined,
): EndTable<Result> {
  const rows: (readonly string[])[] = [];
  const table = { isProblem, columns, rows, more: 0 };
  return Object.assign(table, {
    add(result: Result) {
      const added = rowsOf(result);
      if (added !== undefined && rows.length < MOST_ROWS) rows.push(...added);
      else if (added === undefined || added.length > 0) table.more += 1;
    },
  });
}

/** Prints tables that have rows: to stdout; for a file of results, only failures and to stderr. */
async function printTables<Result>(
  context: Context,
  tables: readonly EndTable<Result>[],
  { out, isPreview = false }: ResultTarget,
): Promise<void> {
  const { host, messages, options } = context;
  const shown = tables.filter(
    ({ rows, isProblem }) => rows.length > 0 && (out === undefined || isProblem),
  );
  if (shown.length === 0) return;
  const { table } = await import('../../../ui/table.ts');
  const onStdout = out === undefined && !isPreview;
  const isCut = (onStdout ? host.terminal.stdout : host.terminal.stderr) && !options.wide;
  const width = isCut ? host.terminal.columns || undefined : undefined;
  const look = onStdout ? context.look : new Look();
  for (const [place, { columns, rows, more }] of shown.entries()) {
    const all = out === undefined ? '; --out results.csv has all' : ` in ${out}`;
    const rest = more > 0 ? `… and ${number(more)} more${isPreview ? '' : all}\n` : '';
    const text = `${place > 0 ? '\n' : ''}${table(columns, rows, { look, width })}${rest}`;
    if (onStdout) await host.stdout.write(text);
    else for (const line of text.trimEnd().split('\n')) messages.status(line);
  }
}

/** The number of lines whose problems stderr shows, unless a table follows; results show all. */
export const MAX_SHOWN = 5;
/** The number of different warnings that are counted: columns and attributes are fewer. */
const MOST_KINDS = 100;

/** Counts the records with warnings, and those with each kind of warning. */
export class WarningCounts {
  #records = 0;
  readonly #kinds = new Map<string, number>();

  /** Adds the warnings of a record. */
  add({ dropped = [], warnings = [] }: Pick<LineResult, 'dropped' | 'warnings'>): void {
    const kinds = new Set([...dropped, ...warnings].map(kindOf));
    if (kinds.size > 0) this.#records += 1;
    for (const kind of kinds) {
      const count = this.#kinds.get(kind) ?? 0;
      if (count > 0 || this.#kinds.size < MOST_KINDS) this.#kinds.set(kind, count + 1);
    }
  }

  /** A line for each kind, where more records have warnings than are shown. */
  lines(): readonly string[] {
    if (this.#records <= MAX_SHOWN) return [];
    return [
      `${counted(this.#records, 'record')} have warnings, and their results have all of them:`,
      ...[...this.#kinds].map(([kind, count]) => `  ${counted(count, 'record')}: ${kind}`),
    ];
  }
}

/** A warning without its value, the values in its message and the places in lists of a record. */
function kindOf({ path, column, message }: Problem): string {
  return visible(`${placeText(withoutIndices(path ?? ''), column)}${withoutValues(message)}`);
}
