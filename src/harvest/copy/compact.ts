import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeError } from '../../disk/atomic-file.ts';
import type { Lock } from '../../disk/lock/lock.ts';
import { withDirectoryLock } from '../../disk/lock/with-lock.ts';
import { CliError, usageError } from '../../errors.ts';
import {
  type HarvestPaths,
  harvestPaths,
  orphans,
  partName,
  removeParts,
  removeUnfinished,
} from '../store/directory.ts';
import { inspectPart } from '../store/inspect.ts';
import { Ledger } from '../store/ledger.ts';
import type { Generation, LedgerData, Shard, WindowState } from '../store/ledger-data.ts';
import { DamagedPart } from '../store/part-file.ts';
import { PartWriter } from '../store/part-writer.ts';
import { readPart } from '../store/read-part.ts';
import { buildReceipt, type Receipt, writeReceipt } from '../store/receipt.ts';
import { createdOf } from '../walk/created.ts';
import { compactWindows, type NewWindow } from './compact-windows.ts';
import { newWindow } from './generation.ts';
import type { HarvestHost } from './options.ts';
import { partsOf, readUpdatedDois, type UpdatedDois, WindowFinder } from './updated-dois.ts';

type CompactHost = Omit<HarvestHost, 'service'>;

/**
 * Makes one generation of all those of a harvest or a shard, with the latest version of each DOI.
 *
 * At every instant a reader who takes, for each DOI, the line in the file with the greatest name finds the same
 * records: new part files get their names when all of them are complete, and until the ledger is saved they repeat
 * what the older ones hold; after that the older ones are of no use. Whatever a crash leaves of either is removed at
 * the next start, because the ledger does not know it.
 * @returns the receipt of what the directory holds then.
 * @throws {CliError} kind `incomplete` when the harvest has not come to its end, kind `output` for a full disk.
 */
export async function compactHarvest(host: CompactHost, dir: string, shard: Shard | null): Promise<Receipt> {
  const paths = harvestPaths(dir, shard);
  if ((await Ledger.open(paths.ledger)) === undefined) {
    throw usageError(`there is no harvest in ${dir}`, 'doi-cli dois harvest --dir <directory>');
  }
  return withDirectoryLock(host, paths.lock, (lock) => compactLocked(host, dir, paths, lock));
}

async function compactLocked(
  host: CompactHost,
  dir: string,
  paths: HarvestPaths,
  lock: Lock,
): Promise<Receipt> {
  try {
    // Another process may have changed it until now.
    const ledger = (await Ledger.open(paths.ledger)) as Ledger;
    const { data } = ledger;
    await removeUnfinished(paths);
    await removeOwn(paths, data);
    const [base, ...updates] = data.generations;
    if (base === undefined || data.generations.some(({ finishedAt }) => finishedAt === undefined)) {
      throw new CliError('incomplete', `the harvest in ${dir} is not complete`, {
        hint: 'run the same harvest again to its end',
      });
    }
    if (updates.some(({ windows }) => windows.some(({ gaps }) => gaps.length > 0))) {
      throw new CliError('incomplete', `an update in ${dir} lacks records that could not be had`, {
        hint: 'run the same harvest again: it tries them',
      });
    }
    if (updates.length === 0) return buildReceipt(data, base);

    const made = await makeGeneration(host, dir, paths, data);
    const receipt = buildReceipt({ ...data, generations: [made] }, made);
    await writeReceipt(paths.receipt(made.number), receipt);
    for (const { index, bytes } of made.windows) {
      if (bytes === 0) continue;
      const name = partName({ generation: made.number, window: index, gzip: data.gzip });
      await rename(join(paths.workshop, name), join(paths.data, name)).catch((error: unknown) => {
        throw writeError(join(paths.data, name), error);
      });
    }
    await syncFolder(paths.data);
    await lock.confirm();
    data.generations = [made];
    await ledger.save();
    await removeOwn(paths, data);
    return receipt;
  } finally {
    await rm(paths.workshop, { recursive: true, force: true });
  }
}

/** Removes part files that the ledger does not know; of a shard, those of its own windows. */
async function removeOwn(paths: HarvestPaths, data: LedgerData): Promise<void> {
  const own = new Set(data.generations.flatMap(({ windows }) => windows.map(({ index }) => index)));
  const left = await orphans(paths, [data]);
  await removeParts(paths, data.shard === null ? left : left.filter(({ window }) => own.has(window)));
}

/** Writes the new part files into the workshop, and reads them back. */
async function makeGeneration(
  host: CompactHost,
  dir: string,
  paths: HarvestPaths,
  data: LedgerData,
): Promise<Generation> {
  const { signal } = host;
  const [base, ...updates] = data.generations as [Generation, ...Generation[]];
  const latest = updates.at(-1) ?? base;
  const number = latest.number + 1;
  const startedAt = new Date(host.now()).toISOString();
  const later = await readUpdatedDois(
    updates.flatMap((generation) => partsOf(dir, data, generation)),
    signal,
  );
  // The windows of shards have their numbers from the plan that they share.
  const windows = compactWindows(base.windows, later, ...(data.shard === null ? [] : [Infinity]));
  const indexOf = (place: number) =>
    data.shard === null ? place : (base.windows[windows[place]?.old ?? 0]?.index ?? 0);
  const pathOf = (place: number) =>
    join(paths.workshop, partName({ generation: number, window: indexOf(place), gzip: data.gzip }));
  await mkdir(paths.workshop, { recursive: true }).catch((error: unknown) => {
    throw writeError(paths.workshop, error);
  });
  const writer = new PartWriter(pathOf, data.gzip);
  const expected = await copy(host, dir, data, later, windows, writer);
  const made = windows.map(({ from, to, old }, place) => {
    const records = writer.records(place);
    // What could not be had stays on record; its window is in one piece.
    const gaps = base.windows[old]?.gaps ?? [];
    return {
      ...newWindow(indexOf(place), { from, to, count: records }),
      records,
      gaps: [...gaps],
      done: true,
    };
  });
  for (const [place, window] of made.entries()) await readBack(pathOf(place), data.gzip, window, signal);
  const records = made.reduce((sum, { unique }) => sum + (unique ?? 0), 0);
  if (records !== expected) {
    throw new CliError('unexpected', `${expected} DOIs were to be written, and ${records} are there`);
  }
  return {
    number,
    kind: 'compact',
    startedAt,
    asOf: latest.asOf ?? latest.startedAt,
    finishedAt: new Date(host.now()).toISOString(),
    totalAtStart: records,
    totalAtEnd: records,
    retries: 0,
    problems: [],
    windows: made,
  };
}

/**
 * Copies the latest version of each DOI.
 * @returns how many there are.
 */
async function copy(
  { signal, progress }: CompactHost,
  dir: string,
  data: LedgerData,
  later: UpdatedDois,
  windows: readonly NewWindow[],
  writer: PartWriter,
): Promise<number> {
  const [base, ...updates] = data.generations as [Generation, ...Generation[]];
  const most = base.windows.reduce((sum, { records }) => sum + records, later.size);
  const finder = new WindowFinder(windows);
  let records = 0;
  const add = async (place: number, line: Buffer) => {
    await writer.add(place, line);
    records += 1;
    progress(records, most);
  };
  for (const [old, window] of base.windows.entries()) {
    const first = windows.findIndex((one) => one.old === old);
    const whole = windows[first + 1]?.old !== old;
    for (const part of partsOf(dir, data, { ...base, windows: [window] })) {
      await readPart(
        part,
        (id, line) => (later.has(id) ? undefined : add(whole ? first : finder.at(createdOf(line)), line)),
        signal,
      );
    }
  }
  // The greatest name first, so that what comes of a DOI after that is out of date.
  for (const part of updates.flatMap((generation) => partsOf(dir, data, generation)).reverse()) {
    await readPart(
      part,
      (id, line) => {
        const created = later.get(id);
        if (created === undefined) return;
        later.delete(id);
        return add(finder.at(created), line);
      },
      signal,
    );
  }
  await writer.finish();
  return records;
}

async function readBack(
  path: string,
  gzip: boolean,
  window: WindowState,
  signal: AbortSignal,
): Promise<void> {
  if (window.records === 0) {
    window.unique = 0;
    return;
  }
  const { bytes, records, unique, sha256 } = await inspectPart(path, gzip, undefined, signal);
  if (records !== window.records) {
    throw new DamagedPart(`${path} holds ${records} records, but ${window.records} were written to it`);
  }
  Object.assign(window, { bytes, unique, sha256 });
}
