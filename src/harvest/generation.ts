import type { Generation, LedgerData, WindowState } from './disk/ledger-data.ts';
import { narrowed, type Params } from './position.ts';
import type { WindowSource } from './window-walk.ts';
import { planWindows } from './windows.ts';

export interface PlanRequest {
  readonly source: WindowSource;
  readonly params: Params;
  readonly jobs: number;
  /** Most records of a window. */
  readonly most: number;
  note(text: string): void;
}

/** Clauses of an update: what was created or updated since. */
export function clausesOf({ since }: Pick<Generation, 'since'>): readonly string[] {
  return since === undefined ? [] : [`updated:[${since} TO *]`];
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
  const { source, params, jobs, most, note } = request;
  const startedAt = new Date(source.now()).toISOString();
  const clauses = clausesOf(since === undefined ? {} : { since });
  const plan = await planWindows((span) => source.count(narrowed(params, span, ...clauses)), {
    most,
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
  { source, params }: PlanRequest,
  number: number,
  since: string | undefined,
  { windows: before }: Generation,
): Promise<Generation> {
  const startedAt = new Date(source.now()).toISOString();
  const clauses = clausesOf(since === undefined ? {} : { since });
  const windows: WindowState[] = [];
  for (const { index, from, to } of before) {
    windows.push(
      newWindow(index, { from, to, count: await source.count(narrowed(params, { from, to }, ...clauses)) }),
    );
  }
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

/** When an update has to begin: before the start of the latest generation, by the overlap (observed: the index lags). */
export function sinceOf({ generations }: LedgerData, overlapMs: number): string | undefined {
  const latest = generations.findLast(({ kind }) => kind !== 'compact') ?? generations.at(-1);
  return latest && new Date(Date.parse(latest.startedAt) - overlapMs).toISOString();
}
