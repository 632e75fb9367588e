import { ownRecords } from '../../api/account.ts';
import { countDois } from '../../api/dois.ts';
import type { RateLimiter } from '../../api/http/rate-limiter.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { CliError, ClosedPipe, isStop, toCliError, usageError } from '../../errors.ts';
import { walkWide } from '../../harvest/ahead/wide-walk.ts';
import { type FetchPage, keepHeapSmall, pageFetcher } from '../../harvest/page/fetch-page.ts';
import { packedFetcher } from '../../harvest/page/packed-page.ts';
import { filterCheck } from '../../harvest/walk/filter-check.ts';
import { walkNumbered } from '../../harvest/walk/list-walk.ts';
import { countParams, type Params } from '../../harvest/walk/query-params.ts';
import type { WalkedPage } from '../../harvest/walk/repeat-guard.ts';
import { RUN_AGAIN, WalkTotals } from '../../harvest/walk/walk-totals.ts';
import { counted, formatDuration, number, plural } from '../../text/words.ts';
import { OutFile } from '../../ui/out-file.ts';
import { type OutTarget, outTarget } from '../../ui/out-target.ts';
import { Progress } from '../../ui/progress.ts';
import type { Sink } from '../../ui/sink.ts';
import { type RecordWriter, recordWriter } from './list-formats.ts';
import { pageFooter } from './query/footer.ts';
import {
  dated,
  filterParams,
  type ListOptions,
  type ListPlan,
  planList,
  type RecordFormat,
  warnAboutList,
} from './query/query.ts';
import { printRecords } from './record/table.ts';

const GO_ON = 'doi-cli dois harvest --dir <directory> with the same filters can be stopped and continued';

// Each takes memory for the time of a look at it.
const UNPACKED_AT_ONCE = 2;
// With more, even an answer that takes three seconds is not what limits.
const MOST_JOBS = 32;
const WAITING_BYTES = 52 * 1024 * 1024;

/** Lists DOI records: one page or some, all of them, or only their count. */
export async function listDoisCommand(context: Context, typed: ListOptions): Promise<void> {
  if (typed.out === '-') throw usageError('--out takes the name of a file', 'leave --out away for stdout');
  const { format, packing } = targetOf(typed);
  const options = dated(context, complete({ ...typed, ...(format === undefined ? {} : { format }) }));
  const plan = planList(options);
  if (options.out === undefined) return printList(context, plan, options);
  const out = await OutFile.open(options.out, packing);
  try {
    await printList(context, plan, options, out);
    await out.commit();
  } catch (error) {
    // Leftovers are only a warning: the error that made the list fail matters more.
    await out
      .discard()
      .catch((cause: Error) => context.messages.warn(`leftovers of ${options.out}: ${cause.message}`));
    if (!(isStop(error) || (error instanceof CliError && error.kind === 'incomplete'))) throw error;
    // A file is written completely or not at all, so the hint for a stream would be wrong.
    throw error.with({
      message: `${error.message}; nothing was written to ${options.out}`,
      hint: isStop(error) ? GO_ON : 'run it again; without --out the records that arrive are kept',
    });
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

/**
 * Prints the records of a plan, or their count.
 * @param own takes the records instead of the format of the options.
 */
export async function printList(
  context: Context,
  plan: ListPlan,
  options: ListOptions,
  out?: OutFile,
  own?: RecordWriter,
): Promise<void> {
  const isWide = plan.mode === 'cursor';
  const service = await context.service(
    'reads',
    isWide ? (options.rate ?? 'service') : undefined,
    options.rate === undefined,
  );
  warnAboutList(context, service, options);
  const extra: Params = options.mine ? [await ownRecords(service)] : [];
  if (plan.mode === 'count') {
    await (out ?? context.out).write(`${await countDois(service, [...plan.params, ...extra])}\n`);
    return;
  }
  const onScreen = context.host.terminal.stdout && out === undefined;
  const format = options.format ?? (onScreen && plan.mode === 'numbered' ? 'table' : 'ndjson');
  const query: Params = [...filterParams(options), ...extra];
  const check = filterCheck(query);
  const fetch = checkedFetch(pageFetcher(service), check);
  const url = (params: Params) => service.http.url('/dois', params);
  const countOnce = once(() => countDois(service, countParams(query)));
  const print = async (sink: Sink) => {
    const printTable = async (names: readonly string[], rows: readonly (readonly string[])[]) =>
      printRecords(context, await context.baseUrl(), names, rows, out);
    const writer = own ?? recordWriter(format, sink, { fields: options.fields, printTable });
    const listing = { context, writer, limit: options.limit, count: countOnce };
    if (plan.mode === 'cursor') {
      keepHeapSmall();
      const pages = walkWide({
        params: query,
        pageSize: plan.pageSize,
        fetch,
        fetchPacked: packedFetcher(service, new Semaphore(UNPACKED_AT_ONCE)),
        check,
        url,
        count: (params, signal) => countDois(service, countParams(params), { signal }),
        countAll: countOnce,
        rateLimiter: limiterOf(service),
        // With a limit, pages beyond it would be asked for.
        jobs: options.limit === undefined ? (options.jobs ?? MOST_JOBS) : 1,
        mostBytes: WAITING_BYTES,
        now: context.host.now,
      });
      await printAll({ ...listing, pages }, onScreen);
    } else {
      const pages = walkNumbered(fetch, (page) => url([...plan.params(page), ...extra]), plan);
      await printNumbered({ ...listing, pages }, plan);
    }
  };
  // A table has a pager of its own.
  const isPaged = onScreen && own === undefined && format !== 'table';
  await (isPaged ? context.paged(print) : print(out ?? context.out));
}

function limiterOf({ rateLimiter }: Service): RateLimiter {
  if (rateLimiter === undefined) throw new CliError('unexpected', 'there is no rate limiter');
  return rateLimiter;
}

/** Fetches pages as `fetch` does. @throws {CliError} kind `incomplete` at a record that the query excludes. */
function checkedFetch(fetch: FetchPage, check: ReturnType<typeof filterCheck>): FetchPage {
  return async (url, options) => check(await fetch(url, options));
}

/** A function that calls `make` the first time, and returns the same promise each time. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What every way to print a list needs. */
interface Listing {
  readonly context: Context;
  readonly pages: AsyncGenerator<WalkedPage>;
  readonly writer: RecordWriter;
  readonly limit: number | undefined;
  /** The service's count of the whole list. */
  readonly count: () => Promise<number>;
}

/** `--all`: shows progress, and compares the records with the service's count at the end. */
async function printAll(listing: Listing, onScreen: boolean): Promise<void> {
  const { context, limit } = listing;
  const progress = await Progress.start(context, onScreen);
  const totals = new WalkTotals();
  try {
    await writePages(listing, totals, () => {
      const { records, lastTotal } = totals;
      progress.update(records, limit === undefined ? lastTotal : Math.min(limit, lastTotal ?? limit));
    });
    progress.stop();
    const cut = limit !== undefined && totals.records >= limit;
    const notes = await totals.compare(listing.count, {
      before: 0,
      asked: limit ?? Number.POSITIVE_INFINITY,
    });
    const { records, lastTotal = records } = totals;
    const count = cut ? `${recordsOf(totals)} ${plural(lastTotal, 'DOI')}` : counted(records, 'DOI');
    context.messages.note([`${count} in ${formatDuration(progress.elapsed)}`, ...notes].join('; '));
  } catch (error) {
    progress.stop();
    throw asIncomplete(error, totals);
  }
}

/**
 * Prints pages by their numbers, and says how many of all records they are.
 * @throws {CliError} kind `incomplete` when the service counts more records, but gave fewer than asked for.
 */
async function printNumbered(
  listing: Listing,
  { first, pageSize }: { first: number; pageSize: number },
): Promise<void> {
  const { context, limit } = listing;
  const totals = new WalkTotals();
  await writePages(listing, totals).catch((error: unknown) => {
    throw isStop(error) ? asIncomplete(error, totals) : error;
  });
  const asked = pageSize === 0 ? 0 : (limit ?? pageSize);
  const notes = await totals.compare(listing.count, { before: (first - 1) * pageSize, asked });
  const { records, lastTotal } = totals;
  if (records === 0 && pageSize > 0)
    notes.unshift(lastTotal === 0 ? 'no DOIs match' : 'no DOIs on this page');
  for (const note of notes) context.messages.note(note);
  if (lastTotal === undefined || (records >= lastTotal && first === 1)) return;
  context.messages.note(pageFooter({ records, total: lastTotal, first, pageSize, limit }));
}

/** Writes pages until their end or the limit. The output is well-formed even if an error ends it. */
async function writePages(
  { pages, writer, limit = Number.POSITIVE_INFINITY }: Listing,
  totals: WalkTotals,
  onPage?: () => void,
): Promise<void> {
  try {
    for await (const walked of pages) {
      const count = Math.min(walked.count, limit - totals.records);
      await writer.page(walked, count);
      totals.addPage(walked, count);
      onPage?.();
      if (totals.records >= limit) break;
    }
  } catch (error) {
    const writable = !(error instanceof ClosedPipe || (error instanceof CliError && error.kind === 'output'));
    // A JSON array that stops in the middle still needs its closing bracket.
    if (writable && totals.records > 0) await writer.end();
    throw error;
  }
  await writer.end();
}

const KEPT_KINDS: readonly string[] = ['credentials', 'output'];

/** An error after the first record leaves the list incomplete, except for {@link KEPT_KINDS} and a stop. */
function asIncomplete(error: unknown, totals: WalkTotals): unknown {
  if (isStop(error)) {
    const some = totals.records === 0 ? 'no DOIs' : `${recordsOf(totals)} DOIs`;
    return error.with({
      message: `${error.message} after ${some}`,
      hint: `what was written is valid; ${GO_ON}`,
    });
  }
  if (error instanceof ClosedPipe || totals.records === 0) return error;
  const { kind, message, hint = RUN_AGAIN, status } = toCliError(error);
  if (KEPT_KINDS.includes(kind)) return error;
  return new CliError('incomplete', `the harvest stopped after ${recordsOf(totals)} DOIs: ${message}`, {
    hint,
    status,
    cause: error,
  });
}

/** `45 of 1,000`, or `45` if the service gave no total. */
function recordsOf({ records, lastTotal }: WalkTotals): string {
  return lastTotal === undefined ? number(records) : `${number(records)} of ${number(lastTotal)}`;
}
