import { countDois, lastReachablePage } from '../../../api/pagination.ts';
import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import type { Undated } from '../../../core/dates.ts';
import { MAX_PAGE_SIZE } from '../../../core/defaults.ts';
import { paramsOf, requireCursor } from '../../../core/filters.ts';
import { type DoiList, listAll, recordsOf, walkShown } from '../../../core/list.ts';
import { listNumbered, type PageRange } from '../../../core/list-pages.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { RecordOptions, RowWriter } from '../../../formats/output/row-writer.ts';
import { FORMATS, WRITTEN_ENDINGS, type WrittenFormat } from '../../../formats/registry.ts';
import { countParams, type Params } from '../../../harvest/walk/query-params.ts';
import { counted, formatDuration, plural } from '../../../text/words.ts';
import { type OutTarget, outTarget, writeOutFile } from '../../../ui/out-file.ts';
import { Progress } from '../../../ui/progress.ts';
import type { Sink } from '../../../ui/sink.ts';
import { dated, ownParams, warnAboutList, warnOfUnknown } from '../query/filters.ts';
import type { list } from './index.ts';
import type { TableTarget } from './record-table.ts';

type TypedOptions = OptionsOf<typeof list>;
type ListOptions = Undated<TypedOptions>;

/** How to request a list: its filters and pages. `--all` walks a cursor instead of page numbers. */
interface ListPlan extends PageRange {
  readonly query: Params;
}

/** Lists DOI records: one page or some, all of them, or only their count. */
export async function listDoisCommand(context: Context, typed: TypedOptions): Promise<void> {
  const { format, packing } = targetOf(typed);
  if (typed.columns !== undefined) await checkColumns(typed.columns, format);
  if (format === 'parquet') refuseForParquet(typed, packing !== undefined);
  const options = await dated(context, { ...typed, ...(format && { format }) });
  const plan = planList(withTimes(options));
  if (options.out === undefined) return printList(context, plan, options);
  const { warn } = context.messages;
  try {
    await writeOutFile(options.out, { packing, warn }, (out) =>
      printList(context, plan, options, out),
    );
  } catch (error) {
    // A file is written completely or not at all, so the hint for a stream would be wrong.
    if (!(error instanceof CliError && error.kind === 'incomplete')) throw error;
    throw error.with({ hint: 'leave out --out to keep the records that arrive' });
  }
}

type ListFormat = WrittenFormat | 'table';

function targetOf({ out, format, count }: TypedOptions): Partial<OutTarget<ListFormat>> {
  if (out === undefined) return { format };
  // A number has no format, and its file any name.
  return {
    ...outTarget<ListFormat>(out, WRITTEN_ENDINGS, count ? 'ndjson' : format),
    ...(count && { format }),
  };
}

/** Columns are for people, who read tables, CSV and TSV. */
async function checkColumns(
  columns: readonly string[],
  format: ListFormat | undefined,
): Promise<void> {
  const { plainColumns } = await import('../../../metadata/tables/plain.ts');
  plainColumns(columns);
  if (format === undefined || PLAIN.includes(format)) return;
  throw usageError(
    `--columns is for ${PLAIN.join(', ')}, not for ${format}`,
    format === 'parquet'
      ? 'leave it out: Parquet has all columns'
      : 'use --fields, or --format csv',
  );
}

const PLAIN: readonly ListFormat[] = ['table', 'csv', 'tsv'];

function refuseForParquet({ out, fields, count }: TypedOptions, isPacked: boolean): void {
  if (out === undefined) throw usageError('Parquet is for a file', 'add --out dois.parquet');
  if (isPacked)
    throw usageError(`--out ${out}: Parquet is compressed already`, 'leave the last ending out');
  if (fields !== undefined && !count) {
    throw usageError(
      '--fields would leave columns of the table empty',
      'leave it out, or use --format csv',
    );
  }
}

/** Adds the times that the column `exported` needs: exports of two versions must differ. */
function withTimes(options: ListOptions): ListOptions {
  const { fields, format, count } = options;
  if (fields === undefined || count || (format !== 'csv' && format !== 'tsv')) return options;
  return { ...options, fields: [...new Set([...fields, 'created', 'updated'])] };
}

// The service's default (service.md, P1).
const DEFAULT_PAGE_SIZE = 25;

/** Checks the options against each other, and finds the pages to request. */
export function planList(options: ListOptions): ListPlan {
  const { all = false, limit, page, sort } = options;
  const query = paramsOf(options);
  const alone = (['jobs', 'rate'] as const).find((name) => !all && options[name] !== undefined);
  if (alone !== undefined) {
    throw usageError(`--${alone} has a meaning only with --all`, 'leave it out, or add --all');
  }
  if (all) requireCursor(query, '--all');
  // With --page, the number counts pages of the default size; larger pages save requests.
  const usual =
    page === undefined ? (limit ?? (all ? MAX_PAGE_SIZE : DEFAULT_PAGE_SIZE)) : DEFAULT_PAGE_SIZE;
  const pageSize = options.pageSize ?? Math.min(usual, MAX_PAGE_SIZE);
  if (all && pageSize === 0) {
    throw usageError('--all needs a page size of at least 1', 'leave --page-size out');
  }
  const first = page ?? 1;
  const last =
    limit === undefined || pageSize === 0 ? first : first + Math.ceil(limit / pageSize) - 1;
  if (!all && last > lastReachablePage(pageSize)) {
    throw usageError(
      'page numbers reach the first 10,000 records only' +
        ` (page ${lastReachablePage(pageSize)} at ${pageSize} records a page)`,
      // The cursor has an order of its own (service.md, P5): these would be other records.
      'use --all, which reaches every record, the oldest first',
    );
  }
  return { query, first, last, pageSize, sort };
}

async function printList(
  context: Context,
  plan: ListPlan,
  options: ListOptions,
  out?: Sink,
): Promise<void> {
  const { all = false, count = false, rate, fields, columns, limit } = options;
  const isWide = all && !count;
  const service = await context.services.open('reads', isWide ? (rate ?? 'service') : undefined);
  warnAboutList(context, service, options);
  const query = [...plan.query, ...(await ownParams(service, options))];
  if (count) {
    const total = await countDois(service, countParams(query));
    await (out ?? context.out).write(`${total}\n`);
    return total === 0 ? warnOfUnknown(context, service, query) : undefined;
  }
  const onScreen = context.host.terminal.stdout && out === undefined;
  const stream = columns === undefined ? 'ndjson' : 'csv';
  const format = options.format ?? (onScreen ? 'table' : stream);
  const list = all
    ? listAll(service, query, { ...options, pageSize: plan.pageSize, now: context.host.now })
    : listNumbered(service, query, plan);
  const whenEmpty = () => warnOfUnknown(context, service, query);
  const writing = {
    ...{ fields, columns },
    isEditable: service.credentials !== undefined,
    warn: context.messages.warn,
  };
  const print = async (safe: Sink, raw: Sink) => {
    const pages = all ? raw : undefined;
    const writer = await writerOf(context, format, writing, safe, { out, pages });
    if (all) return printAll(context, list, writer, { limit, onScreen, whenEmpty });
    const { printNumbered } = await import('./numbered.ts');
    await printNumbered(context, list, writer, { ...plan, limit, whenEmpty });
  };
  // A table at the end has a pager of its own.
  const isPaged = onScreen && (all || format !== 'table');
  const { stdout } = context.host;
  await (isPaged ? context.paged(print) : print(out ?? context.out, out ?? stdout));
}

async function writerOf(
  context: Context,
  format: ListFormat,
  options: RecordOptions,
  sink: Sink,
  tables: TableTarget,
): Promise<RowWriter<Buffer>> {
  if (format !== 'table') return (await FORMATS[format].write())(sink, options);
  const { recordTable } = await import('./record-table.ts');
  return recordTable(context, options, tables);
}

interface AllRecords {
  readonly limit: number | undefined;
  readonly onScreen: boolean;
  /** Called where no record matches. */
  readonly whenEmpty: () => Promise<void>;
}

/** `--all`: shows progress, and compares the records with the service's count at the end. */
async function printAll(
  context: Context,
  list: DoiList,
  writer: RowWriter<Buffer>,
  { limit, onScreen, whenEmpty }: AllRecords,
): Promise<void> {
  const progress = await Progress.start(context, onScreen);
  const { totals, notes } = await walkShown(list, writer, { progress, limit });
  const { records, lastTotal = records } = totals;
  const isCut = limit !== undefined && records >= limit;
  const count = isCut
    ? `${recordsOf(totals)} ${plural(lastTotal, 'DOI')}`
    : counted(records, 'DOI');
  context.messages.note([`${count} in ${formatDuration(progress.elapsed)}`, ...notes].join('; '));
  if (lastTotal === 0) await whenEmpty();
}
