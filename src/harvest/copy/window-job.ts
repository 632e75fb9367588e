import type { Semaphore } from '../../concurrency/semaphore.ts';
import type { WindowState } from '../store/ledger-data.ts';
import { DamagedPart, PartFile } from '../store/part-file.ts';
import { inspectPart } from '../store/read-part.ts';
import { numbersOf, type PageNumbers } from '../walk/creation-time.ts';
import { CannotResume } from '../walk/cursor-walk.ts';
import { withinSpan } from '../walk/query-params.ts';
import { recordsInGaps, type WindowQuery, type WindowSource } from '../walk/walk-step.ts';
import { lacksRecords } from '../walk/walk-totals.ts';
import { REMEMBERED, walkWindow } from '../walk/window-walk.ts';
import type { Checkpoints } from './checkpoint.ts';
import type { CopyWindows } from './copy-windows.ts';
import { inspectWindow } from './damage.ts';
import { clausesOf } from './generation.ts';

interface WindowJob {
  readonly source: WindowSource;
  readonly query: Omit<WindowQuery, 'span'>;
  readonly path: string;
  readonly gzip: boolean;
  readonly checkpoints: Checkpoints;
  /** Bounds how many part files are read back at once. */
  readonly readers: Semaphore;
  readonly signal: AbortSignal;
  save(): Promise<void>;
  /** Called with the number of records written; negative when they are dropped. */
  onRecords(count: number): void;
  readonly windows: Pick<CopyWindows, 'onArrival' | 'afterStep'>;
  note(text: string): void;
}

// A window is fetched this often if its records do not add up: one lost on the way is there the
// next time.
const ROUNDS = 5;
const DAMAGED = 'a part file does not hold what was written to it';

/**
 * Fetches one window, reads its part file back and compares its records with the service's count.
 */
export async function fetchWindow(job: WindowJob, window: WindowState): Promise<void> {
  let heldBefore = 0;
  for (let round = 1; ; round += 1) {
    const last = round === ROUNDS;
    const doubt = await attempt(job, window, last, heldBefore);
    if (doubt !== undefined && last) window.doubt = doubt;
    if (doubt === undefined || last) break;
    job.note(`${doubt}; fetching that window again`);
    job.onRecords(-window.records);
    heldBefore = Math.max(heldBefore, window.records);
    startOver(window);
    // The ledger drops the part file before the file is removed.
    await job.save();
  }
  window.done = true;
  await job.save();
}

/**
 * Returns what is wrong with the window, if anything. The last attempt throws damage and a lost
 * way.
 */
async function attempt(
  job: WindowJob,
  window: WindowState,
  last: boolean,
  heldBefore: number,
): Promise<string | undefined> {
  const began = job.source.now();
  try {
    await walk(job, window);
    const doubt = (await readBack(job, window)) ?? (await mismatch(job, window, began));
    // Failing shards answer with nothing and count nothing (service.md, P18).
    const lost = window.records === 0 && window.gaps.length === 0 && heldBefore > 0;
    return (
      doubt ??
      (lost
        ? `window ${window.index} held ${heldBefore} records, and now the service gives none`
        : undefined)
    );
  } catch (error) {
    if (last || !(error instanceof DamagedPart || error instanceof CannotResume)) throw error;
    return error.message;
  }
}

async function walk(job: WindowJob, window: WindowState): Promise<void> {
  const part = await PartFile.open(job.path, window, job.gzip);
  try {
    const known = await knownIds(job, window);
    const { cursor, restart = null, latest = null } = window;
    let { records } = window;
    if (cursor === null && records > 0 && restart === null) return;
    const gaps = [...window.gaps];
    const onArrival = (last: number) => job.windows.onArrival(window, last);
    const query = { ...job.query, span: window, onArrival };
    const taken = records + recordsInGaps(gaps);
    for await (const step of walkWindow(
      job.source,
      query,
      { cursor, restart, latest },
      known,
      taken,
    )) {
      let written: PageNumbers | undefined;
      if ('gap' in step) {
        gaps.push(step.gap);
      } else {
        const { page, fresh, count } = step.page;
        written = numbersOf(page, step.position.cursor, step.asked);
        await part.append(page.lines(fresh));
        records += count;
        job.onRecords(count);
      }
      job.checkpoints.note(window, part, { ...step.position, records, gaps: [...gaps] });
      job.signal.throwIfAborted();
      job.windows.afterStep(window, written, step.position.restart, records + recordsInGaps(gaps));
    }
  } finally {
    // Keeps the records written, even if the walk failed.
    await job.checkpoints.end(window).finally(() => part.close());
  }
}

/** Resets a window, so that it is fetched from its beginning. */
export function startOver(window: WindowState): void {
  const position = { cursor: null, restart: null, latest: null };
  // The next answer names the count anew.
  Object.assign(window, {
    ...position,
    bytes: 0,
    records: 0,
    gaps: [],
    done: false,
    estimated: true,
  });
  delete window.sha256;
  delete window.unique;
  delete window.doubt;
  delete window.surplus;
}

/**
 * The last DOIs that an earlier run wrote to the window's part file, at least {@link REMEMBERED} of
 * them.
 */
async function knownIds(job: WindowJob, window: WindowState): Promise<readonly string[]> {
  if (window.bytes === 0) return [];
  const { readers, path, gzip, signal } = job;
  let ids: string[] = [];
  const remember = (id: string) => {
    if (ids.length >= 2 * REMEMBERED) ids = ids.slice(-REMEMBERED);
    ids.push(id);
  };
  const { records } = await readers.run(() => inspectPart(path, gzip, remember, signal));
  if (records !== window.records) throw new DamagedPart(DAMAGED);
  return ids;
}

/**
 * Notes the part file's hash and its different DOIs. Returns what is wrong with its records, if
 * anything.
 */
async function readBack(job: WindowJob, window: WindowState): Promise<string | undefined> {
  if (window.bytes === 0) return undefined;
  const part = { ...job, params: job.query.params };
  const { bytes, records, unique, sha256, doubt } = await job.readers.run(() =>
    inspectWindow(part, window),
  );
  if (records !== window.records || bytes !== window.bytes) throw new DamagedPart(DAMAGED);
  Object.assign(window, { unique, sha256 });
  return doubt;
}

/**
 * What is wrong with a window's numbers; undefined when they add up, with the count of then or of
 * now.
 */
async function mismatch(
  job: WindowJob,
  window: WindowState,
  began: number,
): Promise<string | undefined> {
  const { source, query } = job;
  const held = window.records + recordsInGaps(window.gaps);
  const counted = window.estimated !== true;
  if ((counted && held === window.count) || window.gaps.some((gap) => gap.records === undefined))
    return undefined;
  const now = await source.count(withinSpan(query.params, window, ...query.clauses));
  if (!counted) {
    window.count = now;
    delete window.estimated;
  }
  const most = window.count;
  if (!lacksRecords(held, most, now) && held <= Math.max(most, now)) return undefined;
  // What has changed since may have come in behind the cursor (service.md, P25): the next update
  // asks for it.
  const changes = clausesOf({ since: new Date(began - (began % 1000)).toISOString() });
  const changed = await source.count(
    withinSpan(query.params, window, ...query.clauses, ...changes),
  );
  if (held < now && now - held <= changed && changed < now) return undefined;
  return `window ${window.index} holds ${window.records} records, and the service counts ${now}`;
}
