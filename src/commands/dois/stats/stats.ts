import { basename, extname } from 'node:path';
import { readOrganization } from '../../../api/repositories.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { paramsOf, withoutUsual } from '../../../core/filters.ts';
import { isStop, usageError } from '../../../errors.ts';
import { toCell } from '../../../formats/spreadsheet/cell.ts';
import { sameQuery } from '../../../harvest/copy/verify.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import { buildReceipt } from '../../../harvest/store/receipt.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { delimitedLine } from '../../../text/csv.ts';
import { visible } from '../../../text/redact.ts';
import { counted } from '../../../text/words.ts';
import { Look } from '../../../ui/look.ts';
import { writeOutFile } from '../../../ui/out-file.ts';
import type { Sink } from '../../../ui/sink.ts';
import { directoryOf, ledgersOf, READING, withProgress } from '../harvest/directory.ts';
import { filterWords } from '../harvest/query.ts';
import type { DatedOptions } from '../query/dates.ts';
import {
  dated,
  type FilterOptions,
  ownParams,
  warnAboutList,
  warnOfUnknown,
} from '../query/filters.ts';
import { countAllYears } from './all-years.ts';
import { CompletenessCounter } from './completeness.ts';
import { countCopy } from './copy.ts';
import { type CopyFilter, copyFilter } from './copy-filter.ts';
import { NAMES } from './dimensions.ts';
import { type Counted, type Group, groupsOf, type Stats, shown } from './groups.ts';
import { countCompleteness } from './read-records.ts';

type StatsFormat = 'table' | 'json' | 'csv' | 'html';

interface StatsOptions extends FilterOptions {
  readonly by: readonly string[];
  readonly format?: StatsFormat;
  readonly out?: string;
  readonly dir?: string;
}

/** Reading more records than this takes too long for a report. */
const MOST_READ = 10_000;
const DEFAULT_WIDTH = 80;
const WIDEST = 120;

/**
 * Prints what a query holds at the service, or what a copy on disk holds, by some of its
 * properties.
 */
export async function statsCommand(
  context: Context,
  given: DatedOptions<StatsOptions>,
): Promise<void> {
  const format = formatOf(context, given);
  const { dir, out: file } = given;
  const report = format === 'html' ? file : undefined;
  const counting = { by: given.by, isReport: report !== undefined };
  const count =
    dir === undefined
      ? await serviceCounter(context, given, counting)
      : await copyCounter(context, given, counting);
  let lacking: string | undefined;
  const print = async (sink: Sink, onScreen: boolean) => {
    const { stats, completeness } = await count();
    if (completeness !== undefined && completeness.result.lacking > 0) lacking = completeness.csv;
    const more =
      report === undefined
        ? {}
        : { completeness: completeness?.result, lackingFile: basename(lackingFile(report)) };
    await sink.write(await rendered(context, { ...stats, ...more }, format, onScreen));
  };
  if (file === undefined) {
    const onScreen = context.host.terminal.stdout;
    return context.paged((safe, raw) => print(format === 'table' ? raw : safe, onScreen));
  }
  const warn = (text: string) => context.messages.warn(text);
  await writeOutFile(file, { warn }, (out) => print(out, false));
  if (report === undefined || lacking === undefined) return context.messages.note(`wrote ${file}`);
  const [path, csv] = [lackingFile(report), lacking];
  await writeOutFile(path, { warn }, (out) => out.write(csv));
  context.messages.note(`wrote ${report} and ${path}`);
}

/** The list of what lacks something, next to a report: `report-lacking.csv`. */
function lackingFile(report: string): string {
  return `${report.slice(0, report.length - extname(report).length)}-lacking.csv`;
}

/** The format of the option, of the ending of `--out`, or of the terminal. */
function formatOf(
  { host }: Context,
  { format, out }: Pick<StatsOptions, 'format' | 'out'>,
): StatsFormat {
  if (format !== undefined) return format;
  if (out === undefined) return host.terminal.stdout ? 'table' : 'json';
  const known = { '.html': 'html', '.htm': 'html', '.json': 'json', '.csv': 'csv' } as const;
  const ending = extname(out).toLowerCase();
  if (ending in known) return known[ending as keyof typeof known];
  throw usageError(
    `--out ${out}: the ending does not tell the format`,
    'end the name with .html, .json or .csv',
  );
}

/** @throws {CliError} kind `usage` for filters that have no counts. */
function statsParams(options: StatsOptions): Params {
  const params = paramsOf(options);
  const wrong = params.find(([name]) =>
    ['facets', 'id', 'ids', 'sample-group', 'random'].includes(name),
  );
  if (wrong === undefined) return params;
  throw usageError(`the filter ${wrong[0]} has no meaning for stats`, 'leave it out');
}

interface Found {
  readonly stats: Counted;
  readonly completeness: CompletenessCounter | undefined;
}

interface Counting {
  readonly by: readonly string[];
  readonly isReport: boolean;
}

/** @throws {CliError} kind `usage` for what the service cannot count. */
async function serviceCounter(
  context: Context,
  given: DatedOptions<StatsOptions>,
  counting: Counting,
): Promise<() => Promise<Found>> {
  const options = await dated<StatsOptions>(context, given);
  const params = statsParams(options);
  const column = counting.by.find((name) => !NAMES.includes(name));
  if (column === undefined) return () => countService(context, options, params, counting);
  const words = filterWords({ params });
  throw usageError(
    `the service does not count by ${column}: only a copy on disk can be counted by it`,
    `${context.suggest('dois', 'harvest', '--dir', 'copy', ...words)}, and then this command with --dir copy`,
  );
}

async function countService(
  context: Context,
  options: StatsOptions,
  filters: Params,
  { by, isReport }: Counting,
): Promise<Found> {
  const service = await context.service('reads', isReport ? 'service' : undefined, isReport);
  warnAboutList(context, service, options);
  const params = [...filters, ...(await ownParams(service, options))];
  const counts = await countAllYears(service, params, by);
  if (counts.total === 0) await warnOfUnknown(context, service, params);
  const stats = groupsOf(counts, by, (text) => context.messages.warn(text));
  const account = service.credentials === undefined ? null : (service.caller.account ?? null);
  const from = { baseUrl: service.http.baseUrl.href, params, account, directory: null };
  const owner = isReport ? await ownerOf(service, params) : undefined;
  const isRead = isReport && counts.total <= MOST_READ;
  if (isReport && !isRead) {
    const hint = context.suggest('dois', 'harvest', '--help');
    context.messages.note(
      `what ${counted(counts.total, 'DOI')} lack is counted in a copy only: ${hint}`,
    );
  }
  const completeness =
    isRead && counts.total > 0 ? await countCompleteness(context, service, params) : undefined;
  return { stats: { ...stamped(context, stats, from), owner }, completeness };
}

/** The name of the one repository or member that a query is about. */
async function ownerOf(service: Service, params: Params): Promise<string | undefined> {
  const filters = params.filter(([name]) => name === 'client-id' || name === 'provider-id');
  const [[name, id] = ['', '']] = filters;
  if (filters.length !== 1 || id.includes(',')) return undefined;
  const what = name === 'client-id' ? 'repositories' : 'providers';
  const found = await readOrganization(service, what, id).catch((error: unknown) => {
    if (isStop(error)) throw error;
    return undefined;
  });
  return found?.name;
}

/**
 * @throws {CliError} kind `usage` where there is no copy, and for filters that cannot be applied to
 * it.
 */
async function copyCounter(
  context: Context,
  given: DatedOptions<StatsOptions>,
  counting: Counting,
): Promise<() => Promise<Found>> {
  const directory = await directoryOf(given);
  const ledgers = await ledgersOf(directory);
  const warn = (text: string) => context.messages.warn(text);
  const filter = copyFilter(given, sameQuery(ledgers).params, { now: context.host.now(), warn });
  return () => countDirectory(context, { directory, ledgers, filter, ...counting });
}

interface Copy extends Counting {
  readonly directory: string;
  readonly ledgers: readonly LedgerData[];
  readonly filter: CopyFilter;
}

async function countDirectory(
  context: Context,
  { directory, ledgers, filter, by, isReport }: Copy,
): Promise<Found> {
  const { baseUrl, params, account } = sameQuery(ledgers);
  warnIfIncomplete(context, ledgers);
  const expected = ledgers.reduce(
    (sum, { generations }) => sum + (generations[0]?.totalAtStart ?? 0),
    0,
  );
  const completeness = isReport ? new CompletenessCounter() : undefined;
  const stats = await withProgress(
    context,
    ({ signal, progress }) =>
      countCopy(
        directory,
        ledgers,
        by,
        filter,
        signal,
        (records) => progress(records, expected),
        completeness,
      ),
    READING,
  );
  const empty = stats.groups.filter(({ buckets }) => buckets.length === 0).map(({ by }) => by);
  const unknown = stats.total === 0 ? [] : [...empty, ...(isReport ? ['affiliation'] : [])];
  for (const text of new Set(unknown.flatMap((name) => absence(name, params))))
    context.messages.warn(text);
  const from = { baseUrl, params: [...params, ...filter.params], account, directory };
  return { stats: stamped(context, stats, from), completeness };
}

/** The parameters without which a copy does not tell a column (service.md, F9, F10). */
const NEEDED: Readonly<Record<string, 'affiliation' | 'detail' | 'publisher'>> = {
  affiliation: 'affiliation',
  'creators.ror': 'affiliation',
  provider: 'detail',
  publisher_ror: 'publisher',
};

/** Why no record of a copy has a value, where its query says why. */
function absence(column: string, params: Params): readonly string[] {
  const needed = NEEDED[column];
  if (
    needed !== undefined &&
    !params.some(([name, value]) => name === needed && value === 'true')
  ) {
    return [
      needed === 'detail'
        ? `this copy was harvested without --detail: it holds no ${column}; a new copy with it does`
        : `this copy holds ${needed}s as names, without ROR ids; a new copy has them`,
    ];
  }
  const fields = params.find(([param]) => param === 'fields[dois]')?.[1];
  if (fields === undefined) return [];
  return [`this copy was harvested with --fields ${fields}: it holds no ${column}`];
}

function warnIfIncomplete(context: Context, ledgers: readonly LedgerData[]): void {
  const receipts = ledgers.flatMap((data) =>
    data.generations.map((generation) => buildReceipt(data, generation)),
  );
  const [reason] = receipts.flatMap(({ reasons }) => reasons);
  const missing = (ledgers[0]?.shard?.of ?? 1) - ledgers.length;
  const shards = missing > 0 ? `${counted(missing, 'shard')} not started` : undefined;
  const why = reason ?? shards;
  if (why !== undefined) context.messages.warn(`the copy is not complete: ${why}`);
}

function stamped(context: Context, { total, groups }: Stats, from: Counted['source']): Counted {
  const source = { ...from, params: withoutUsual(from.params) };
  return { total, countedAt: new Date(context.host.now()).toISOString(), source, groups };
}

async function rendered(
  context: Context,
  stats: Counted,
  format: StatsFormat,
  onScreen: boolean,
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(stats, null, 2)}\n`;
    case 'csv':
      return [['by', 'id', 'title', 'count'], ...stats.groups.flatMap(csvRows)]
        .map((fields) => delimitedLine(fields))
        .join('');
    case 'html':
      return (await import('./report.ts')).report(stats);
    case 'table': {
      const { bars } = await import('../../../ui/bars.ts');
      const { columns } = context.host.terminal;
      const width = onScreen && columns > 0 ? Math.min(columns, WIDEST) : DEFAULT_WIDTH;
      const look = onScreen ? context.look : Look.plain;
      return `${counted(stats.total, 'DOI')}\n\n${bars(stats.groups.map(shown), stats.total, look, width)}`;
    }
  }
}

/** In CSV an item is one line, and what has no id of its own has an empty one. */
function csvRows({ by, buckets, rest }: Group): string[][] {
  return [
    ...buckets.map(({ id, title, count }) => [
      by,
      visible(id),
      toCell(visible(title)),
      String(count),
    ]),
    ...rest.map(({ what, count }) => [by, '', `(${what})`, String(count)]),
  ];
}
