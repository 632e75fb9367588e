import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import { delimitedLine } from '../../../text/csv.ts';
import { visible } from '../../../text/redact.ts';
import { DATA_ENDINGS, type OutTarget, outTarget, writeOutFile } from '../../../ui/out-file.ts';
import { Progress } from '../../../ui/progress.ts';
import type { Sink } from '../../../ui/sink.ts';
import { type EndTable, printTables } from './tables.ts';

export type ResultFormat = 'table' | 'ndjson' | 'json' | 'csv' | 'tsv';

/** Where the results of a run go: to stdout, or to a file. */
export interface ResultTarget {
  readonly format: ResultFormat;
  readonly out?: string | undefined;
  readonly packing?: OutTarget<ResultFormat>['packing'];
}

/** How results look to people; as JSON they are as they come. */
interface ResultLayout<Result> {
  /** The heads of CSV. */
  readonly heads: readonly string[];
  readonly cells: (result: Result) => readonly string[];
  /** What is shown at the end of the run. */
  readonly tables: readonly EndTable<Result>[];
}

export interface Run<Result> {
  readonly write: (result: Result) => Promise<void>;
  readonly progress: Progress;
}

/**
 * Where the results go: `--out` and its ending, else a table on a terminal, and NDJSON elsewhere.
 * @throws {CliError} kind `usage` for a file that cannot hold results.
 */
export function resultTarget(
  { host }: Context,
  { format, out }: { readonly format?: ResultFormat | undefined; readonly out?: string | undefined },
): ResultTarget {
  if (out === undefined) return { format: format ?? (host.terminal.stdout ? 'table' : 'ndjson') };
  const target = outTarget<ResultFormat>(out, DATA_ENDINGS, format);
  if (target.format !== undefined && target.format !== 'table')
    return { ...target, format: target.format, out };
  throw usageError(`--out ${out}: a file of results is CSV, TSV, JSON or NDJSON`, '--out results.csv');
}

/** Whether tables are shown at the end, so that nothing needs to be told before. */
export const endsWithTables = ({ host }: Context, { format, out }: ResultTarget): boolean =>
  out === undefined ? format === 'table' : host.terminal.stderr;

/**
 * Carries out long work that has many results: shows how far it is, writes each result to stdout or the file of `--out`,
 * and at the end shows the tables of what people want to know, also of work that was stopped.
 * @param first what is shown before anything is done.
 * @throws what `work` throws; {@link writeOutFile} says of the file that it was not written.
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
    const { head = '', line, between = '', tail = '' } = textsOf(format, layout);
    let [before, written] = ['', Promise.resolve()];
    // Several at once would not reach a file in order.
    const put = (text: string) => {
      if (text !== '') written = written.then(() => sink.write(text));
      return written;
    };
    const write = (result: Result) => {
      for (const table of layout.tables) table.add(result);
      const text = before + line(result);
      before = between;
      return put(text);
    };
    await put(head);
    return work({ write, progress }).finally(() => put(tail));
  };
  try {
    const warn = (text: string) => context.messages.warn(text);
    return await (out === undefined ? run(context.out) : writeOutFile(out, { packing, warn }, run));
  } finally {
    progress.stop();
    if (endsWithTables(context, target)) await printTables(context, layout.tables, out);
  }
}

/** What a format has before the results, for each, between two, and behind them. */
interface Texts<Result> {
  readonly head?: string;
  readonly line: (result: Result) => string;
  readonly between?: string;
  readonly tail?: string;
}

function textsOf<Result>(format: ResultFormat, { heads, cells }: ResultLayout<Result>): Texts<Result> {
  const spreadsheet = (delimiter: ',' | '\t') => ({
    head: delimitedLine(heads, delimiter),
    line: (result: Result) =>
      delimitedLine(
        cells(result).map((cell) => visible(cell)),
        delimiter,
      ),
  });
  const formats: Record<ResultFormat, Texts<Result>> = {
    table: { line: () => '' },
    ndjson: { line: (result) => `${JSON.stringify(result)}\n` },
    json: { head: '[\n', line: (result) => JSON.stringify(result), between: ',\n', tail: '\n]\n' },
    csv: spreadsheet(','),
    tsv: spreadsheet('\t'),
  };
  return formats[format];
}
