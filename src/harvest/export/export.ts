import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { coalesced, forEachLimited } from '../../concurrency/promises.ts';
import { renameFile, syncFolder } from '../../disk/atomic-file.ts';
import { writeError } from '../../disk/file-sink.ts';
import { makeFolder } from '../../disk/folders.ts';
import { type Lock, withDirectoryLock } from '../../disk/lock/lock.ts';
import { openRegularFile } from '../../disk/regular-file.ts';
import { CliError, errorCode } from '../../errors.ts';
import { TABLES, type TableName } from '../../metadata/tables/tables.ts';
import { addUnread, type Unread } from '../../metadata/tables/values.ts';
import { refuseDamage } from '../copy/damage.ts';
import type { LocalHost } from '../copy/options.ts';
import { settled } from '../copy/settled.ts';
import { type CopyPart, CurrentRecords, partsOf } from '../store/current-records.ts';
import { readLedgers } from '../store/ledger.ts';
import type { LedgerData } from '../store/ledger-data.ts';
import { receiptsOf } from '../store/receipt.ts';
import { readRemoved } from '../store/removed.ts';
import { type Batch, type BatchFiles, updateBatch } from './export-batch.ts';
import { type ManifestData, openManifest, saveManifest } from './manifest.ts';
import { Threads } from './threads.ts';
import { writeRemoved } from './write-removed.ts';

// Engines read few large files faster than many small ones.
const BATCH_RECORDS = 100_000;
const REMOVED = 'removed.parquet';
/** Gives the tables of a copy without records a file: queries of no files at all fail. */
const NO_RECORDS: Batch = { parts: [], name: 'g0001-w00000', records: 0, source: '', later: '' };
/** The tables that all exports have. */
const RECORD_TABLES = Object.keys(TABLES) as (keyof typeof TABLES)[];

/** What an export has made. */
export interface Exported {
  /** Current records in all batches. */
  readonly dois: number;
  readonly batches: number;
  /** The batches whose files this run has written. */
  readonly written: number;
  /** The batches that are gone from the copy, and whose files this run has removed. */
  readonly removed: number;
  readonly unread: Unread;
  /** The parameters of the copy's query. */
  readonly params: LedgerData['query']['params'];
  /** Why the copy is not complete. */
  readonly missing: readonly string[];
}

interface Run extends Pick<ExportOptions, 'jobs' | 'threads'> {
  readonly host: LocalHost;
  readonly out: string;
  readonly staging: string;
  readonly manifest: ManifestData;
  readonly save: () => Promise<void>;
  readonly total: number;
  /** The tables with files for each batch. */
  readonly tables: readonly TableName[];
  done: number;
}

interface ExportOptions {
  /** How many batches are written at once, each in its own thread. */
  readonly jobs: number;
  /** The program of a thread; undefined to write one batch after the other in this thread. */
  readonly threads: URL | undefined;
  /** The most records of a file, for tests. */
  readonly batch?: number;
  /** Whether to write whole records too; an export that has them keeps them. */
  readonly records?: boolean | undefined;
}

/**
 * Writes the current records of a copy as tables: a Parquet file for each table and batch. Files of
 * unchanged batches stay. New files wait in `_staging` until all are complete: a stopped export
 * leaves the tables as they were, and the next run continues. Memory holds a row group of each
 * table for each job, and 24 to 48 bytes for each DOI of an update.
 * @throws {CliError} kind `incomplete` for a copy that is not complete or is damaged, kind `usage`
 *   for other files in `out`.
 */
export async function exportCopy(
  host: LocalHost,
  dir: string,
  out: string,
  options: ExportOptions,
): Promise<Exported> {
  const ledgers = await readLedgers(dir);
  const { fingerprint, query } = settled(dir, ledgers);
  await refuseDamage(ledgers, dir, host.signal);
  await makeFolder(out);
  const work = async (lock: Lock) => {
    const manifest = await openManifest(out, { fingerprint, query });
    const save = coalesced(() => saveManifest(out, manifest));
    manifest.records ||= options.records === true;
    const tables = [...RECORD_TABLES, ...(manifest.records ? (['records'] as const) : [])];
    await save();
    const staging = join(out, '_staging');
    for (const name of tables) await makeFolder(join(staging, name));
    for (const name of [...tables, 'removed']) await makeFolder(join(out, name));
    const made = ledgers.map((data) => batchesIn(dir, data, options.batch ?? BATCH_RECORDS));
    const batches = made.flat().length === 0 ? [[NO_RECORDS]] : made;
    const total = batches.flat().reduce((sum, { records }) => sum + records, 0);
    const run = { ...options, host, out, staging, manifest, save, tables, total, done: 0 };
    for (const shard of batches) await stageBatches(run, shard);
    if (JSON.stringify(await readLedgers(dir)) !== JSON.stringify(ledgers)) {
      throw new CliError('incomplete', `${dir} was changed meanwhile`, {
        hint: 'run the same export again',
      });
    }
    await writeRemoved(join(staging, REMOVED), await readRemoved(dir, ledgers, host.signal));
    host.signal.throwIfAborted();
    await lock.check();
    return publish(run, new Set(batches.flat().map(({ name }) => name)));
  };
  const exported = await withDirectoryLock(host, join(out, '_export.lock'), work, out);
  const missing = receiptsOf(ledgers).flatMap(({ reasons }) => reasons);
  return { ...exported, params: query.params, missing };
}

function batchesIn(dir: string, data: LedgerData, most: number): readonly Batch[] {
  const batches: CopyPart[][] = [];
  let records = 0;
  for (const part of partsOf(dir, [data])) {
    const latest = batches.at(-1);
    records += part.records;
    if (latest?.[0]?.generation === part.generation && records <= most) latest.push(part);
    else {
      batches.push([part]);
      records = part.records;
    }
  }
  const later = createHash('sha256');
  return batches
    .toReversed()
    .map((parts) => {
      const name = basename(parts[0]?.path ?? '').replace(/\.ndjson(\.gz)?$/, '');
      const source = parts.map(({ sha256 = '' }) => sha256).join(' ');
      const batch = { parts, name, source, later: later.copy().digest('hex') };
      later.update(`${name} ${source}\n`);
      return { ...batch, records: parts.reduce((sum, part) => sum + part.records, 0) };
    })
    .toReversed();
}

async function stageBatches(run: Run, batches: readonly Batch[]): Promise<void> {
  const { host, manifest, staging, tables, save, threads: program, jobs } = run;
  const { signal } = host;
  const count = ({ records }: Batch) => {
    run.done += records;
    host.progress(run.done, run.total);
  };
  const changed: { readonly batch: Batch; readonly known: BatchFiles | undefined }[] = [];
  for (const batch of batches) {
    signal.throwIfAborted();
    const known = await filesOf(run, batch);
    if (known?.later === batch.later) count(batch);
    else changed.push({ batch, known });
  }
  if (changed.length === 0) return;
  const parts = batches.flatMap((batch) => batch.parts);
  const current = await CurrentRecords.read(parts, signal);
  const target = { folder: staging, tables };
  const threads = program && new Threads(program, { words: current.words, target });
  await forEachLimited(changed, threads === undefined ? 1 : jobs, async ({ batch, known }) => {
    const before = known?.superseded;
    const made = await (threads === undefined
      ? updateBatch({ batch, before }, current, target, signal)
      : threads.update({ batch, before }, signal));
    if (made !== undefined) manifest.staged[batch.name] = made;
    else if (known !== undefined) known.later = batch.later;
    await save();
    count(batch);
  }).finally(() => threads?.close());
}

/** The files of a batch, if they exist and were made from its present contents. */
async function filesOf(
  { out, staging, manifest, tables }: Run,
  batch: Batch,
): Promise<BatchFiles | undefined> {
  const staged = manifest.staged[batch.name];
  const known = staged ?? manifest.parts[batch.name];
  if (known?.source !== batch.source) return undefined;
  for (const table of tables) {
    const paths = [...(staged === undefined ? [] : [staging]), out].map((folder) =>
      fileIn(folder, table, batch.name),
    );
    const hashes = await Promise.all(paths.map(sha256Of));
    const sha256 = known.files[table]?.sha256;
    if (sha256 === undefined || !hashes.includes(sha256)) return undefined;
  }
  return known;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline((await openRegularFile(path)).createReadStream(), hash);
    return hash.digest('hex');
  } catch {
    return '';
  }
}

const fileIn = (folder: string, table: TableName, batch: string) =>
  join(folder, table, `${batch}.parquet`);

/**
 * Puts staged files in their places, and removes the files of batches that are gone. The latest
 * ones come first: a reader finds a DOI twice meanwhile rather than not at all, and `complete` is
 * false in the manifest.
 */
async function publish(
  { host, out, staging, manifest, tables, save }: Run,
  names: ReadonlySet<string>,
) {
  const staged = Object.entries(manifest.staged)
    .filter(([name]) => names.has(name))
    .sort(([a], [b]) => (a < b ? 1 : -1));
  // A run that was killed here may have moved files of a batch that is gone now.
  const gone = Object.keys({ ...manifest.parts, ...manifest.staged }).filter(
    (name) => !names.has(name),
  );
  if (staged.length + gone.length > 0) manifest.complete = false;
  await save();
  for (const table of tables) {
    try {
      for (const [name] of staged)
        await move(fileIn(staging, table, name), fileIn(out, table, name));
      for (const name of gone) await rm(fileIn(out, table, name), { force: true });
      await syncFolder(join(out, table));
    } catch (error) {
      throw writeError(join(out, table), error);
    }
  }
  await move(join(staging, REMOVED), join(out, 'removed', REMOVED));
  for (const [name, files] of staged) manifest.parts[name] = files;
  for (const name of gone) delete manifest.parts[name];
  Object.assign(manifest, {
    staged: {},
    complete: true,
    exportedAt: new Date(host.now()).toISOString(),
  });
  await save();
  await rm(staging, { recursive: true, force: true });
  const dois = Object.values(manifest.parts).reduce(
    (sum, { files }) => sum + (files['dois']?.rows ?? 0),
    0,
  );
  const unread: Unread = {};
  for (const part of Object.values(manifest.parts)) addUnread(unread, part.unread ?? {});
  return { dois, batches: names.size, written: staged.length, removed: gone.length, unread };
}

async function move(from: string, to: string): Promise<void> {
  await renameFile(from, to).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
