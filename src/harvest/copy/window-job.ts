import type { Semaphore } from '../../concurrency/promises.ts';
import type { LedgerWindow } from '../store/ledger-data.ts';
import { DamagedPart, PartFile } from '../store/part-file.ts';
import { inspectPart } from '../store/read-part.ts';
import { numbersOf, type PageNumbers } from '../walk/creation-time.ts';
import { CannotResume } from '../walk/cursor-walk.ts';
import type { FormCheck } from '../walk/form-check.ts';
import { recordsInGaps } from '../walk/gap.ts';
import { withinSpan } from '../walk/query-params.ts';
import type { WindowQuery, WindowSource } from '../walk/walk-step.ts';
import { lacksRecords } from '../walk/walk-totals.ts';
import { REMEMBERED_DOIS, walkWindow } from '../walk/window-walk.ts';
import type { Checkpoints } from './checkpoint.ts';
import type { CopyWindows } from './copy-windows.ts';
import { inspectWindow } from './damage.ts';
import { clausesOf } from './generation.ts';

/** What the fetch of a window needs; windows share most of it. */
export interface WindowJob {
  readonly source: WindowSource;
  readonly query: Omit<WindowQuery, 'span'>;
  readonly path: string;
  readonly gzip: boolean;
  readonly checkpoints: Checkpoints;
  /** Limits how many part files are read back at once. */
  readonly readers: Semaphore;
  readonly signal: AbortSignal;
  /** Of all records of the copy. */
  readonly form: FormCheck;
  save(): Promise<void>;
  /** Called with the number of written records; negative when records are dropped. */
  onRecords(count: number): void;
  readonly windows: Pick<CopyWindows, 'onArrival' | 'afterStep'>;
  note(text: string): void;
}

// A window whose records do not add up is fetched again: a lost record is there the next time.
const WINDOW_ROUNDS = 5;
const DAMAGED = 'a part file does not hold what was written to it';

/** Fetches a window, reads its part file back, and compares it with the service's count. */
export async function fetchWindow(job: WindowJob, window: LedgerWindow): Promise<void> {
  let recordsBefore = 0;
  for (let round = 1; ; round += 1) {
    const last = round === WINDOW_ROUNDS;
    const doubt = await attempt(job, window, last, recordsBefore);
    if (doubt !== undefined && last) window.doubt = doubt;
    if (doubt === undefined || last) break;
    job.note(`${doubt}; fetching that window again`);
    job.onRecords(-window.records);
    recordsBefore = Math.max(recordsBefore, window.records);
    startOver(window);
    // The ledger drops the part file before the file is removed.
    await job.save();
  }
  window.done = true;
  await job.save();
}

/**
 * Returns why the window may be wrong; undefined if it is right. Damage and a walk that cannot
 * resume are thrown only at the last attempt.
 */
async function attempt(
  job: WindowJob,
  window: LedgerWindow,
  last: boolean,
  recordsBefore: number,
): Promise<string | undefined> {
  const began = job.source.now();
  try {
    await walk(job, window);
    const doubt = (await readBack(job, window)) ?? (await mismatch(job, window, began));
    if (doubt !== undefined) return doubt;
    // Failing shards of the service answer without records, and count none (service.md, P18).
    const isLost = window.records === 0 && window.gaps.length === 0 && recordsBefore > 0;
    if (!isLost) return undefined;
    return `window ${window.index} held ${recordsBefore} records, and now the service gives none`;
  } catch (error) {
    if (last || !(error instanceof DamagedPart || error instanceof CannotResume)) throw error;
    return error.message;
  }
}

async function walk(job: WindowJob, window: LedgerWindow): Promise<void> {
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
    const start = { cursor, restart, latest, known, taken };
    for await (const step of walkWindow(job.source, query, start)) {
      let written: PageNumbers | undefined;
      if ('gap' in step) {
        gaps.push(step.gap);
      } else {
        const { page, fresh, count } = step.page;
        job.form.check(page);
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
    // Keeps the written records, even if the walk failed.
    await job.checkpoints.end(window).finally(() => part.close());
  }
}

/** Resets a window, so that it is fetched from its beginning. */
export function startOver(window: LedgerWindow): void {
  const position = { cursor: null, restart: null, latest: null };
  // The next answer has a new count.
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

/** The last DOIs, {@link REMEMBERED_DOIS} or more, that an earlier run wrote to the part file. */
async function knownIds(job: WindowJob, window: LedgerWindow): Promise<readonly string[]> {
  if (window.bytes === 0) return [];
  const { readers, path, gzip, signal } = job;
  let ids: string[] = [];
  const remember = (id: string) => {
    if (ids.length >= 2 * REMEMBERED_DOIS) ids = ids.slice(-REMEMBERED_DOIS);
    ids.push(id);
  };
  const { records } = await readers.run(() => inspectPart(path, gzip, remember, signal));
  if (records !== window.records) throw new DamagedPart(DAMAGED);
  return ids;
}

/** Notes the part file's hash and number of DOIs. @returns why its records may be wrong, if so. */
async function readBack(job: WindowJob, window: LedgerWindow): Promise<string | undefined> {
  if (window.bytes === 0) return undefined;
  const part = { ...job, params: job.query.params };
  const { bytes, records, unique, sha256, doubt } = await job.readers.run(() =>
    inspectWindow(part, window),
  );
  if (records !== window.records || bytes !== window.bytes) throw new DamagedPart(DAMAGED);
  Object.assign(window, { unique, sha256 });
  return doubt;
}

/** How the records of a window differ from its earlier and its present count; undefined if not. */
async function mismatch(
  job: WindowJob,
  window: LedgerWindow,
  began: number,
): Promise<string | undefined> {
  const { source, query } = job;
  const records = window.records + recordsInGaps(window.gaps);
  const counted = window.estimated !== true;
  if ((counted && records === window.count) || window.gaps.some((gap) => gap.records === undefined))
    return undefined;
  const now = await source.count(withinSpan(query.params, window, ...query.clauses));
  if (!counted) {
    window.count = now;
    delete window.estimated;
  }
  const most = window.count;
  if (!lacksRecords(records, most, now) && records <= Math.max(most, now)) return undefined;
  // Records that changed since then may have appeared before the cursor (service.md, P25): the next
  // update asks for them.
  const changes = clausesOf({ since: new Date(began - (began % 1000)).toISOString() });
  const changed = await source.count(
    withinSpan(query.params, window, ...query.clauses, ...changes),
  );
  if (records < now && now - records <= changed && changed < now) return undefined;
  return `window ${window.index} holds ${window.records} records, and the service counts ${now}`;
}
