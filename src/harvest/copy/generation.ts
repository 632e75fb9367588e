import { CliError } from '../../errors.ts';
import { formatDuration } from '../../text/words.ts';
import type { Page } from '../page/page.ts';
import type { Generation, LedgerWindow } from '../store/ledger-data.ts';
import { ALL_TIME, type Span, understandsTimes } from '../walk/creation-time.ts';
import {
  asksForCreated,
  countParams,
  type Params,
  pageParams,
  withinSpan,
  withYears,
} from '../walk/query-params.ts';
import { Density, type YearCount, yearCounts } from '../windows/density.ts';
import { type CountedSpan, planWindows, WINDOW_RECORDS } from '../windows/plan-windows.ts';
import { secondAfter } from '../windows/window.ts';
import type { HarvestHost, RunOptions } from './options.ts';
import type { PageSource } from './page-source.ts';

// Smaller windows cost more than they save: a count or two, and a last page that is not full.
const MIN_PAGES = 5;
// Retries of the first page, which the walk may request in smaller pages.
const FIRST_RETRIES = 2;
// For many records that are walked with one cursor.
const ONE_CURSOR =
  'the service does not understand queries by creation time: walking everything with one cursor';
// The service's time is in whole seconds, from before its answer arrives.
const CLOCK_NOTE_MS = 60_000;
// For each job, so that all jobs are busy until near the end.
const WINDOWS_PER_JOB = 4;

export interface HarvestRun {
  readonly host: HarvestHost;
  readonly options: RunOptions;
  readonly source: PageSource;
  /** When the records of a generation were created, by its first answer. */
  readonly densities: Map<Generation, Density>;
}

interface GenerationScope {
  /** ISO 8601: only records created or updated since. Undefined for all records. */
  readonly since?: string | undefined;
  /** For a shard, the windows of the first generation, which it keeps; else new windows are cut. */
  readonly windows?: readonly LedgerWindow[] | undefined;
  /** The least number of windows to cut, if there are enough records. */
  readonly parts?: number;
}

interface PlannedWindows extends Pick<Generation, 'windows' | 'totalAtStart' | 'isUncut'> {
  readonly density?: Density;
}

/** The clauses that limit an update to records that were created or updated since. */
export function clausesOf({ since }: Pick<GenerationScope, 'since'>): readonly string[] {
  return since === undefined ? [] : [`updated:[${since} TO *]`];
}

/** Begins a generation: one window if the first page has creation times, else cut by counts. */
export async function planGeneration(
  run: HarvestRun,
  number: number,
  scope: GenerationScope = {},
): Promise<Generation> {
  const { since } = scope;
  const asked = run.host.now();
  const { density, ...planned } = await firstWindows(run, scope);
  const start = startTime(run, asked);
  if (since !== undefined && Date.parse(since) > start) {
    run.host.note(
      `warning: the clock was ahead when this copy was made: it may lack changes before ${since}`,
    );
  }
  const generation: Generation = {
    number,
    kind: since === undefined ? 'full' : 'update',
    startedAt: new Date(start).toISOString(),
    ...(since === undefined ? {} : { since }),
    retries: 0,
    problems: [],
    ...planned,
  };
  if (density !== undefined) run.densities.set(generation, density);
  return generation;
}

/**
 * When a generation was started: by the earlier of two clocks, because the next update asks for
 * changes since then.
 * @param asked when the first request was sent, by the clock of this machine: its answer may
 *   already contain records.
 */
function startTime({ host }: HarvestRun, asked: number): number {
  const { date } = host.service.http;
  const now = host.now();
  if (Number.isNaN(date) || date >= now) return asked;
  if (now - date > CLOCK_NOTE_MS) {
    const ahead = `${formatDuration(now - date)} ahead of the service's`;
    host.note(`the clock of this machine is ${ahead}; updates go by the service's clock`);
  }
  return Math.min(asked, date - (now - asked));
}

async function firstWindows(run: HarvestRun, scope: GenerationScope): Promise<PlannedWindows> {
  const { params, pageSize, shard } = run.options;
  if (scope.windows !== undefined) return countWindows(run, scope, scope.windows);
  const all = withinSpan(params, ALL_TIME, ...clausesOf(scope));
  const begins = scope.parts === undefined && shard === null && asksForCreated(params);
  const answer = await firstAnswer(run, all, begins ? pageSize : 0);
  const { page, total, years } = answer;
  const [oldest, latest = Number.NaN] =
    page === undefined || page.count === 0 ? [] : [page.created(0), page.created(page.count - 1)];
  // A page that fails would delay the walk of all records, and a walk without times cuts no window.
  if (page === undefined || (page.count > 0 && [oldest, latest].some(Number.isNaN))) {
    return cutWindows(run, scope, answer);
  }
  run.source.keep(pageParams(all, '1', pageSize), page, answer.ms);
  const density = new Density({ total, years, oldest, now: run.host.now() });
  const windows = [newWindow(0, { ...ALL_TIME, count: total })];
  const planned = { windows, totalAtStart: total, density };
  if (page.count === 0 || total <= page.count) return planned;
  if (await understandsTimes(counter(run, scope), secondAfter(latest), total)) return planned;
  run.host.note(ONE_CURSOR);
  return { ...planned, isUncut: true };
}

function counter(
  { options, source }: HarvestRun,
  scope: GenerationScope,
): (span: Span) => Promise<number> {
  return (span) => source.count(withinSpan(options.params, span, ...clausesOf(scope)));
}

interface FirstAnswer {
  readonly total: number;
  readonly years: readonly YearCount[];
  readonly ms: number;
  readonly page?: Page | undefined;
}

/**
 * The service's count of a query, with the counts by year and, unless `size` is 0, the first page.
 */
async function firstAnswer(
  { host, source }: HarvestRun,
  params: Params,
  size: number,
): Promise<FirstAnswer> {
  const asked = size === 0 ? [...countParams(params)] : pageParams(params, '1', size);
  const begin = host.now();
  try {
    const page = await source.fetch(withYears(asked), FIRST_RETRIES);
    const { total } = page;
    const years = yearCounts(page.envelope['meta']);
    if (page.kind === 'list' && total !== undefined)
      return { total, years, ms: host.now() - begin, page: size === 0 ? undefined : page };
  } catch (error) {
    // The walk can skip a page that fails.
    if (!(error instanceof CliError && error.kind === 'unavailable')) throw error;
  }
  return { total: await source.count(params), years: [], ms: 0 };
}

async function cutWindows(
  run: HarvestRun,
  scope: GenerationScope,
  answer: FirstAnswer,
): Promise<PlannedWindows> {
  const { host, options } = run;
  const { total } = answer;
  const { jobs, pageSize } = options;
  const { parts = jobs * WINDOWS_PER_JOB } = scope;
  const most = Math.min(WINDOW_RECORDS, Math.max(MIN_PAGES * pageSize, Math.ceil(total / parts)));
  const plan = await planWindows(counter(run, scope), { ...answer, most, jobs, now: host.now() });
  if (!plan.understood) host.note(ONE_CURSOR);
  const windows = plan.windows.map((window, index) => newWindow(index, window));
  return { windows, totalAtStart: total, isUncut: !plan.understood };
}

async function countWindows(
  { options, source }: HarvestRun,
  scope: GenerationScope,
  before: readonly LedgerWindow[],
): Promise<PlannedWindows> {
  const counts = await source.counts(options.params, before, clausesOf(scope), options.jobs);
  const windows = before.map((window, i) =>
    newWindow(window.index, { ...window, count: counts[i] ?? 0 }),
  );
  return { windows, totalAtStart: counts.reduce((sum, count) => sum + count, 0) };
}

/** A window before its first page. */
export function newWindow(index: number, { from, to, count }: CountedSpan): LedgerWindow {
  return { index, from, to, count, cursor: null, bytes: 0, records: 0, done: false, gaps: [] };
}

/**
 * The time from which an update asks for changes: the start of the latest generation, or of the
 * latest one merged into it, less the overlap, because the index lags (service.md, P15).
 */
export function sinceOf({ asOf, startedAt }: Generation, overlapMs: number): string {
  const since = Date.parse(asOf ?? startedAt) - overlapMs;
  // The service cuts times to whole seconds: an update in the same second has an earlier time.
  return new Date(Math.floor(since / 1000) * 1000).toISOString();
}
