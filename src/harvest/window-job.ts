import type { Checkpoints } from './checkpoint.ts';
import { inspectPart } from './disk/inspect.ts';
import type { WindowState } from './disk/ledger-data.ts';
import { DamagedPart, PartFile } from './disk/part-file.ts';
import { narrowed } from './position.ts';
import { type Position, type WindowQuery, type WindowSource, walkWindow } from './window-walk.ts';

/** What all windows of a run have in common. */
export interface WindowWork {
  readonly source: WindowSource;
  readonly query: Omit<WindowQuery, 'span'>;
  readonly gzip: boolean;
  readonly checkpoints: Checkpoints;
  readonly signal: AbortSignal;
  path(window: WindowState): string;
  /** Saves the ledger. */
  save(): Promise<void>;
  /** Told of records written, and of anything a person should know. */
  onRecords(count: number): void;
  note(text: string): void;
  problem(text: string): void;
}

// A window whose records do not add up is fetched anew so many times, since a record lost on the way is there next time.
const ROUNDS = 5;

/**
 * Brings one window to its end: fetched, read back from disk, and its records compared with the service's count.
 * @throws whatever stops the run; the window can be continued from its last checkpoint.
 */
export async function fetchWindow(work: WindowWork, window: WindowState): Promise<void> {
  for (let round = 1; ; round += 1) {
    await walk(work, window);
    const found = await readBack(work, window);
    const doubt = found && (await mismatch(work, window, found));
    if (found !== undefined && doubt === undefined) break;
    if (doubt !== undefined && round >= ROUNDS) {
      work.problem(doubt);
      break;
    }
    work.note(`${doubt ?? 'a part file does not hold what was written to it'}; fetching that window again`);
    await reset(work, window);
  }
  window.done = true;
  await work.save();
}

async function walk(work: WindowWork, window: WindowState): Promise<void> {
  const part = await openPart(work, window);
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
    for await (const step of walkWindow(work.source, { ...work.query, span }, start, known)) {
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
    await checkpoints.take();
  } finally {
    checkpoints.end(window);
    await part.close();
  }
}

/** The window's part file behind its known-good bytes; one that is damaged starts over. */
async function openPart(work: WindowWork, window: WindowState): Promise<PartFile> {
  try {
    return await PartFile.open(work.path(window), window, work.gzip);
  } catch (error) {
    if (!(error instanceof DamagedPart)) throw error;
    work.note(`${error.message}; fetching that window again`);
    await reset(work, window);
    return PartFile.open(work.path(window), window, work.gzip);
  }
}

async function reset(work: WindowWork, window: WindowState): Promise<void> {
  work.onRecords(-window.records);
  Object.assign(window, { cursor: null, restart: null, latest: null, bytes: 0, records: 0, gaps: [] });
  // The ledger lets go of the file before the file goes.
  await work.save();
}

/** The DOIs that an earlier run has taken of a window, the latest ones at least. */
async function knownIds(work: WindowWork, window: WindowState): Promise<readonly string[]> {
  if (window.bytes === 0) return [];
  const ids: string[] = [];
  await inspectPart(work.path(window), work.gzip, (id) => void ids.push(id), work.signal);
  return ids;
}

async function readBack(work: WindowWork, window: WindowState) {
  if (window.bytes === 0) return { unique: 0 };
  try {
    const found = await inspectPart(work.path(window), work.gzip, undefined, work.signal);
    if (found.records !== window.records || found.bytes !== window.bytes) return undefined;
    window.unique = found.unique;
    window.sha256 = found.sha256;
    return found;
  } catch (error) {
    if (error instanceof DamagedPart) return undefined;
    throw error;
  }
}

/** What is wrong with a window's numbers; undefined when they add up. A count that moved meanwhile is asked for again. */
async function mismatch(
  { source, query }: WindowWork,
  window: WindowState,
  { unique }: { readonly unique: number },
): Promise<string | undefined> {
  const where = `window ${window.index}`;
  if (unique !== window.records) return `${where} holds ${window.records - unique} records twice`;
  const missing = window.gaps.reduce((sum, gap) => sum + (gap.records ?? 0), 0);
  const held = window.records + missing;
  if (held === window.count || window.gaps.some((gap) => gap.records === undefined)) return undefined;
  const now = await source.count(narrowed(query.params, window, ...query.clauses));
  const [least, most] = [Math.min(window.count, now), Math.max(window.count, now)];
  if (held >= least && held <= most) return undefined;
  return `${where} holds ${window.records} records, and the service counts ${now}`;
}
