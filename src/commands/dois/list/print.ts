import { countDois } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import { CliError } from '../../../errors.ts';
import { walkWide } from '../../../harvest/ahead/wide-walk.ts';
import { type FetchPage, keepHeapSmall, pageFetcher } from '../../../harvest/page/fetch-page.ts';
import { packedFetcher } from '../../../harvest/page/packed-page.ts';
import { filterCheck } from '../../../harvest/walk/filter-check.ts';
import { walkNumbered } from '../../../harvest/walk/list-walk.ts';
import { countParams, type Params } from '../../../harvest/walk/query-params.ts';
import type { Sink } from '../../../ui/sink.ts';
import { filterParams, type ListOptions, type ListPlan, ownParams, warnAboutList } from '../query/query.ts';
import { printRecords } from '../record/table.ts';
import { recordWriter } from './formats.ts';
import { printAll, printNumbered } from './pages.ts';
import type { RecordWriter } from './records.ts';

// Each takes memory for the time of a look at it.
const UNPACKED_AT_ONCE = 2;
// With these, even an answer that takes three seconds is not what limits.
const MOST_JOBS = 40;
// A list of a hundred pages waits as a whole.
const WAITING_BYTES = 57 * 1024 * 1024;

/**
 * Prints the records of a plan, or their count.
 * @param own takes the records instead of the format of the options.
 */
export async function printList(
  context: Context,
  plan: ListPlan,
  options: ListOptions,
  out?: Sink,
  own?: RecordWriter,
): Promise<void> {
  const isWide = plan.mode === 'cursor';
  const service = await context.service(
    'reads',
    isWide ? (options.rate ?? 'service') : undefined,
    options.rate === undefined,
  );
  warnAboutList(context, service, options);
  const extra = await ownParams(service, options);
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
      const { pageSize } = plan;
      // With a limit, pages beyond it would be asked for.
      const jobs = options.limit === undefined ? (options.jobs ?? MOST_JOBS) : 1;
      const walk = { params: query, pageSize, fetch, check, url, countAll: countOnce, jobs };
      const pages = walkWide({ ...walk, ...limitsOf(service), now: context.host.now });
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

/** What a list by several cursors asks of a service, and how much of it at once. */
function limitsOf(service: Service) {
  const { rateLimiter } = service;
  if (rateLimiter === undefined) throw new CliError('unexpected', 'there is no rate limiter');
  return {
    rateLimiter,
    fetchPacked: packedFetcher(service, new Semaphore(UNPACKED_AT_ONCE)),
    count: (params: Params, signal: AbortSignal) => countDois(service, countParams(params), { signal }),
    mostBytes: WAITING_BYTES,
  };
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
