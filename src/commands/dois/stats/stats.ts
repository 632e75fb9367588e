import { extname } from 'node:path';
import { readOrganization } from '../../../api/repositories.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import type { Undated } from '../../../core/dates.ts';
import { paramsOf } from '../../../core/filters.ts';
import { countAllYears } from '../../../core/stats/all-years.ts';
import { countCompleteness } from '../../../core/stats/completeness.ts';
import {
  COMPLETENESS,
  isCountedByService,
  REPORT_NAMES,
  USUAL_NAMES,
} from '../../../core/stats/dimensions.ts';
import { type Counted, type Group, groupsOf, shown, stamped } from '../../../core/stats/groups.ts';
import { isStop, usageError } from '../../../errors.ts';
import { delimited } from '../../../formats/output/row-writer.ts';
import { toCell } from '../../../formats/spreadsheet/cell.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import { visible } from '../../../text/redact.ts';
import { counted } from '../../../text/words.ts';
import { Look } from '../../../ui/look.ts';
import { writeOutFile } from '../../../ui/out-file.ts';
import { Progress } from '../../../ui/progress.ts';
import type { Sink } from '../../../ui/sink.ts';
import { filterWords } from '../harvest/query.ts';
import { dated, ownParams, warnAboutList, warnOfUnknown } from '../query/filters.ts';
import type { stats } from './index.ts';

type TypedOptions = OptionsOf<typeof stats>;
type StatsOptions = Undated<TypedOptions>;
type StatsFormat = NonNullable<TypedOptions['format']>;

interface Counting {
  readonly by: readonly string[];
  readonly isReport: boolean;
}

/** The most records that a report reads: more would take too long. */
const MOST_READ = 10_000;
const DEFAULT_WIDTH = 80;
const WIDEST = 120;

/** Counts the records of a query at the service, or of a copy on disk, by some properties. */
export async function statsCommand(context: Context, typed: TypedOptions): Promise<void> {
  const format = formatOf(context, typed);
  const { dir, out } = typed;
  const isReport = format === 'html';
  const by = typed.by ?? (isReport ? REPORT_NAMES : USUAL_NAMES);
  const counting = { by, isReport };
  const count =
    dir === undefined
      ? await serviceCounter(context, typed, counting)
      : await (await import('./copy-counter.ts')).copyCounter(context, typed, by);
  if (out !== undefined) {
    const { warn, note } = context.messages;
    await writeOutFile(out, { warn }, async (sink) =>
      write(context, await count(), format, sink, false),
    );
    return note(`wrote ${out}`);
  }
  const onScreen = context.host.terminal.stdout;
  await context.paged(async (safe, raw) =>
    write(context, await count(), format, format === 'table' ? raw : safe, onScreen),
  );
}

/** The format: `--format`, else the ending of `--out`, else the default of stdout. */
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

/** @throws {CliError} kind `usage` for a property that the service does not count. */
async function serviceCounter(
  context: Context,
  typed: TypedOptions,
  counting: Counting,
): Promise<() => Promise<Counted>> {
  const options = await dated(context, typed);
  const params = statsParams(options);
  const column = counting.by.find((name) => !isCountedByService(name));
  if (column === undefined) return () => countService(context, options, params, counting);
  const words = filterWords({ params });
  const harvest = context.suggest('dois', 'harvest', '--dir', 'copy', ...words);
  throw usageError(
    `the service does not count by ${column}: only a copy on disk can be counted by it`,
    `${harvest}, and then this command with --dir copy`,
  );
}

async function countService(
  context: Context,
  options: StatsOptions,
  filters: Params,
  counting: Counting,
): Promise<Counted> {
  const { by, isReport } = counting;
  const isRead = by.includes(COMPLETENESS);
  const reads = isReport || isRead;
  const service = await context.services.open('reads', reads ? 'service' : undefined);
  warnAboutList(context, service, options);
  const params = [...filters, ...(await ownParams(service, options))];
  const facets = by.filter((name) => name !== COMPLETENESS);
  const counts = await countAllYears(service, params, facets);
  if (counts.total === 0) await warnOfUnknown(context, service, params);
  const { total, groups } = groupsOf(counts, facets, context.messages.warn);
  const account = service.credentials === undefined ? null : (service.caller.account ?? null);
  const from = { baseUrl: service.http.baseUrl.href, params, account, directory: null };
  const owner = isReport ? await ownerOf(service, params) : undefined;
  const rating = isRead ? await rated(context, { service, options, params, total }) : [];
  const all = [...groups, ...rating];
  const inOrder = by.flatMap((name) => all.filter((group) => group.by === name));
  return { ...stamped(context.host.now(), { total, groups: inOrder }, from), owner };
}

interface Query {
  readonly service: Service;
  readonly options: StatsOptions;
  readonly params: Params;
  readonly total: number;
}

/**
 * How complete the records of a query are, unless they are too many for a report.
 * @throws {CliError} kind `usage` if they are too many, and the user wants to know.
 */
async function rated(
  context: Context,
  { service, options, params, total }: Query,
): Promise<readonly Group[]> {
  if (total <= MOST_READ) {
    const progress = await Progress.start(context, false, 'reading the records');
    const { now } = context.host;
    const { group, notes } = await countCompleteness(service, params, now, progress);
    notes.forEach(context.messages.note);
    return [group];
  }
  const harvest = context.suggest('dois', 'harvest', '--dir', 'copy', ...filterWords({ params }));
  const text = `the completeness of ${counted(total, 'DOI')} is counted in a copy only`;
  const hint = `${harvest}, and then this command with --dir copy`;
  if (options.by !== undefined) throw usageError(text, hint);
  context.messages.note(`${text}: ${hint}`);
  return [];
}

async function ownerOf(service: Service, params: Params): Promise<string | undefined> {
  const filters = params.filter(([name]) => name === 'client-id' || name === 'provider-id');
  const [[name, id] = ['', '']] = filters;
  if (filters.length !== 1 || id.includes(',')) return undefined;
  const what = name === 'client-id' ? 'repositories' : 'providers';
  const organization = await readOrganization(service, what, id).catch((error: unknown) => {
    if (isStop(error)) throw error;
    return undefined;
  });
  return organization?.name;
}

async function write(
  context: Context,
  stats: Counted,
  format: StatsFormat,
  sink: Sink,
  onScreen: boolean,
): Promise<void> {
  switch (format) {
    case 'json':
      return sink.write(`${JSON.stringify(stats, null, 2)}\n`);
    case 'csv':
      return delimited(sink, 'csv', ['by', 'id', 'title', 'count'], (row: string[]) => row).write(
        stats.groups.flatMap(csvRows),
      );
    case 'html':
      return sink.write((await import('./report.ts')).report(stats));
    case 'table': {
      const { bars } = await import('../../../ui/bars.ts');
      const { columns } = context.host.terminal;
      const width = onScreen && columns > 0 ? Math.min(columns, WIDEST) : DEFAULT_WIDTH;
      const look = onScreen ? context.look : new Look();
      const groups = stats.groups.map((group) => {
        const { extent, rows } = shown(group);
        return { head: group.by + extent, rows };
      });
      const table = bars(groups, stats.total, look, width);
      return sink.write(`${counted(stats.total, 'DOI')}\n\n${table}`);
    }
  }
}

/** The rows of CSV, each on one line. `others` and `none` have no id. */
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
