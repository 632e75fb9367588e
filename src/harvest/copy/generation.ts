import type { Generation, LedgerData, WindowState } from '../store/ledger-data.ts';
import type { Span } from '../walk/created.ts';
import { type Params, withinSpan } from '../walk/query-params.ts';
import type { PageSource } from './page-source.ts';
import { ALL_TIME, planWindows } from './plan-windows.ts';

/** What the windows of a new generation are planned from. */
export interface PlanRequest {
  readonly source: PageSource;
  readonly params: Params;
  readonly jobs: number;
  readonly pageSize: number;
  /** The least number of windows, if there are enough records. */
  readonly parts: number;
  note(text: string): void;
}

/** The clauses that narrow an update to records that were created or updated since. */
export function clausesOf({ since }: { readonly since?: string | undefined }): readonly string[] {
  return since === undefined ? [] : [`updated:[${since} TO *]`];
}

/** The most records of a window: a file of about 200 MB, or a quarter of that compressed. */
export const MOST_RECORDS = 50_000;
// Each window costs a count or two, and its last page is not full: smaller windows are not worth it.
const LEAST_PAGES = 5;

/**
 * Plans the next generation: everything, or what changed since `since` (ISO 8601).
 * @param windows the windows of the generation before, for a shard: it keeps them. Otherwise new ones are
 *   cut.
 * @throws whatever makes the service unavailable.
 */
export async function planGeneration(
  request: PlanRequest,
  number: number,
  since: string | undefined,
  windows?: readonly WindowState[],
): Promise<Generation> {
  const { source } = request;
  const startedAt = new Date(source.now()).toISOString();
  const clauses = clausesOf({ since });
  const planned = await (windows === undefined
    ? cutWindows(request, clauses)
    : countWindows(request, clauses, windows));
  return {
    number,
    kind: since === undefined ? 'full' : 'update',
    startedAt,
    ...(since === undefined ? {} : { since }),
    totalAtStart: planned.total,
    retries: 0,
    problems: [],
    windows: planned.windows,
  };
}

interface PlannedWindows {
  readonly windows: WindowState[];
  readonly total: number;
}

/** Cuts all time into windows of a similar size. */
async function cutWindows(
  { source, params, jobs, pageSize, parts, note }: PlanRequest,
  clauses: readonly string[],
): Promise<PlannedWindows> {
  const count = (span: Span) => source.count(withinSpan(params, span, ...clauses));
  const total = await count(ALL_TIME);
  const most = Math.min(MOST_RECORDS, Math.max(LEAST_PAGES * pageSize, Math.ceil(total / parts)));
  const plan = await planWindows(count, { total, most, now: source.now(), jobs });
  if (!plan.understood) {
    note('the service does not understand queries by creation time: walking everything with one cursor');
  }
  return { windows: plan.windows.map((window, index) => newWindow(index, window)), total: plan.total };
}

/** Counts the given windows anew. */
async function countWindows(
  { source, params, jobs }: PlanRequest,
  clauses: readonly string[],
  before: readonly WindowState[],
): Promise<PlannedWindows> {
  const queries = before.map((window) => withinSpan(params, window, ...clauses));
  const counts = await source.counts(queries, jobs);
  const windows = before.map(({ index, from, to }, i) =>
    newWindow(index, { from, to, count: counts[i] ?? 0 }),
  );
  return { windows, total: counts.reduce((sum, count) => sum + count, 0) };
}

/** A window of which nothing has been fetched. */
export function newWindow(
  index: number,
  { from, to, count }: Pick<WindowState, 'from' | 'to' | 'count'>,
): WindowState {
  return { index, from, to, count, cursor: null, bytes: 0, records: 0, done: false, gaps: [] };
}

/**
 * The time from which an update asks for changes: the start of the latest generation, less the overlap
 * (observed: the index lags). A compact generation counts from the start of the latest generation in it.
 */
export function sinceOf({ generations }: LedgerData, overlapMs: number): string | undefined {
  const latest = generations.at(-1);
  if (latest === undefined) return undefined;
  const since = Date.parse(latest.asOf ?? latest.startedAt) - overlapMs;
  // The service cuts times to whole seconds: an update in the same second has an earlier time.
  return new Date(Math.floor(since / 1000) * 1000).toISOString();
}
