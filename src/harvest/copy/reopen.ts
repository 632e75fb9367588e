import { stat } from 'node:fs/promises';
import { CliError } from '../../errors.ts';
import type { Generation, LedgerData, WindowState } from '../store/ledger-data.ts';
import { type Params, pageParams, withinSpan } from '../walk/query-params.ts';
import type { Gap } from '../walk/window.ts';
import { clausesOf } from './generation.ts';
import type { PageSource } from './page-source.ts';
import { missing, startOver } from './window-job.ts';

// A record that could not be had is asked for twice before it counts as one that still cannot.
const GAP_RETRIES = 1;
const AT_ONCE = 4;

/** The generations that are still to be brought to their end, in order. */
export function unfinished({ generations }: LedgerData): Generation[] {
  return generations.filter(({ finishedAt }) => finishedAt === undefined);
}

/**
 * Opens again what a run before has left behind: windows in doubt, windows whose files are not what they were, windows
 * whose count has moved where the sum was wrong, and windows with a record that could not be had and now can be. A
 * record that still cannot be had is left as it is: its window would be fetched for nothing, run after run.
 * @throws whatever makes the service unavailable.
 */
export async function reopen(
  source: PageSource,
  { query, generations }: LedgerData,
  path: (generation: Generation, window: WindowState) => string,
): Promise<void> {
  for (const generation of generations) {
    if (generation.finishedAt === undefined) {
      await reopenUnfinished(source, query.params, generation, (window) => path(generation, window));
    }
    for (const window of generation.windows) {
      if (!window.done || !(await canBeHad(source, query.params, generation, window))) continue;
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
  // It came to its end, every window by itself was as it should be, and the whole was not.
  const wrongSum = generation.totalAtEnd !== undefined && generation.windows.every(({ done }) => done);
  if (!wrongSum) return;
  const queries = generation.windows.map((window) => withinSpan(params, window, ...clausesOf(generation)));
  const counts = await source.counts(queries, AT_ONCE);
  for (const [index, window] of generation.windows.entries()) {
    if (window.records + missing(window.gaps) !== counts[index]) startOver(window);
  }
}

/** Whether one of a window's gaps is none any more. */
async function canBeHad(
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
