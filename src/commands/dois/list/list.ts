import type { Context } from '../../../cli/context.ts';
import { CliError, isStop, usageError } from '../../../errors.ts';
import { writeOutFile } from '../../../ui/out-file.ts';
import { type OutTarget, outTarget } from '../../../ui/out-target.ts';
import { dated, type ListOptions, planList, type RecordFormat } from '../query/query.ts';
import { GO_ON } from './pages.ts';
import { printList } from './print.ts';

/** Lists DOI records: one page or some, all of them, or only their count. */
export async function listDoisCommand(context: Context, typed: ListOptions): Promise<void> {
  if (typed.out === '-') throw usageError('--out takes the name of a file', 'leave --out away for stdout');
  const { format, packing } = targetOf(typed);
  const options = dated(context, complete({ ...typed, ...(format === undefined ? {} : { format }) }));
  const plan = planList(options);
  if (options.out === undefined) return printList(context, plan, options);
  const warn = (text: string) => context.messages.warn(text);
  try {
    await writeOutFile(options.out, { packing, warn }, (out) => printList(context, plan, options, out));
  } catch (error) {
    // A file is written completely or not at all, so the hint for a stream would be wrong.
    if (isStop(error)) throw error.with({ hint: GO_ON });
    if (!(error instanceof CliError && error.kind === 'incomplete')) throw error;
    throw error.with({ hint: 'run it again; without --out the records that arrive are kept' });
  }
}

/** The formats by the endings of files. */
const ENDINGS: Readonly<Record<string, RecordFormat>> = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

function targetOf({ out, format, count }: ListOptions): Partial<OutTarget<RecordFormat>> {
  if (out === undefined) return { format };
  // A number has no format, and its file any name.
  return count
    ? { ...outTarget<RecordFormat>(out, ENDINGS, 'ndjson'), format }
    : outTarget<RecordFormat>(out, ENDINGS, format);
}

/** The options of a list for a spreadsheet, which has the identifiers of organizations (service.md, F9). */
function complete(options: ListOptions): ListOptions {
  if (options.format !== 'csv' && options.format !== 'tsv') return options;
  const { filter = [] } = options;
  const hasPublisher = filter.some(([name]) => name === 'publisher');
  const others = hasPublisher ? filter : [...filter, ['publisher', 'true'] as const];
  return { ...options, affiliation: true, filter: others };
}
