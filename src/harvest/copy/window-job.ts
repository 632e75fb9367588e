import type { Semaphore } from '../../concurrency/semaphore.ts';
import type { WindowState } from '../store/ledger-data.ts';
import { DamagedPart, PartFile } from '../store/part-file.ts';
import { inspectPart } from '../store/read-part.ts';
import { LostWay } from '../walk/cursor-walk.ts';
import { withinSpan } from '../walk/query-params.ts';
import type { Gap, Position, WindowQuery, WindowSource } from '../walk/window.ts';
import { REMEMBERED, walkWindow } from '../walk/window-walk.ts';
import type { Checkpoints } from './checkpoint.ts';

/** What fetching a window needs of the run. */
interface WindowJob {
  readonly source: WindowSource;
  readonly query: Omit<WindowQuery, 'span'>;
  /** Of the window's part file. */
  readonly path: string;
  readonly gzip: boolean;
  readonly checkpoints: Checkpoints;
  /** Bounds how many part files are read back at once. */
  readonly readers: Semaphore;
  readonly signal: AbortSignal;
  /** Saves the ledger. */
  save(): Promise<void>;
  /** Told how many records were written; negative when they are dropped. */
  onRecords(count: number): void;
  note(text: string): void;
}

// A window whose records do not add up is fetched this often: a record lost on the way is there the next
// time.
const ROUNDS = 5;
const DAMAGED = 'a part file does not hold what was written to it';

/**
 * Fetches one window, reads its part file back and compares its records with the service's count.
 * @throws whatever stops the run; the next run continues from the window's last checkpoint.
 */
export async function fetchWindow(job: WindowJob, window: WindowState): Promise<void> {
  for (let round = 1; ; round += 1) {
    const doubt = await attempt(job, window, round >= ROUNDS);
    if (doubt === undefined) break;
    if (round >= ROUNDS) {
      window.doubt = doubt;
      break;
    }
    job.note(`${doubt}; fetching that window again`);
    job.onRecords(-window.records);
    startOver(window);
    // The ledger drops the part file before the file is removed.
    await job.save();
  }
  window.done = true;
  await job.save();
}

/**
 * @param last whether this run has no further attempt.
 * @returns what is wrong with the window, if anything.
 */
async function attempt(job: WindowJob, window: WindowState, last: boolean): Promise<string | undefined> {
  try {
    await walk(job, window);
    const unique = await readBack(job, window);
    return await mismatch(job, window, unique);
  } catch (error) {
    if (last || !(error instanceof DamagedPart || error instanceof LostWay)) throw error;
    return error.message;
  }
}

async function walk(job: WindowJob, window: WindowState): Promise<void> {
  const part = await PartFile.open(job.path, window, job.gzip);
  const { checkpoints, signal } = job;
  checkpoints.begin(window, part);
  try {
    const { from, to, cursor, restart = null, latest = null } = window;
    const known = await knownIds(job, window);
    if (cursor === null && window.records > 0 && restart === null) return;
    const start: Position = { cursor, restart, latest };
    let { records } = window;
    const gaps = [...window.gaps];
    const taken = records + recordsInGaps(gaps);
    for await (const step of walkWindow(
      job.source,
      { ...job.query, span: { from, to } },
      start,
      known,
      taken,
    )) {
      if ('gap' in step) {
        gaps.push(step.gap);
      } else {
        await part.append(step.page.page.lines(step.page.fresh));
        records += step.page.count;
        job.onRecords(step.page.count);
      }
      checkpoints.note(window, step.position, records, [...gaps]);
      signal.throwIfAborted();
    }
  } finally {
    // Keeps what was written, whatever ended the walk.
    try {
      await checkpoints.end(window);
    } finally {
      await part.close();
    }
  }
}

/** Resets a window, so that it is fetched from its beginning. */
export function startOver(window: WindowState): void {
  Object.assign(window, { cursor: null, restart: null, latest: null, bytes: 0, records: 0, gaps: [] });
  window.done = false;
  delete window.sha256;
  delete window.unique;
  delete window.doubt;
}

/** The last DOIs that an earlier run wrote to the window's part file, at least {@link REMEMBERED} of them. */
async function knownIds(job: WindowJob, window: WindowState): Promise<readonly string[]> {
  if (window.bytes === 0) return [];
  let ids: string[] = [];
  const remember = (id: string) => {
    if (ids.length >= 2 * REMEMBERED) ids = ids.slice(-REMEMBERED);
    ids.push(id);
  };
  const found = await inspect(job, remember);
  if (found.records !== window.records) throw new DamagedPart(DAMAGED);
  return ids;
}

/**
 * Notes the part file's hash and how many different DOIs it holds.
 * @returns that number.
 * @throws {DamagedPart} when the file is not as the ledger says.
 */
async function readBack(job: WindowJob, window: WindowState): Promise<number> {
  if (window.bytes === 0) return 0;
  const { bytes, records, unique, sha256 } = await inspect(job);
  if (records !== window.records || bytes !== window.bytes) throw new DamagedPart(DAMAGED);
  Object.assign(window, { unique, sha256 });
  return unique;
}

function inspect({ readers, path, gzip, signal }: WindowJob, onRecord?: (id: string) => void) {
  return readers.run(() => inspectPart(path, gzip, onRecord, signal));
}

/** How many records the gaps lack, as far as that is known. */
export function recordsInGaps(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, gap) => sum + (gap.records ?? 0), 0);
}

/** What is wrong with a window's numbers; undefined when they add up, with the count of then or of now. */
async function mismatch(
  { source, query }: WindowJob,
  window: WindowState,
  unique: number,
): Promise<string | undefined> {
  const where = `window ${window.index}`;
  if (unique !== window.records) return `${where} holds ${window.records - unique} records twice`;
  const held = window.records + recordsInGaps(window.gaps);
  if (held === window.count || window.gaps.some((gap) => gap.records === undefined)) return undefined;
  const now = await source.count(withinSpan(query.params, window, ...query.clauses));
  const [least, most] = [Math.min(window.count, now), Math.max(window.count, now)];
  if (held >= least && held <= most) return undefined;
  return `${where} holds ${window.records} records, and the service counts ${now}`;
}
