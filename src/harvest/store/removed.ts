import { writeAtomically } from '../../disk/atomic-file.ts';
import { readOwnFile } from '../../disk/regular-file.ts';
import { usageError } from '../../errors.ts';
import { isObject, jsonIn, valueAt } from '../../text/json-values.ts';
import { partsOf } from './current-records.ts';
import { harvestPaths } from './directory.ts';
import type { LedgerData } from './ledger-data.ts';
import { readPart } from './read-part.ts';

/** A DOI of a copy that is no longer part of its query: deleted, hidden or changed. */
export interface RemovedDoi {
  readonly doi: string;
  /** When `verify` first missed it, in ISO 8601. */
  readonly found: string;
}

interface RemovedDois {
  readonly dois: readonly string[];
  readonly found: string;
}

const MAX_REMOVED_BYTES = 512 * 1024 * 1024;

/**
 * The removed DOIs of a copy, without those that later runs have fetched again.
 * @throws {DamagedPart}, and {@link CliError} kind `usage` for another file.
 */
export async function readRemoved(
  dir: string,
  ledgers: readonly LedgerData[],
  signal: AbortSignal,
): Promise<readonly RemovedDoi[]> {
  const dois = new Map((await savedIn(dir)).map((removed) => [removed.doi, removed]));
  const found = [...dois.values()].reduce(
    (least, each) => (each.found < least ? each.found : least),
    '~',
  );
  for (const part of partsOf(dir, ledgers)) {
    const { kind, startedAt, finishedAt } = part.generation;
    // Both ends of this comparison are times of this machine. The start of an update is not: it may
    // be a time of the service's clock, which runs a second late in its headers.
    const fetched = finishedAt ?? startedAt;
    if (dois.size === 0 || fetched < found) continue;
    const isBack = (line: Buffer, since: string) =>
      kind === 'compact' ? updatedOf(line) > since : fetched > since;
    for await (const { doi, line } of readPart(part, signal)) {
      const removed = dois.get(doi);
      if (removed !== undefined && isBack(line, removed.found)) dois.delete(doi);
    }
  }
  return [...dois.values()];
}

/** Saves all DOIs that are missing at the service; those that were missing keep their times. */
export async function saveRemoved(
  dir: string,
  ledgers: readonly LedgerData[],
  { dois, found }: RemovedDois,
  signal: AbortSignal,
): Promise<void> {
  const before = new Map(
    (await readRemoved(dir, ledgers, signal)).map((removed) => [removed.doi, removed]),
  );
  const lines = dois.map((doi) => `${JSON.stringify(before.get(doi) ?? { doi, found })}\n`);
  await writeAtomically(pathIn(dir), lines.join(''));
}

const pathIn = (dir: string) => harvestPaths(dir, null).removed;

async function savedIn(dir: string): Promise<readonly RemovedDoi[]> {
  const path = pathIn(dir);
  const text = await readOwnFile(path, { maxBytes: MAX_REMOVED_BYTES, hint: HINT });
  const rows = (text ?? '').split('\n').filter(Boolean).map(jsonIn);
  if (rows.every(isRemoved)) return rows;
  throw usageError(`${path} is not a list of removed DOIs`, HINT);
}

function isRemoved(row: unknown): row is RemovedDoi {
  return isObject(row) && typeof row['doi'] === 'string' && typeof row['found'] === 'string';
}

const HINT = 'remove it; doi-cli dois harvest verify writes it again';

/** When a record was last changed, in ISO 8601; empty where it does not say so. */
function updatedOf(line: Buffer): string {
  const time = Date.parse(String(valueAt(jsonIn(line.toString()), ['attributes', 'updated'])));
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
