import { CliError } from '../../errors.ts';
import type { Generation, LedgerData, WindowState } from '../store/ledger-data.ts';
import { type Params, pageParams, withinSpan } from '../walk/query-params.ts';
import { recordsInGaps } from '../walk/walk-step.ts';
import type { Damage } from './damage.ts';
import { clausesOf } from './generation.ts';
import type { PageSource } from './page-source.ts';
import { startOver } from './window-job.ts';

// A gap is asked for twice before it stays a gap.
const GAP_RETRIES = 1;
const COUNTS_AT_ONCE = 4;

/** The generations that are not finished, in order. */
export function unfinishedGenerations({ generations }: LedgerData): Generation[] {
  return generations.filter(({ finishedAt }) => finishedAt === undefined);
}

/**
 * Reopens windows that an earlier run left wrong, or that were damaged since: those in doubt, with
 * a damaged part file, with a count that moved where the sum was wrong, and with a gap that the
 * service can now fill.
 * @throws whatever makes the service unavailable.
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
 * Reopens windows whose count moved, where all windows were right and their sum was wrong, and says
 * whether there are any.
 */
export async function reopenWrongSum(
  source: PageSource,
  params: Params,
  generation: Generation,
): Promise<boolean> {
  const { windows, totalAtEnd } = generation;
  if (totalAtEnd === undefined || windows.some(({ done }) => !done)) return false;
  const counts = await source.counts(params, windows, clausesOf(generation), COUNTS_AT_ONCE);
  for (const [index, window] of windows.entries()) {
    if (window.records + recordsInGaps(window.gaps) !== counts[index]) startOver(window);
  }
  return windows.some(({ done }) => !done);
}

async function canFillGap(
  source: PageSource,
  params: Params,
  generation: Generation,
  { from, to, gaps }: WindowState,
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
