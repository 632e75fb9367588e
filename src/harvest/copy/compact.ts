import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../disk/atomic-file.ts';
import { makeFolder } from '../../disk/folders.ts';
import { withDirectoryLock } from '../../disk/lock/lock.ts';
import { CliError } from '../../errors.ts';
import { type CopyPart, CurrentRecords, partsOf } from '../store/current-records.ts';
import {
  type HarvestPaths,
  harvestPaths,
  partName,
  placeFile,
  removeLeftovers,
} from '../store/directory.ts';
import { Ledger, noHarvest } from '../store/ledger.ts';
import type { Generation, LedgerData, LedgerWindow, Shard } from '../store/ledger-data.ts';
import { DamagedPart } from '../store/part-file.ts';
import { PartWriter } from '../store/part-writer.ts';
import { inspectPart } from '../store/read-part.ts';
import { buildReceipt, isSettled, type Receipt, writeReceipt } from '../store/receipt.ts';
import { createdOf, type Span, spanFinder } from '../walk/creation-time.ts';
import { WINDOW_RECORDS } from '../windows/plan-windows.ts';
import { refuseDamage } from './damage.ts';
import { newWindow } from './generation.ts';
import type { LocalHost } from './options.ts';

type Generations = readonly [base: Generation, ...updates: Generation[]];

interface CompactWindow extends Span {
  /** The index of the old window that it is a part of. */
  readonly old: number;
}

/**
 * Merges all generations of a harvest or a shard into one, with the latest version of each DOI.
 * Readers that take, for each DOI, the line in the file with the greatest name find the same
 * records at every instant: new part files get their names when all are complete, and repeat the
 * records of the older files until the ledger is saved.
 * @throws {CliError} kind `incomplete` when the harvest is not finished, kind `output` for a full
 *   disk.
 */
export async function compactHarvest(
  host: LocalHost,
  dir: string,
  shard: Shard | null,
): Promise<Receipt> {
  const paths = harvestPaths(dir, shard);
  return withDirectoryLock(host, paths.lock, async (lock) => {
    const ledger = await Ledger.open(paths.ledger);
    if (ledger === undefined) throw noHarvest(dir);
    const { data } = ledger;
    await removeLeftovers(paths, [data], data);
    const generations = compactable(dir, data);
    await refuseDamage([data], dir, host.signal);
    if (generations.length === 1) return buildReceipt(data, generations[0]);
    try {
      const compact = await makeGeneration(host, dir, data, generations);
      const receipt = buildReceipt(data, compact);
      await writeReceipt(paths.receipt(compact.number), receipt);
      await moveParts(paths, data, compact);
      await lock.check();
      data.generations = [compact];
      await ledger.save();
      await removeLeftovers(paths, [data], data);
      return receipt;
    } finally {
      await rm(paths.staging, { recursive: true, force: true });
    }
  });
}

/** @throws {CliError} kind `incomplete` when the generations cannot be merged. */
function compactable(dir: string, { generations }: LedgerData): Generations {
  const [base, ...updates] = generations;
  // The compact generation counts its own records: nothing would show that some were missing.
  if (base === undefined || !generations.every(isSettled)) {
    throw new CliError('incomplete', `the harvest in ${dir} is not complete`, {
      hint: 'run the same harvest again to its end',
    });
  }
  if (updates.some(({ windows }) => windows.some(({ gaps }) => gaps.length > 0))) {
    throw new CliError(
      'incomplete',
      `an update in ${dir} lacks records that could not be fetched`,
      {
        hint: 'run the same harvest again: it asks for them again',
      },
    );
  }
  return [base, ...updates];
}

async function moveParts(
  paths: HarvestPaths,
  { gzip }: LedgerData,
  { number, windows }: Generation,
) {
  for (const { index, bytes } of windows) {
    if (bytes === 0) continue;
    const name = partName({ generation: number, window: index, gzip });
    await placeFile(join(paths.staging, name), join(paths.data, name));
  }
  await syncFolder(paths.data);
}

async function makeGeneration(
  host: LocalHost,
  dir: string,
  data: LedgerData,
  generations: Generations,
): Promise<Generation> {
  const { signal } = host;
  const { gzip, shard } = data;
  const { staging } = harvestPaths(dir, shard);
  const [base, ...updates] = generations;
  const latest = updates.at(-1) ?? base;
  const number = latest.number + 1;
  const startedAt = new Date(host.now()).toISOString();
  const parts = partsOf(dir, [data]);
  const current = await CurrentRecords.read(parts, signal, true);
  // A shard keeps its windows: their numbers come from the plan.
  const most = shard === null ? WINDOW_RECORDS : Number.POSITIVE_INFINITY;
  const planned = compactWindows(base.windows, current.times(), most);
  const indexOf = (at: number) => (shard === null ? at : (base.windows[at]?.index ?? 0));
  const pathOf = (at: number) =>
    join(staging, partName({ generation: number, window: indexOf(at), gzip }));
  await makeFolder(staging);
  const writer = new PartWriter(pathOf, gzip);
  const expected = await copyCurrent(host, base, parts, current, planned, writer);
  const windows: LedgerWindow[] = [];
  for (const [at, { from, to, old }] of planned.entries()) {
    const { records } = writer.written(at);
    windows.push({
      ...newWindow(indexOf(at), { from, to, count: records }),
      records,
      // Gaps stay; a window with gaps is not cut.
      gaps: [...(base.windows[old]?.gaps ?? [])],
      done: true,
      ...surplusOf(base.windows[old], { from, to }),
      ...(await readBack(pathOf(at), gzip, records, signal)),
    });
  }
  const records = windows.reduce((sum, { unique }) => sum + (unique ?? 0), 0);
  if (records !== expected) {
    throw new CliError(
      'unexpected',
      `${expected} DOIs were to be written, and ${records} are there`,
    );
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
    windows,
  };
}

/** The surplus of a window at the last comparison, if the window is not cut. */
function surplusOf(
  old: LedgerWindow | undefined,
  { from, to }: Span,
): Pick<LedgerWindow, 'surplus'> {
  if (old?.surplus === undefined || old.from !== from || old.to !== to) return {};
  return { surplus: old.surplus };
}

/**
 * The windows of a compact generation: the old windows, cut where updates would make them too
 * large: new records enlarge the last one.
 * @param updated the creation times of the updated records.
 * @param most the most records of a window; updated records are counted twice.
 */
export function compactWindows(
  old: readonly LedgerWindow[],
  updated: Iterable<number>,
  most: number,
): readonly CompactWindow[] {
  const windowOf = spanFinder(old);
  const times: number[][] = old.map(() => []);
  for (const created of updated) {
    if (!Number.isNaN(created)) times[windowOf(created)]?.push(created);
  }
  return old.flatMap((window, index) => {
    // A gap's cursor belongs to the whole window: it leads nowhere in a part.
    const cuts = window.gaps.length > 0 ? [] : cutsOf(window, times[index] ?? [], most);
    return [window.from, ...cuts].map((from, piece) => ({
      from,
      to: cuts[piece] ?? window.to,
      old: index,
    }));
  });
}

/** Where to cut a window: at creation times of its updates, in equal shares. */
function cutsOf(
  { from, to, records }: LedgerWindow,
  times: number[],
  most: number,
): readonly number[] {
  const pieces = Math.ceil((records + times.length) / most);
  if (pieces < 2 || times.length === 0) return [];
  times.sort((a, b) => a - b);
  const cuts = Array.from(
    { length: pieces - 1 },
    (_, index) => times[Math.floor(((index + 1) * times.length) / pieces)] ?? 0,
  );
  return [...new Set(cuts)].filter(
    (cut) => (from === null || cut > from) && (to === null || cut < to),
  );
}

async function copyCurrent(
  { signal, progress }: LocalHost,
  base: Generation,
  parts: readonly CopyPart[],
  current: CurrentRecords,
  windows: readonly CompactWindow[],
  writer: PartWriter,
): Promise<number> {
  const most = base.windows.reduce((sum, window) => sum + window.records, 0) + current.count;
  const windowOf = spanFinder(windows);
  let records = 0;
  // The part of an update has no window of the first generation.
  const isUncut = ({ old }: CompactWindow, at: number) =>
    windows[at - 1]?.old !== old && windows[at + 1]?.old !== old;
  const uncut = new Map<LedgerWindow | undefined, number>();
  for (const [at, window] of windows.entries())
    if (isUncut(window, at)) uncut.set(base.windows[window.old], at);
  for await (const { part, line } of current.records(parts, signal)) {
    await writer.add(uncut.get(part.window) ?? windowOf(createdOf(line)), line);
    records += 1;
    progress(records, most);
  }
  await writer.finish();
  return records;
}

/** @throws {DamagedPart} when the part file does not contain the records written to it. */
async function readBack(path: string, gzip: boolean, written: number, signal: AbortSignal) {
  if (written === 0) return { unique: 0 };
  const { bytes, records, unique, sha256 } = await inspectPart(path, gzip, undefined, signal);
  if (records !== written) {
    throw new DamagedPart(`${path} holds ${records} records, but ${written} were written to it`);
  }
  return { bytes, unique, sha256 };
}
