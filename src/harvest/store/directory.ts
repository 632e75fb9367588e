import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameFile, syncFolder } from '../../disk/atomic-file.ts';
import { writeError } from '../../disk/file-sink.ts';
import { makeFolder, ownNames } from '../../disk/folders.ts';
import { errorCode, usageError } from '../../errors.ts';
import type { LedgerData, Shard } from './ledger-data.ts';

const METADATA_DIR = '_harvest';

/**
 * The layout of a harvest:
 *
 *     <dir>/data/g0001-w00012.ndjson[.gz]   the records, one file for each generation and window
 *     <dir>/_harvest/plan.json              the windows that shards share
 *     <dir>/_harvest/ledger.json            the records and bytes that are known good
 *     <dir>/_harvest/lock                   the process that is writing
 *     <dir>/_harvest/staging/               unfinished part files of a compact generation
 *     <dir>/_harvest/removed.ndjson         the DOIs that the service had no longer
 *     <dir>/_harvest/receipt-g0001.json     the contents of a finished generation
 *     <dir>/_harvest/shard-0002-of-0004/    the last four, for each shard
 *
 * `data/*.ndjson` or `data/*.ndjson.gz` matches all records: no other file there has such a name.
 * Spark and Hive, which read whole directory trees, skip names that begin with an underscore.
 */
export function harvestPaths(dir: string, shard: Shard | null) {
  const metadata = join(dir, METADATA_DIR);
  const folder =
    shard === null
      ? metadata
      : join(metadata, `shard-${pad(shard.index, 4)}-of-${pad(shard.of, 4)}`);
  const data = join(dir, 'data');
  return {
    data,
    folder,
    plan: join(metadata, 'plan.json'),
    removed: join(metadata, 'removed.ndjson'),
    ledger: join(folder, 'ledger.json'),
    lock: join(folder, 'lock'),
    staging: join(folder, 'staging'),
    receipt: (generation: number) => join(folder, `receipt-g${pad(generation, 4)}.json`),
    part: (generation: number, window: number, gzip: boolean) =>
      join(data, partName({ generation, window, gzip })),
  };
}

export type HarvestPaths = Readonly<ReturnType<typeof harvestPaths>>;

interface PartName {
  readonly generation: number;
  readonly window: number;
  readonly gzip: boolean;
}

export function partName({ generation, window, gzip }: PartName): string {
  return `g${pad(generation, 4)}-w${pad(window, 5)}.ndjson${gzip ? '.gz' : ''}`;
}

// Exactly the names of partName. The group is the window.
const PART_NAME = /^g(?:\d{4}|[1-9]\d{4,})-w(\d{5}|[1-9]\d{5,})\.ndjson(?:\.gz)?$/;

const pad = (number: number, digits: number): string => `${number}`.padStart(digits, '0');

/**
 * Makes the folders that do not exist, each safe from a power cut.
 * @returns a function that removes the empty ones.
 * @throws {CliError} as makeFolder does.
 */
export async function makeFolders({ data, folder }: HarvestPaths): Promise<() => Promise<void>> {
  const made = [...(await makeFolder(data)), ...(await makeFolder(folder))];
  // Each new folder is a name in its parent.
  for (const each of made) await syncFolder(dirname(each));
  return async () => {
    for (const each of made.toReversed()) await rmdir(each).catch(() => undefined);
  };
}

/** Gives a finished file its name, replacing any other file. @throws {CliError} kind `output`. */
export async function placeFile(from: string, to: string): Promise<void> {
  await renameFile(from, to).catch((error: unknown) => {
    throw writeError(to, error);
  });
}

/** The ledgers of a directory, of its one harvest or of its shards, sorted by name. */
export async function ledgerFiles(dir: string): Promise<string[]> {
  const metadata = join(dir, METADATA_DIR);
  const names = await readdir(metadata, { recursive: true }).catch(noFolder(metadata));
  return names
    .filter((name) => /^(shard-\d+-of-\d+[/\\])?ledger\.json$/.test(name))
    .sort()
    .map((name) => join(metadata, name));
}

/**
 * The names of part files that are in no ledger.
 * @param current the ledger of this harvest or shard: only its windows count.
 */
async function orphans(
  data: string,
  ledgers: readonly LedgerData[],
  current: LedgerData,
): Promise<string[]> {
  const known = partNames(ledgers);
  const indexes = new Set(
    current.generations.flatMap(({ windows }) => windows.map(({ index }) => index)),
  );
  return (await readdir(data).catch(noFolder(data))).filter((name) => {
    const window = PART_NAME.exec(name)?.[1];
    const isCurrent =
      window !== undefined && (current.shard === null || indexes.has(Number(window)));
    return isCurrent && !known.has(name);
  });
}

function partNames(ledgers: readonly LedgerData[]): ReadonlySet<string> {
  return new Set(
    ledgers.flatMap(({ generations, gzip }) =>
      generations.flatMap(({ number, windows }) =>
        windows.map(({ index }) => partName({ generation: number, window: index, gzip })),
      ),
    ),
  );
}

/** Names in the folder for part files that are in no ledger, such as copies of sync programs. */
export async function unknownFiles(
  dir: string,
  ledgers: readonly LedgerData[],
): Promise<readonly string[]> {
  const known = partNames(ledgers);
  return (await foreignFiles(dir)).filter((name) => !known.has(name));
}

/** The names in the folder for part files, sorted. Before a first harvest they are foreign. */
export async function foreignFiles(dir: string): Promise<string[]> {
  const { data } = harvestPaths(dir, null);
  return [...(await ownNames(data).catch(noFolder(data)))].sort();
}

/**
 * Removes the leftovers of a crash: unfinished files, and part files that are in no ledger. Only
 * with the lock.
 */
export async function removeLeftovers(
  paths: HarvestPaths,
  ledgers: readonly LedgerData[],
  current: LedgerData,
): Promise<void> {
  const { data } = paths;
  await rm(paths.staging, { recursive: true, force: true });
  // Not a plan: another process may be writing it.
  await removeMatching(paths.folder, /^\.(ledger|receipt-g\d+)\.json\.[0-9a-f]+\.part$/);
  const names = await orphans(data, ledgers, current);
  try {
    for (const name of names) await rm(join(data, name), { force: true });
    // So that a power cut does not bring them back.
    await syncFolder(data);
  } catch (error) {
    throw writeError(data, error);
  }
}

/** Removes the receipts of a harvest that starts over, and its list of removed DOIs. */
export async function removeReceipts({ folder }: HarvestPaths): Promise<void> {
  await removeMatching(folder, /^(?:receipt-g\d+\.json|removed\.ndjson)$/);
}

async function removeMatching(folder: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(folder)) {
    if (pattern.test(name)) await rm(join(folder, name), { force: true });
  }
}

/** Takes a missing folder for an empty one. @throws {CliError} kind `usage` if it is no folder. */
function noFolder(path: string): (error: unknown) => string[] {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw errorCode(error) === 'ENOTDIR'
      ? usageError(`${path} is not a directory`, 'name another directory')
      : error;
  };
}
