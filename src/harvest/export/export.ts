import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { forEachLimited } from '../../concurrency/for-each.ts';
import { coalesced } from '../../concurrency/promises.ts';
import { renameFile, syncFolder } from '../../disk/atomic-file.ts';
import { writeError } from '../../disk/file-sink.ts';
import { makeFolder } from '../../disk/folders.ts';
import { type Lock, withDirectoryLock } from '../../disk/lock/lock.ts';
import { openRegularFile } from '../../disk/regular-file.ts';
import { CliError, errorCode } from '../../errors.ts';
import { TABLES_VERSION, type TableName } from '../../metadata/tables/tables.ts';
import { addUnread, type Unread } from '../../metadata/tables/unread.ts';
import { refuseDamage } from '../copy/damage.ts';
import type { LocalHost } from '../copy/options.ts';
import { sameQuery } from '../copy/verify.ts';
import { CurrentRecords, partsOf } from '../store/current-records.ts';
import { harvestPaths } from '../store/directory.ts';
import { noHarvest, readLedgers } from '../store/ledger.ts';
import type { LedgerData } from '../store/ledger-data.ts';
import { buildReceipt, isSettled } from '../store/receipt.ts';
import { type ExportedPart, type PartFiles, TABLE_NAMES, updatePart } from './export-part.ts';
import { type ManifestData, openManifest, saveManifest } from './manifest.ts';
import { Threads } from './threads.ts';

interface Exported {
  /** Current records in all parts. */
  readonly dois: number;
  readonly parts: number;
  /** The parts whose files this run has written. */
  readonly written: number;
  /** The parts that are gone from the copy, and whose files this run has removed. */
  readonly removed: number;
  readonly unread: Unread;
  /** Why the copy is not complete. */
  readonly missing: readonly string[];
}

interface Run {
  readonly host: LocalHost;
  readonly out: string;
  readonly staging: string;
  readonly manifest: ManifestData;
  readonly save: () => Promise<void>;
  readonly total: number;
  readonly jobs: number;
  readonly threads: URL | undefined;
  records: number;
}

interface ExportOptions {
  /** How many parts are written at once, each in its own thread. */
  readonly jobs: number;
  /** The program of a thread; undefined to write one part after the other in this thread. */
  readonly threads: URL | undefined;
}

/**
 * Writes the current records of a copy as tables: a Parquet file for each table and part. Files of
 * unchanged parts stay. New files wait in `_staging` until all are complete: a stopped export
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
    await save();
    const staging = join(out, '_staging');
    for (const name of TABLE_NAMES) await makeFolder(join(staging, name));
    for (const name of TABLE_NAMES) await makeFolder(join(out, name));
    const parts = ledgers.map((data) => partsIn(dir, data));
    const total = parts.flat().reduce((sum, { records }) => sum + records, 0);
    const run: Run = { host, out, staging, manifest, save, total, records: 0, ...options };
    for (const shard of parts) await stageParts(run, shard);
    if (JSON.stringify(await readLedgers(dir)) !== JSON.stringify(ledgers)) {
      throw new CliError('incomplete', `${dir} was changed meanwhile`, {
        hint: 'run the same export again',
      });
    }
    host.signal.throwIfAborted();
    await lock.check();
    return publish(run, new Set(parts.flat().map(({ name }) => name)));
  };
  const exported = await withDirectoryLock(host, join(out, '_export.lock'), work, out);
  const receipts = ledgers.flatMap((data) =>
    data.generations.map((generation) => buildReceipt(data, generation)),
  );
  return { ...exported, missing: receipts.flatMap(({ reasons }) => reasons) };
}

/** The first ledger of a copy that lacks at most records that the service cannot send. */
function settled(dir: string, ledgers: readonly LedgerData[]): LedgerData {
  const [first] = ledgers;
  if (first === undefined) throw noHarvest(dir);
  sameQuery(ledgers);
  const isSettledAll = ledgers.every(
    ({ generations }) => generations.length > 0 && generations.every(isSettled),
  );
  if (isSettledAll && ledgers.length === (first.shard?.of ?? 1)) return first;
  throw new CliError('incomplete', `the harvest in ${dir} is not complete`, {
    hint: 'run the same harvest again to its end',
  });
}

/** The parts of a copy or a shard, in the order of their names. */
function partsIn(dir: string, data: LedgerData): readonly ExportedPart[] {
  const later = createHash('sha256');
  const parts: ExportedPart[] = [];
  for (const part of partsOf(harvestPaths(dir, data.shard), [data]).toReversed()) {
    const { sha256 = '' } = part;
    const name = basename(part.path).replace(/\.ndjson(\.gz)?$/, '');
    parts.unshift({ ...part, name, sha256, later: later.copy().digest('hex') });
    later.update(`${name} ${sha256}\n`);
  }
  return parts;
}

/** Writes the files of parts that changed into the staging folder. */
async function stageParts(run: Run, parts: readonly ExportedPart[]): Promise<void> {
  const { host, manifest, staging, save, threads: program, jobs } = run;
  const { signal } = host;
  const count = ({ records }: ExportedPart) => {
    run.records += records;
    host.progress(run.records, run.total);
  };
  const changed: { readonly part: ExportedPart; readonly known: PartFiles | undefined }[] = [];
  for (const part of parts) {
    signal.throwIfAborted();
    const known = await filesOf(run, part);
    if (known?.later === part.later) count(part);
    else changed.push({ part, known });
  }
  if (changed.length === 0) return;
  const current = await CurrentRecords.read(parts, signal);
  const threads = program && new Threads(program, { words: current.words, folder: staging });
  await forEachLimited(changed, threads === undefined ? 1 : jobs, async ({ part, known }) => {
    const before = known?.superseded;
    const made = await (threads === undefined
      ? updatePart(part, before, current, staging, signal)
      : threads.update({ part, before }, signal));
    if (made !== undefined) manifest.staged[part.name] = made;
    else if (known !== undefined) known.later = part.later;
    await save();
    count(part);
  }).finally(() => threads?.close());
}

/** The files of a part, if they exist and were made from its present contents. */
async function filesOf(
  { out, staging, manifest }: Run,
  part: ExportedPart,
): Promise<PartFiles | undefined> {
  const staged = manifest.staged[part.name];
  const known = staged ?? manifest.parts[part.name];
  if (known?.source !== part.sha256 || known.tablesVersion !== TABLES_VERSION) return undefined;
  for (const table of TABLE_NAMES) {
    const paths = [...(staged === undefined ? [] : [staging]), out].map((folder) =>
      fileIn(folder, table, part.name),
    );
    const hashes = await Promise.all(paths.map(sha256Of));
    if (!hashes.includes(known.files[table]?.sha256)) return undefined;
  }
  return known;
}

/** The SHA-256 of a file; empty if it cannot be read. */
async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline((await openRegularFile(path)).createReadStream(), hash);
    return hash.digest('hex');
  } catch {
    return '';
  }
}

const fileIn = (folder: string, table: TableName, part: string) =>
  join(folder, table, `${part}.parquet`);

/**
 * Puts staged files in their places, and removes the files of parts that are gone. The latest parts
 * come first: a reader finds a DOI twice meanwhile rather than not at all, and `complete` is false
 * in the manifest.
 */
async function publish({ host, out, staging, manifest, save }: Run, names: ReadonlySet<string>) {
  const staged = Object.entries(manifest.staged)
    .filter(([name]) => names.has(name))
    .sort(([a], [b]) => (a < b ? 1 : -1));
  // A run that was killed here may have moved files of a part that is gone now.
  const gone = Object.keys({ ...manifest.parts, ...manifest.staged }).filter(
    (name) => !names.has(name),
  );
  if (staged.length + gone.length > 0) manifest.complete = false;
  await save();
  for (const table of TABLE_NAMES) {
    try {
      for (const [name] of staged)
        await move(fileIn(staging, table, name), fileIn(out, table, name));
      for (const name of gone) await rm(fileIn(out, table, name), { force: true });
      await syncFolder(join(out, table));
    } catch (error) {
      throw writeError(join(out, table), error);
    }
  }
  for (const [name, files] of staged) manifest.parts[name] = files;
  for (const name of gone) delete manifest.parts[name];
  Object.assign(manifest, {
    staged: {},
    complete: true,
    exportedAt: new Date(host.now()).toISOString(),
  });
  await save();
  await rm(staging, { recursive: true, force: true });
  const dois = Object.values(manifest.parts).reduce((sum, { files }) => sum + files.dois.rows, 0);
  const unread: Unread = {};
  for (const part of Object.values(manifest.parts)) addUnread(unread, part.unread ?? {});
  return { dois, parts: names.size, written: staged.length, removed: gone.length, unread };
}

/** Moves a file, unless an earlier run has done so. */
async function move(from: string, to: string): Promise<void> {
  await renameFile(from, to).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
