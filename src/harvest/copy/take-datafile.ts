import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachLimited } from '../../concurrency/promises.ts';
import type { LocalDatafile } from '../../datafile/local-files.ts';
import { syncFolder } from '../../disk/atomic-file.ts';
import { makeFolder } from '../../disk/folders.ts';
import { CliError, usageError } from '../../errors.ts';
import { counted } from '../../text/words.ts';
import { type HarvestPaths, partName, placeFile } from '../store/directory.ts';
import type { Ledger } from '../store/ledger.ts';
import type { Generation, LedgerWindow } from '../store/ledger-data.ts';
import { DamagedPart } from '../store/part-file.ts';
import { PartWriter } from '../store/part-writer.ts';
import { inspectPart, READERS, readPart } from '../store/read-part.ts';
import { buildReceipt, writeReceipt } from '../store/receipt.ts';
import { ALL_TIME, createdOf, spanFinder } from '../walk/creation-time.ts';
import { MOST_RECORDS, merged } from '../windows/plan-windows.ts';
import { findDamage } from './damage.ts';
import { type HarvestRun, newWindow } from './generation.ts';
import { startOver } from './window-job.ts';

// Windows are cut at multiples of ten minutes; there are some hundred thousand of them.
const GRAIN_MS = 600_000;
// The records of one file belong to many windows: with larger batches, files are opened less often.
const BATCH_BYTES = 64 * 1024 * 1024;
// The most files that are read again after a kill: half a million records.
const FILES_PER_CHECKPOINT = 50;
// A page of the service is shorter. A few packed kilobytes could otherwise fill the memory.
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Reads all records of a data file, and plans windows of creation time for them. */
export async function planFromDatafile(
  { host }: HarvestRun,
  datafile: LocalDatafile,
): Promise<Generation> {
  const now = host.now();
  const counts = new Map<number, number>();
  let [records, undated] = [0, 0];
  const { files } = datafile;
  for (const [index, file] of files.entries()) {
    await readFile(file, host.signal, (created) => {
      if (Number.isNaN(created)) undated += 1;
      else {
        const grain = Math.floor(created / GRAIN_MS) * GRAIN_MS;
        counts.set(grain, (counts.get(grain) ?? 0) + 1);
        records += 1;
      }
    });
    host.progress(records, Math.round((records * files.length) / (index + 1)));
  }
  if (files.every(({ sha256 }) => sha256 === undefined)) {
    const missing = 'only the comparison with the service shows what is missing';
    host.note(`the data file has no MANIFEST.json: ${missing}`);
  }
  if (undated > 0)
    host.note(`left to the service: ${counted(undated, 'line')} without a time of creation`);
  const times = [...counts].sort(([a], [b]) => a - b);
  const spans = times.map(([from, count], at) => ({
    from: at === 0 ? null : from,
    to: times[at + 1]?.[0] ?? null,
    count,
  }));
  const windows = merged(spans.length === 0 ? [{ ...ALL_TIME, count: 0 }] : spans, MOST_RECORDS);
  return {
    number: 1,
    kind: 'datafile',
    startedAt: new Date(now).toISOString(),
    asOf: new Date(Math.min(now, Date.parse(datafile.asOf))).toISOString(),
    datafile: { id: datafile.id, files: 0 },
    totalAtStart: records,
    retries: 0,
    problems: [],
    windows: windows.map((window, index) => newWindow(index, window)),
  };
}

/**
 * Takes the data file with which a copy begins, from the last checkpoint on, without a request.
 * @throws {CliError} kind `usage` for another data file, or a damaged file.
 */
export async function takeDatafile(
  run: HarvestRun,
  paths: HarvestPaths,
  ledger: Ledger,
): Promise<void> {
  const { host, options } = run;
  const { generations, gzip } = ledger.data;
  const [generation] = generations;
  const begun = generation?.datafile;
  if (generation === undefined || begun === undefined) return;
  const datafile = await options.datafile?.();
  if (datafile?.id !== begun.id) {
    const which = datafile === undefined ? 'a' : 'another';
    const message = `the copy in ${options.dir} is begun with ${which} data file`;
    throw usageError(message, 'add --from <its directory>, or start over with --fresh');
  }
  const pathOf = (index: number) => paths.part(generation.number, index, gzip);
  if ((await findDamage(ledger.data, options.dir, false, host.signal)).length > 0) {
    host.note('a file of the copy is damaged: taking the data file from its beginning');
    begun.files = 0;
    for (const window of generation.windows) startOver(window);
    await ledger.save();
  }
  await writeParts(run, ledger, generation, datafile, pathOf);
  try {
    await makeFolder(paths.staging);
    await forEachLimited(generation.windows, READERS, async (window) => {
      const staged = join(paths.staging, partName({ generation: 1, window: window.index, gzip }));
      const isShorter = await finishWindow(window, pathOf(window.index), staged, gzip, host.signal);
      // The file has been replaced.
      if (isShorter) await ledger.save();
    });
    await syncFolder(paths.data);
  } finally {
    await rm(paths.staging, { recursive: true, force: true });
  }
  const records = generation.windows.reduce((sum, window) => sum + window.records, 0);
  delete generation.datafile;
  Object.assign(generation, { totalAtStart: records, totalAtEnd: records });
  if (generation.windows.every(({ done }) => done))
    generation.finishedAt = new Date(host.now()).toISOString();
  await writeReceipt(paths.receipt(generation.number), buildReceipt(ledger.data, generation));
  await ledger.save();
  host.note(`${counted(records, 'DOI')} from the data file of ${datafile.month}`);
}

/** Writes the records of the files after the last checkpoint. */
async function writeParts(
  { host }: HarvestRun,
  ledger: Ledger,
  generation: Generation,
  { files }: LocalDatafile,
  pathOf: (index: number) => string,
): Promise<void> {
  const { windows, totalAtStart, datafile: begun = { id: '', files: 0 } } = generation;
  const windowOf = spanFinder(windows);
  const writer = new PartWriter(pathOf, ledger.data.gzip, {
    batchBytes: BATCH_BYTES,
    written: windows,
  });
  let records = windows.reduce((sum, window) => sum + window.records, 0);
  for (const [index, file] of files.entries()) {
    if (index < begun.files) continue;
    await readFile(file, host.signal, (created, line) => {
      if (Number.isNaN(created)) return undefined;
      records += 1;
      return writer.add(windowOf(created), line);
    });
    host.progress(records, totalAtStart);
    if ((index + 1) % FILES_PER_CHECKPOINT > 0 && index + 1 < files.length) continue;
    await writer.finish();
    // Without an await in between: these numbers belong together.
    for (const [at, window] of windows.entries()) Object.assign(window, writer.written(at));
    begun.files = index + 1;
    await ledger.save();
  }
}

/**
 * Reads a window's part file back. If several files of the data file contain a DOI, only the last
 * line stays. A window with a damaged part file is fetched from the service.
 * @returns whether the file has become shorter.
 */
async function finishWindow(
  window: LedgerWindow,
  path: string,
  staged: string,
  gzip: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const known = { path, gzip, bytes: window.bytes };
  try {
    let part = { bytes: 0, records: 0, unique: 0, sha256: '' };
    if (window.bytes > 0) {
      part = await inspectPart(path, gzip, undefined, signal);
      if (part.bytes !== window.bytes) throw new DamagedPart(`${path} has another size`);
    }
    const isShorter = part.unique < part.records;
    if (isShorter) {
      const last = new Map<string, number>();
      let line = 0;
      await readPart(known, (id) => void last.set(id, line++), signal);
      const writer = new PartWriter(() => staged, gzip);
      line = 0;
      await readPart(
        known,
        (id, bytes) => (last.get(id) === line++ ? writer.add(0, bytes) : undefined),
        signal,
      );
      await writer.finish();
      part = await inspectPart(staged, gzip, undefined, signal);
      await placeFile(staged, path);
    }
    const { bytes, records, unique, sha256 } = part;
    delete window.estimated;
    Object.assign(
      window,
      { bytes, records, unique, count: unique, done: true },
      bytes > 0 ? { sha256 } : {},
    );
    return isShorter;
  } catch (error) {
    if (!(error instanceof DamagedPart)) throw error;
    startOver(window);
    return false;
  }
}

/** Reads the records of a file of the data file with their creation times, or NaN. */
async function readFile(
  file: LocalDatafile['files'][number],
  signal: AbortSignal,
  onRecord: (created: number, line: Buffer) => void | Promise<void>,
): Promise<void> {
  try {
    const part = { ...file, gzip: true, maxLineBytes: MAX_LINE_BYTES };
    await readPart(part, (_, line) => onRecord(createdOf(line), line), signal);
  } catch (error) {
    const isOfFile = error instanceof CliError && error.message.startsWith(file.path);
    if (!isOfFile || !(error instanceof DamagedPart || error.kind === 'usage')) throw error;
    throw usageError(error.message, 'download the data file again, with --check');
  }
}
