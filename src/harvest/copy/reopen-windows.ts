import { stat } from 'node:fs/promises';
import { CliError } from '../../errors.ts';
import type { Generation, LedgerData, WindowState } from '../store/ledger-data.ts';
import { type Params, pageParams, withinSpan } from '../walk/query-params.ts';
import type { Gap } from '../walk/window.ts';
import { clausesOf } from './generation.ts';
import type { PageSource } from './page-source.ts';
import { recordsInGaps, startOver } from './window-job.ts';

// A gap is asked for twice before it stays a gap.
const GAP_RETRIES = 1;
const COUNTS_AT_ONCE = 4;

/** The generations that are not finished, in order. */
export function unfinishedGenerations({ generations }: LedgerData): Generation[] {
  return generations.filter(({ finishedAt }) => finishedAt === undefined);
}

/**
 * Reopens windows that an earlier run left wrong: windows in doubt, windows whose part file changed size,
 * windows whose count moved where the sum was wrong, and windows with a gap that the service can now fill. A
 * gap that it cannot fill stays: fetching its window again would change nothing.
 * @throws whatever makes the service unavailable.
 */
export async function reopenWindows(
  source: PageSource,
  { query, generations }: LedgerData,
  path: (generation: Generation, window: WindowState) => string,
): Promise<void> {
  for (const generation of generations) {
    if (generation.finishedAt === undefined) {
      await reopenUnfinished(source, query.params, generation, (window) => path(generation, window));
    }
    for (const window of generation.windows) {
      if (!window.done || !(await canFillGap(source, query.params, generation, window))) continue;
      startOver(window);
      delete generation.finishedAt;
    }
  }
}

async function reopenUnfinished(
  source: PageSource,
  params: Params,
  generation: Generation,
  path: (window: WindowState) => string,
): Promise<void> {
  generation.problems = [];
  for (const window of generation.windows) {
    if (!window.done) continue;
    const bytes = window.bytes === 0 ? 0 : (await stat(path(window)).catch(() => undefined))?.size;
    if (window.doubt !== undefined || bytes !== window.bytes) startOver(window);
  }
  // All windows were right and their sum was wrong.
  const wrongSum = generation.totalAtEnd !== undefined && generation.windows.every(({ done }) => done);
  if (!wrongSum) return;
  const queries = generation.windows.map((window) => withinSpan(params, window, ...clausesOf(generation)));
  const counts = await source.counts(queries, COUNTS_AT_ONCE);
  for (const [index, window] of generation.windows.entries()) {
    if (window.records + recordsInGaps(window.gaps) !== counts[index]) startOver(window);
  }
}

/** Whether the service now has a page for one of a window's gaps. */
async function canFillGap(
  source: PageSource,
  params: Params,
  generation: Generation,
  window: WindowState,
): Promise<boolean> {
  for (const gap of window.gaps) if (await answers(source, params, generation, window, gap)) return true;
  return false;
}

async function answers(
  source: PageSource,
  params: Params,
  generation: Generation,
  { from, to }: WindowState,
  gap: Gap,
): Promise<boolean> {
  const query = withinSpan(params, { from: gap.from ?? from, to }, ...clausesOf(generation));
  try {
    const page = await source.fetch(pageParams(query, gap.cursor, 1), GAP_RETRIES);
    return page.kind === 'list';
  } catch (error) {
    if (error instanceof CliError && error.kind === 'unavailable') return false;
    throw error;
  } finally {
    source.release();
  }
}
