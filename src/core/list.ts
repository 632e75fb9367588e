import { countDois } from '../api/pagination.ts';
import type { Service } from '../api/service.ts';
import { once } from '../concurrency/promises.ts';
import { CliError, ClosedPipe, isStop, toCliError } from '../errors.ts';
import { walkList } from '../harvest/list/list-walk.ts';
import { packedFetcher } from '../harvest/list/packed-page.ts';
import { type FetchPage, pageFetcher } from '../harvest/page/fetch-page.ts';
import type { Page } from '../harvest/page/page.ts';
import { filterCheck } from '../harvest/walk/filter-check.ts';
import { FormCheck } from '../harvest/walk/form-check.ts';
import { countParams, type Params } from '../harvest/walk/query-params.ts';
import { firstOf, selected, type WalkedPage } from '../harvest/walk/repeat-guard.ts';
import { RUN_AGAIN, WalkTotals } from '../harvest/walk/walk-totals.ts';
import { number } from '../text/words.ts';
import { DEFAULT_JOBS } from './defaults.ts';

/** The most bytes of pages that wait for their turn: enough for a list of a hundred pages. */
const WAITING_BYTES = 57 * 1024 * 1024;

/** The pages of a list, whose records have been checked, and the service's count of records. */
export interface DoiList {
  readonly pages: AsyncGenerator<WalkedPage>;
  readonly count: () => Promise<number>;
}

interface CursorList {
  readonly pageSize: number;
  readonly limit?: number | undefined;
  readonly jobs?: number | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * All records of a query, the oldest first, by one cursor or several.
 * @param query without paging.
 */
export function listAll(
  service: Service,
  query: Params,
  { pageSize, limit, jobs = DEFAULT_JOBS, now }: CursorList,
): DoiList {
  const { rateLimiter } = service;
  if (rateLimiter === undefined) throw new CliError('unexpected', 'there is no rate limiter');
  const { count, ...source } = listSource(service, query);
  const pages = walkList({
    ...source,
    countAll: count,
    params: query,
    pageSize,
    smallerPages: service.http.smallerPages,
    // With a limit, pages beyond it would be asked for.
    jobs: limit === undefined ? jobs : 1,
    rateLimiter,
    fetchPacked: packedFetcher(service),
    count: (params, signal) => countDois(service, countParams(params), { signal }),
    mostBytes: WAITING_BYTES,
    now,
  });
  return { pages, count };
}

/** Requests the pages of a query, checks them, and counts its records. */
export function listSource(service: Service, query: Params) {
  const filters = filterCheck(query);
  const form = new FormCheck();
  const check = (page: Page) => form.check(filters(page));
  const fetchPage = pageFetcher(service);
  const fetch: FetchPage = async (url, options) => check(await fetchPage(url, options));
  const url = (params: Params) => service.http.url('/dois', params);
  return { check, fetch, url, count: once(() => countDois(service, countParams(query))) };
}

/** The wanted records of a page: views of the answer, to be used before the next page. */
export interface ListedPage extends Iterable<Buffer> {
  readonly count: number;
  /** The same records as lines of NDJSON. */
  lines(): readonly Buffer[];
  /** The number of wanted records up to the end of this page. */
  readonly records: number;
  /** The service's latest count of the whole list. */
  readonly total: number | undefined;
}

interface WalkOptions {
  /** Counts the records whose page has been used. */
  readonly totals: WalkTotals;
  readonly limit?: number | undefined;
  /** For numbered pages: the number of records before the first page, and in the pages. */
  readonly before?: number | undefined;
  readonly asked?: number | undefined;
  /** Called after the last page, before its records are compared with the count. */
  readonly onEnd?: (() => Promise<void>) | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
}

/**
 * Walks a list to its end or its limit, then compares its records with the service's count.
 * A page counts when the next one is requested, because its records have been used by then.
 * @throws {CliError} kind `incomplete` when records are missing, or no count is usable.
 */
export async function* wholeList(
  { pages, count }: DoiList,
  {
    totals,
    limit = Number.POSITIVE_INFINITY,
    before = 0,
    asked = limit,
    onEnd,
    onNote,
  }: WalkOptions,
): AsyncGenerator<ListedPage, void, undefined> {
  for await (const walked of pages) {
    const most = Math.min(walked.count, limit - totals.records);
    const total = walked.listTotal ?? walked.page.total ?? totals.lastTotal;
    yield {
      count: most,
      [Symbol.iterator]: () => selected(walked, most),
      lines: () => walked.page.lines(firstOf(walked, most)),
      records: totals.records + most,
      total,
    };
    totals.addPage(walked, most);
    if (totals.records >= limit) break;
  }
  await onEnd?.();
  for (const note of await totals.compare(count, { before, asked })) onNote?.(note);
}

interface PageWriter {
  write(page: ListedPage): Promise<void>;
  end?(): Promise<void>;
}

/** Shows people how much of a walk is done. */
export interface ShownProgress {
  update(records: number, total: number | undefined): void;
  stop(): void;
}

interface WriteOptions extends Omit<WalkOptions, 'onEnd' | 'onNote'> {
  /** Shows how many records are written, until all are. */
  readonly progress?: ShownProgress | undefined;
}

/**
 * Writes a list to its end or its limit. The output is well-formed even if an error ends it.
 * @returns notes for people.
 */
export async function writeList(
  list: DoiList,
  writer: PageWriter,
  { progress, ...walk }: WriteOptions,
): Promise<string[]> {
  const notes: string[] = [];
  let isWritten = false;
  const onEnd = async () => {
    isWritten = true;
    await writer.end?.();
    progress?.stop();
  };
  const onNote = (text: string) => void notes.push(text);
  try {
    for await (const page of wholeList(list, { ...walk, onEnd, onNote })) {
      // An array without records is `[]`.
      if (page.count > 0) await writer.write(page);
      const { records, total = walk.limit } = page;
      progress?.update(records, total && Math.min(total, walk.limit ?? total));
    }
  } catch (error) {
    const isLost =
      error instanceof ClosedPipe || (error instanceof CliError && error.kind === 'output');
    // A JSON array that stops in the middle still needs its closing bracket.
    if (!isLost && !isWritten && walk.totals.records > 0) await writer.end?.();
    throw error;
  }
  return notes;
}

interface ShownOptions extends Omit<WriteOptions, 'totals'> {
  /** The noun for a record in messages. */
  readonly noun?: string;
  /** Whether to suggest a harvest instead when the walk is stopped. */
  readonly isLong?: boolean;
}

/**
 * Writes a list, shows its progress, and says in errors how many records were written.
 * @returns the counts of the walk, and notes for people.
 */
export async function walkShown(
  list: DoiList,
  writer: PageWriter,
  { noun, isLong, ...options }: ShownOptions,
): Promise<{ readonly totals: WalkTotals; readonly notes: string[] }> {
  const totals = new WalkTotals(noun);
  try {
    return { totals, notes: await writeList(list, writer, { ...options, totals }) };
  } catch (error) {
    throw listError(error, totals, isLong);
  } finally {
    options.progress?.stop();
  }
}

const HARVEST_INSTEAD =
  'doi-cli dois harvest --dir <directory> with the same filters can be stopped and continued';

/**
 * The error of a list that ends early, with the number of records so far.
 * @param isLong whether to suggest a harvest instead.
 */
export function listError(error: unknown, totals: WalkTotals, isLong = true): unknown {
  if (isStop(error)) {
    const some = `${totals.records === 0 ? 'no' : recordsOf(totals)} ${totals.noun}s`;
    return error.with({
      message: `${error.message} after ${some}`,
      hint: error.hint ?? (isLong ? HARVEST_INSTEAD : undefined),
    });
  }
  const { kind, message, hint = RUN_AGAIN, status } = toCliError(error);
  const isKept = error instanceof ClosedPipe || kind === 'credentials' || kind === 'output';
  if (isKept || totals.records === 0) return error;
  const stopped = `stopped after ${recordsOf(totals)} ${totals.noun}s: ${message}`;
  return new CliError('incomplete', stopped, { hint, status, cause: error });
}

/** `45 of 1,000`, or `45` if the service gave no total. */
export function recordsOf({ records, lastTotal }: WalkTotals): string {
  return lastTotal === undefined ? number(records) : `${number(records)} of ${number(lastTotal)}`;
}
