import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncFolder, writeError } from '../../disk/atomic-file.ts';
import type { LedgerData, Shard } from './ledger-data.ts';

const METADATA_DIR = '_harvest';

/**
 * Where everything is:
 *
 *     <dir>/data/g0001-w00012.ndjson[.gz]   the records, a file for each generation and window
 *     <dir>/_harvest/plan.json              the windows, for shards to share
 *     <dir>/_harvest/ledger.json            what is known good
 *     <dir>/_harvest/lock                   who is at work
 *     <dir>/_harvest/workshop/              part files in the making
 *     <dir>/_harvest/receipt-g0001.json     what a finished generation holds
 *     <dir>/_harvest/shard-0002-of-0004/    the last four, for each shard
 *
 * `data/*.ndjson` or `data/*.ndjson.gz` is all the records: nothing else in there ends so. Spark and Hive, which
 * read whole directory trees, pass over names that begin with an underscore.
 */
export interface HarvestPaths {
  readonly data: string;
  /** The folder of this harvest's or shard's own books. */
  readonly own: string;
  readonly plan: string;
  readonly ledger: string;
  readonly lock: string;
  /** Where part files are made that get their names when all of them are complete. */
  readonly workshop: string;
  receipt(generation: number): string;
  part(generation: number, window: number, gzip: boolean): string;
}

export function harvestPaths(dir: string, shard: Shard | null): HarvestPaths {
  const books = join(dir, METADATA_DIR);
  const own = shard === null ? books : join(books, `shard-${pad(shard.index, 4)}-of-${pad(shard.of, 4)}`);
  const data = join(dir, 'data');
  return {
    data,
    own,
    plan: join(books, 'plan.json'),
    ledger: join(own, 'ledger.json'),
    lock: join(own, 'lock'),
    workshop: join(own, 'workshop'),
    receipt: (generation) => join(own, `receipt-g${pad(generation, 4)}.json`),
    part: (generation, window, gzip) => join(data, partName({ generation, window, gzip })),
  };
}

/** What the name of a part file says. */
export interface PartName {
  readonly generation: number;
  readonly window: number;
  readonly gzip: boolean;
}

export function partName({ generation, window, gzip }: PartName): string {
  return `g${pad(generation, 4)}-w${pad(window, 5)}.ndjson${gzip ? '.gz' : ''}`;
}

/** Undefined for a name that {@link partName} does not give. */
export function parsePartName(name: string): PartName | undefined {
  const match = /^g(\d+)-w(\d+)\.ndjson(\.gz)?$/.exec(name);
  if (!match) return undefined;
  const part = { generation: Number(match[1]), window: Number(match[2]), gzip: match[3] !== undefined };
  return partName(part) === name ? part : undefined;
}

const pad = (number: number, digits: number): string => `${number}`.padStart(digits, '0');

/**
 * Makes the folders that are not there, each safe from a power cut.
 * @throws {CliError} kind `output`.
 */
export async function makeFolders({ data, own }: HarvestPaths): Promise<void> {
  try {
    for (const folder of [data, own]) {
      const first = await mkdir(folder, { recursive: true });
      if (first === undefined) continue;
      // Each new folder is a name in the one above it, up to the one that was there.
      for (let made = resolve(folder); made !== dirname(resolve(first)); made = dirname(made)) {
        await syncFolder(dirname(made));
      }
    }
  } catch (error) {
    throw writeError(data, error);
  }
}

/** The ledgers under a directory, of the whole harvest or of its shards, in the order of their names. */
export async function ledgerFiles(dir: string): Promise<string[]> {
  const books = join(dir, METADATA_DIR);
  const names = await readdir(books, { recursive: true }).catch(noFolder);
  return names
    .filter((name) => /^(shard-\d+-of-\d+[/\\])?ledger\.json$/.test(name))
    .sort()
    .map((name) => join(books, name));
}

/**
 * Part files that no ledger knows: those of a generation that was not entered in the ledger before a crash, or had
 * been struck out of it.
 * @param ledgers those that may know them, of all shards.
 */
export async function orphans({ data }: HarvestPaths, ledgers: readonly LedgerData[]): Promise<PartName[]> {
  const known = new Set(
    ledgers.flatMap(({ generations, gzip }) =>
      generations.flatMap(({ number, windows }) =>
        windows.map(({ index }) => partName({ generation: number, window: index, gzip })),
      ),
    ),
  );
  const names = await readdir(data).catch(noFolder);
  return names
    .filter((name) => !known.has(name))
    .map(parsePartName)
    .filter((part) => part !== undefined);
}

/** Removes part files, for ever. A shard does so with those of its own windows only: others may just have been made. */
export async function removeParts({ data }: HarvestPaths, parts: readonly PartName[]): Promise<void> {
  try {
    for (const part of parts) await rm(join(data, partName(part)), { force: true });
    await syncFolder(data);
  } catch (error) {
    throw writeError(data, error);
  }
}

/** Removes what was being written in the own folder when a process was killed. For whoever holds the lock. */
export async function removeUnfinished({ own, workshop }: HarvestPaths): Promise<void> {
  await rm(workshop, { recursive: true, force: true });
  for (const name of await readdir(own)) {
    // A plan may be in the middle of being written by another process.
    if (/^\.(ledger|receipt-g\d+)\.json\.[0-9a-f]+\.part$/.test(name))
      await rm(join(own, name), { force: true });
  }
}

/** Removes the receipts of a harvest that is started over. */
export async function removeReceipts({ own }: HarvestPaths): Promise<void> {
  for (const name of await readdir(own)) {
    if (/^receipt-g\d+\.json$/.test(name)) await rm(join(own, name), { force: true });
  }
}

function noFolder(error: unknown): string[] {
  if ((error as { code?: unknown }).code === 'ENOENT') return [];
  throw error;
}
