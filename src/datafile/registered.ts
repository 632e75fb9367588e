import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { hashing, openRegularFile } from '../disk/regular-file.ts';
import { systemReason } from '../disk/system-error.ts';
import { CliError, usageError } from '../errors.ts';
import { readCsv } from '../text/csv-reader.ts';
import { type LocalFile, localTables } from './local-files.ts';

/**
 * The Registered DOIs in the tables of a data file, with the times of their last updates in
 * milliseconds. A DOI that changes while the data file is made may be in two tables (service.md,
 * D7): its latest row is right.
 * @param since the time of the earliest update to include, in milliseconds.
 * @throws {CliError} kind `usage` when the tables are incomplete or damaged.
 */
export async function registeredDois(
  dir: string,
  since: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const registered = new Map<string, number>();
  for (const table of await localTables(dir)) {
    if (endOf(table.month) < since) continue;
    await readTable(table, signal, (doi, state, updated) => {
      const time = Date.parse(updated);
      if (state !== 'registered') registered.delete(doi);
      else if (time >= since) registered.set(doi, time);
    });
  }
  return registered;
}

/** The beginning of the next month. */
function endOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number);
}

const COLUMNS = ['doi', 'state', 'updated'];

async function readTable(
  { path, sha256 }: LocalFile,
  signal: AbortSignal,
  onRow: (doi: string, state: string, updated: string) => void,
): Promise<void> {
  const hash = createHash('sha256');
  async function consume(chunks: AsyncIterable<Buffer>) {
    let places: readonly number[] | undefined;
    for await (const { cells } of readCsv(chunks, path)) {
      if (places !== undefined) {
        const [doi = '', state = '', updated = ''] = places.map((place) => cells[place]);
        onRow(doi, state, updated);
        continue;
      }
      places = COLUMNS.map((name) => cells.indexOf(name));
      if (places.includes(-1))
        throw usageError(`${path} lacks one of the columns ${COLUMNS.join(', ')}`, HINT);
    }
  }
  try {
    const file = (await openRegularFile(path)).createReadStream();
    await pipeline(file, hashing(hash), createGunzip(), consume, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof CliError
      ? error
      : usageError(`cannot read ${path}: ${systemReason(error)}`, HINT);
  }
  if (sha256 === undefined || hash.digest('hex') === sha256) return;
  throw usageError(`${path} has other contents than the manifest says`, HINT);
}

const HINT = 'download the data file again, with --check';
