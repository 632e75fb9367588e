import type { Generation, LedgerData, WindowState } from '../store/ledger-data.ts';
import type { Span } from '../walk/created.ts';
import { type Params, withinSpan } from '../walk/query-params.ts';
import type { PageSource } from './page-source.ts';
import { planWindows } from './plan-windows.ts';

interface PlanRequest {
  readonly source: PageSource;
  readonly params: Params;
  readonly jobs: number;
  readonly pageSize: number;
  /** How many windows there should be at least, where there are records enough. */
  readonly parts: number;
  note(text: string): void;
}

/** Clauses of an update: what was created or updated since. */
export function clausesOf({ since }: Pick<Generation, 'since'>): readonly string[] {
  return since === undefined ? [] : [`updated:[${since} TO *]`];
}

// A window is a file of some 200 MB, or a quarter of that compressed.
export const MOST_RECORDS = 50_000;
// Each window costs a count or two, and its last page is not full: smaller ones are not worth it.
const LEAST_PAGES = 5;

function mostRecords({ pageSize, parts }: PlanRequest, total: number): number {
  return Math.min(MOST_RECORDS, Math.max(LEAST_PAGES * pageSize, Math.ceil(total / parts)));
}

/**
 * Plans the next generation: everything, or what changed since `since` (ISO 8601).
 * @throws whatever makes the service unavailable.
 */
export async function planGeneration(
  request: PlanRequest,
  number: number,
  since: string | undefined,
): Promise<Generation> {
  const { source, params, jobs, note } = request;
  const startedAt = new Date(source.now()).toISOString();
  const clauses = clausesOf(since === undefined ? {} : { since });
  const count = (span: Span) => source.count(withinSpan(params, span, ...clauses));
  const total = await count({ from: null, to: null });
  const plan = await planWindows(count, {
    total,
    most: mostRecords(request, total),
    now: source.now(),
    jobs,
  });
  if (!plan.understood) {
    note('the service does not understand queries by creation time: walking everything with one cursor');
  }
  return {
    number,
    kind: since === undefined ? 'full' : 'update',
    startedAt,
    ...(since === undefined ? {} : { since }),
    totalAtStart: plan.total,
    retries: 0,
    problems: [],
    windows: plan.windows.map((window, index) => newWindow(index, window)),
  };
}

/**
 * The next generation of a shard: what changed in its own windows since `since`.
 * @throws whatever makes the service unavailable.
 */
export async function updateWindows(
  { source, params, jobs }: PlanRequest,
  number: number,
  since: string | undefined,
  { windows: before }: Generation,
): Promise<Generation> {
  const startedAt = new Date(source.now()).toISOString();
  const clauses = clausesOf(since === undefined ? {} : { since });
  const queries = before.map((window) => withinSpan(params, window, ...clauses));
  const counts = await source.counts(queries, jobs);
  const windows = before.map(({ index, from, to }, i) =>
    newWindow(index, { from, to, count: counts[i] ?? 0 }),
  );
  return {
    number,
    kind: since === undefined ? 'full' : 'update',
    startedAt,
    ...(since === undefined ? {} : { since }),
    totalAtStart: windows.reduce((sum, { count }) => sum + count, 0),
    retries: 0,
    problems: [],
    windows,
  };
}

/** A window of which nothing has been fetched. */
export function newWindow(
  index: number,
  { from, to, count }: Pick<WindowState, 'from' | 'to' | 'count'>,
): WindowState {
  return { index, from, to, count, cursor: null, bytes: 0, records: 0, done: false, gaps: [] };
}

/**
 * When an update has to begin: before the start of the latest generation, by the overlap (observed: the index lags). A
 * compact one holds nothing newer than what it was made of.
 */
export function sinceOf({ generations }: LedgerData, overlapMs: number): string | undefined {
  const latest = generations.at(-1);
  if (latest === undefined) return undefined;
  const since = Date.parse(latest.asOf ?? latest.startedAt) - overlapMs;
  // The service's times are whole seconds, cut: what was updated in the same second counts as before it.
  return new Date(Math.floor(since / 1000) * 1000).toISOString();
}
