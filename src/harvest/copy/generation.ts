import { formatDuration } from '../../text/words.ts';
import type { Generation, WindowState } from '../store/ledger-data.ts';
import type { Span } from '../walk/creation-time.ts';
import { withinSpan } from '../walk/query-params.ts';
import type { HarvestHost, HarvestOptions } from './options.ts';
import type { PageSource } from './page-source.ts';
import { ALL_TIME, planWindows, type Window } from './plan-windows.ts';

/** The most records of a window: a file of about 200 MB, or a quarter of that compressed. */
export const MAX_RECORDS = 50_000;
// Each window costs a count or two, and its last page is not full: smaller windows are not worth it.
const MIN_PAGES = 5;
// The service's clock tells whole seconds, a while before its answer arrives.
const CLOCK_NOTE_MS = 60_000;
// Windows for each job, so that all jobs are busy until near the end.
const WINDOWS_PER_JOB = 4;

export interface HarvestRun {
  readonly host: HarvestHost;
  readonly options: HarvestOptions;
  /** For counts, and for single pages. */
  readonly source: PageSource;
}

interface GenerationScope {
  /** ISO 8601: only records created or updated since. Undefined for all records. */
  readonly since?: string | undefined;
  /** The windows of the generation before, for a shard: it keeps them. Otherwise new ones are cut. */
  readonly windows?: readonly WindowState[] | undefined;
  /** The least number of windows to cut, if there are enough records. */
  readonly parts?: number;
}

type PlannedWindows = Pick<Generation, 'windows' | 'totalAtStart'>;

/** The clauses that narrow an update to records that were created or updated since. */
export function clausesOf({ since }: Pick<GenerationScope, 'since'>): readonly string[] {
  return since === undefined ? [] : [`updated:[${since} TO *]`];
}

/** Plans the next generation. @throws whatever makes the service unavailable. */
export async function planGeneration(
  run: HarvestRun,
  number: number,
  scope: GenerationScope = {},
): Promise<Generation> {
  const { since } = scope;
  const now = run.host.now();
  const { totalAtStart, windows } = await (scope.windows === undefined
    ? cutWindows(run, scope)
    : countWindows(run, scope, scope.windows));
  const start = startTime(run, now);
  if (since !== undefined && Date.parse(since) > start) {
    run.host.note(
      `warning: the clock was ahead when this copy was made: it may lack changes before ${since}`,
    );
  }
  return {
    number,
    kind: since === undefined ? 'full' : 'update',
    startedAt: new Date(start).toISOString(),
    ...(since === undefined ? {} : { since }),
    totalAtStart,
    retries: 0,
    problems: [],
    windows,
  };
}

/**
 * When a generation was started, in milliseconds: the earlier of two clocks, because the next update asks for
 * changes since then, which a clock ahead would lose. No record has been fetched before the plan's last answer.
 */
function startTime({ host }: HarvestRun, now: number): number {
  const { date } = host.service.http;
  if (Number.isNaN(date) || date >= now) return now;
  if (now - date > CLOCK_NOTE_MS) {
    const ahead = formatDuration(now - date);
    host.note(
      `the clock of this machine is ${ahead} ahead of the service's; updates go by the service's clock`,
    );
  }
  return date;
}

/** Cuts all time into windows of a similar size. */
async function cutWindows(
  { host, options, source }: HarvestRun,
  scope: GenerationScope,
): Promise<PlannedWindows> {
  const { params, jobs, pageSize } = options;
  const { parts = jobs * WINDOWS_PER_JOB } = scope;
  const count = (span: Span) => source.count(withinSpan(params, span, ...clausesOf(scope)));
  const total = await count(ALL_TIME);
  const most = Math.min(MAX_RECORDS, Math.max(MIN_PAGES * pageSize, Math.ceil(total / parts)));
  const plan = await planWindows(count, { total, most, now: host.now(), jobs });
  if (!plan.understood) {
    host.note('the service does not understand queries by creation time: walking everything with one cursor');
  }
  return { windows: plan.windows.map((window, index) => newWindow(index, window)), totalAtStart: plan.total };
}

/** Counts the given windows anew. */
async function countWindows(
  { options, source }: HarvestRun,
  scope: GenerationScope,
  before: readonly WindowState[],
): Promise<PlannedWindows> {
  const counts = await source.counts(options.params, before, clausesOf(scope), options.jobs);
  const windows = before.map((window, i) => newWindow(window.index, { ...window, count: counts[i] ?? 0 }));
  return { windows, totalAtStart: counts.reduce((sum, count) => sum + count, 0) };
}

/** A window of which nothing has been fetched. */
export function newWindow(index: number, { from, to, count }: Window): WindowState {
  return { index, from, to, count, cursor: null, bytes: 0, records: 0, done: false, gaps: [] };
}

/**
 * The time from which an update asks for changes: the start of the latest generation, less the overlap,
 * because the index lags (service.md, P15). A compact generation counts from the start of the latest
 * generation in it.
 */
export function sinceOf({ asOf, startedAt }: Generation, overlapMs: number): string {
  const since = Date.parse(asOf ?? startedAt) - overlapMs;
  // The service cuts times to whole seconds: an update in the same second has an earlier time.
  return new Date(Math.floor(since / 1000) * 1000).toISOString();
}
