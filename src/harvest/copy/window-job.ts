import type { Semaphore } from '../../concurrency/semaphore.ts';
import { inspectPart } from '../store/inspect.ts';
import type { WindowState } from '../store/ledger-data.ts';
import { DamagedPart, PartFile } from '../store/part-file.ts';
import { LostWay } from '../walk/cursor-walk.ts';
import { withinSpan } from '../walk/query-params.ts';
import type { Gap, Position, WindowQuery, WindowSource } from '../walk/window.ts';
import { REMEMBERED, walkWindow } from '../walk/window-walk.ts';
import type { Checkpoints } from './checkpoint.ts';

/** What all windows of a run have in common. */
interface WindowWork {
  readonly source: WindowSource;
  readonly query: Omit<WindowQuery, 'span'>;
  readonly gzip: boolean;
  readonly checkpoints: Checkpoints;
  /** How many part files are read at once. */
  readonly readers: Semaphore;
  readonly signal: AbortSignal;
  path(window: WindowState): string;
  /** Saves the ledger. */
  save(): Promise<void>;
  /** Told of records written, and of anything a person should know. */
  onRecords(count: number): void;
  note(text: string): void;
}

// A window whose records do not add up is fetched anew so many times, since a record lost on the way is there next time.
const ROUNDS = 5;
const DAMAGED = 'a part file does not hold what was written to it';

/**
 * Brings one window to its end: fetched, read back from disk, and its records compared with the service's count.
 * @throws whatever stops the run; the window can be continued from its last checkpoint.
 */
export async function fetchWindow(work: WindowWork, window: WindowState): Promise<void> {
  for (let round = 1; ; round += 1) {
    const doubt = await attempt(work, window, round >= ROUNDS);
    if (doubt === undefined) break;
    if (round >= ROUNDS) {
      window.doubt = doubt;
      break;
    }
    work.note(`${doubt}; fetching that window again`);
    await reset(work, window);
  }
  window.done = true;
  await work.save();
}

/**
 * Walks a window and looks at what came of it.
 * @param last whether there is no further attempt in this run.
 * @returns what is wrong with it, if anything.
 */
async function attempt(work: WindowWork, window: WindowState, last: boolean): Promise<string | undefined> {
  try {
    await walk(work, window);
    const found = await readBack(work, window);
    return await mismatch(work, window, found);
  } catch (error) {
    if (last || !(error instanceof DamagedPart || error instanceof LostWay)) throw error;
    return error.message;
  }
}

async function walk(work: WindowWork, window: WindowState): Promise<void> {
  const part = await PartFile.open(work.path(window), window, work.gzip);
  const { checkpoints, signal } = work;
  checkpoints.begin(window, part);
  try {
    const span = { from: window.from, to: window.to };
    const known = await knownIds(work, window);
    if (window.cursor === null && window.records > 0 && (window.restart ?? null) === null) return;
    const start: Position = {
      cursor: window.cursor,
      restart: window.restart ?? null,
      latest: window.latest ?? null,
    };
    let { records } = window;
    const gaps = [...window.gaps];
    const taken = records + missing(gaps);
    for await (const step of walkWindow(work.source, { ...work.query, span }, start, known, taken)) {
      if ('gap' in step) {
        gaps.push(step.gap);
      } else {
        await part.append(step.page.page.lines(step.page.fresh));
        records += step.page.count;
        work.onRecords(step.page.count);
      }
      checkpoints.note(window, step.position, records, [...gaps]);
      signal.throwIfAborted();
    }
  } finally {
    // Whatever ended it: what has come is kept.
    try {
      await checkpoints.end(window);
    } finally {
      await part.close();
    }
  }
}

/** Lets go of all that a window has: it is to be fetched from its beginning. */
export function startOver(window: WindowState): void {
  Object.assign(window, { cursor: null, restart: null, latest: null, bytes: 0, records: 0, gaps: [] });
  window.done = false;
  delete window.sha256;
  delete window.unique;
  delete window.doubt;
}

async function reset(work: WindowWork, window: WindowState): Promise<void> {
  work.onRecords(-window.records);
  startOver(window);
  // The ledger lets go of the file before the file goes.
  await work.save();
}

/** The DOIs that an earlier run has taken of a window, the latest ones at least. */
async function knownIds(work: WindowWork, window: WindowState): Promise<readonly string[]> {
  if (window.bytes === 0) return [];
  let ids: string[] = [];
  const remember = (id: string) => {
    if (ids.length >= 2 * REMEMBERED) ids = ids.slice(-REMEMBERED);
    ids.push(id);
  };
  const found = await inspect(work, window, remember);
  if (found.records !== window.records) throw new DamagedPart(DAMAGED);
  return ids;
}

/** @throws {DamagedPart} when the file is not as the ledger says. */
async function readBack(work: WindowWork, window: WindowState): Promise<{ readonly unique: number }> {
  if (window.bytes === 0) return { unique: 0 };
  const found = await inspect(work, window);
  if (found.records !== window.records || found.bytes !== window.bytes) throw new DamagedPart(DAMAGED);
  window.unique = found.unique;
  window.sha256 = found.sha256;
  return found;
}

async function inspect(work: WindowWork, window: WindowState, onRecord?: (id: string) => void) {
  const release = await work.readers.acquire();
  try {
    return await inspectPart(work.path(window), work.gzip, onRecord, work.signal);
  } finally {
    release();
  }
}

/** How many records could not be had, as far as that is known. */
export function missing(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, gap) => sum + (gap.records ?? 0), 0);
}

/** What is wrong with a window's numbers; undefined when they add up. A count that moved meanwhile is asked for again. */
async function mismatch(
  { source, query }: WindowWork,
  window: WindowState,
  { unique }: { readonly unique: number },
): Promise<string | undefined> {
  const where = `window ${window.index}`;
  if (unique !== window.records) return `${where} holds ${window.records - unique} records twice`;
  const held = window.records + missing(window.gaps);
  if (held === window.count || window.gaps.some((gap) => gap.records === undefined)) return undefined;
  const now = await source.count(withinSpan(query.params, window, ...query.clauses));
  const [least, most] = [Math.min(window.count, now), Math.max(window.count, now)];
  if (held >= least && held <= most) return undefined;
  return `${where} holds ${window.records} records, and the service counts ${now}`;
}
