import { CliError } from '../../errors.ts';
import type { Generation, LedgerData, LedgerWindow } from '../store/ledger-data.ts';
import { recordsInGaps } from '../walk/gap.ts';
import { type Params, pageParams, withinSpan } from '../walk/query-params.ts';
import type { Damage } from './damage.ts';
import { clausesOf } from './generation.ts';
import type { PageSource } from './page-source.ts';
import { startOver } from './window-job.ts';

// A gap stays a gap when it fails twice.
const GAP_RETRIES = 1;
const COUNT_JOBS = 4;

/** The generations that are not finished, in order. */
export function unfinishedGenerations({ generations }: LedgerData): Generation[] {
  return generations.filter(({ finishedAt }) => finishedAt === undefined);
}

/**
 * Reopens windows that an earlier run left wrong, or that were damaged since: windows in doubt,
 * windows with a damaged part file, with a changed count where the sum was wrong, and with a gap
 * that the service can fill now.
 * @throws {CliError} when the service is not available.
 */
export async function reopenWindows(
  source: PageSource,
  { query: { params }, generations }: LedgerData,
  damages: readonly Damage[],
): Promise<void> {
  for (const { generation, window } of damages) {
    startOver(window);
    delete generation.finishedAt;
  }
  for (const generation of generations) {
    if (generation.finishedAt === undefined) {
      generation.problems = [];
      for (const window of generation.windows) {
        if (window.done && window.doubt !== undefined) startOver(window);
      }
      await reopenWrongSum(source, params, generation);
    }
    for (const window of generation.windows) {
      if (!window.done || !(await canFillGap(source, params, generation, window))) continue;
      startOver(window);
      delete generation.finishedAt;
    }
  }
}

/**
 * Reopens windows whose count has changed, where every window was right but their sum was not.
 * @returns whether there are any.
 */
export async function reopenWrongSum(
  source: PageSource,
  params: Params,
  generation: Generation,
): Promise<boolean> {
  const { windows, totalAtEnd } = generation;
  if (totalAtEnd === undefined || windows.some(({ done }) => !done)) return false;
  const counts = await source.counts(params, windows, clausesOf(generation), COUNT_JOBS);
  for (const [index, window] of windows.entries()) {
    if (window.records + recordsInGaps(window.gaps) !== counts[index]) startOver(window);
  }
  return windows.some(({ done }) => !done);
}

async function canFillGap(
  source: PageSource,
  params: Params,
  generation: Generation,
  { from, to, gaps }: LedgerWindow,
): Promise<boolean> {
  for (const gap of gaps) {
    const query = withinSpan(params, { from: gap.from ?? from, to }, ...clausesOf(generation));
    try {
      const page = await source.fetch(pageParams(query, gap.cursor, 1), GAP_RETRIES);
      if (page.kind === 'list') return true;
    } catch (error) {
      if (!(error instanceof CliError && error.kind === 'unavailable')) throw error;
    } finally {
      source.release();
    }
  }
  return false;
}
