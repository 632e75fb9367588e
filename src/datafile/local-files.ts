import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../disk/regular-file.ts';
import { systemReason } from '../disk/system-error.ts';
import { errorCode, usageError } from '../errors.ts';
import { objectsOf, parseBounded } from '../text/json-values.ts';
import { shellWord } from '../text/shell-word.ts';

/** A data file in a directory. */
export interface LocalDatafile {
  /** As STATUS.json names it, or else the latest one that has a folder: `2026-02`. */
  readonly month: string;
  /**
   * ISO 8601: it may lack changes after this time, because nobody says when it was begun
   * (service.md, D7).
   */
  readonly asOf: string;
  /** The same for the same files. */
  readonly id: string;
  /** Gzip files of records, one a line, in the order of their updates. */
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly sha256: string | undefined;
  }[];
}

/** One of the files of records, and its month. */
const PART = /^dois\/updated_(\d{4}-\d{2})\/part_\d+\.jsonl\.gz$/;
const DAY_MS = 86_400_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The files of records in a directory that `datafile download` has filled: those that MANIFEST.json
 * names, and no others.
 * @throws {CliError} kind `usage` when there is no complete data file.
 */
export async function localDatafile(dir: string): Promise<LocalDatafile> {
  const again = `doi-cli datafile download --dir ${shellWord(dir)}`;
  const entries = await readdir(dir, { recursive: true }).catch((error: unknown) => {
    throw usageError(
      `cannot read ${dir}: ${systemReason(error)}`,
      'name the directory of the data file',
    );
  });
  const names = entries
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => PART.test(name))
    .sort();
  const latest = PART.exec(names.at(-1) ?? '')?.[1];
  if (latest === undefined) throw usageError(`${dir} holds no data file`, again);
  const [{ status = 'Complete', month, datetime } = {}] = objectsOf(
    await jsonAt(join(dir, 'STATUS.json')),
  );
  if (status !== 'Complete') {
    throw usageError(
      `the data file in ${dir} is not complete: its state is ${String(status)}`,
      again,
    );
  }
  const manifest = await jsonAt(join(dir, 'MANIFEST.json'));
  const listed = new Map(objectsOf(manifest).map((entry) => [entry['filename'], entry]));
  const missing = [...listed.keys()].find(
    (name) => PART.test(String(name)) && !names.includes(String(name)),
  );
  if (missing !== undefined)
    throw usageError(`${dir} lacks ${String(missing)} of the data file`, again);
  const files: LocalDatafile['files'][number][] = [];
  for (const name of names) {
    const path = join(dir, name);
    const { size: bytes } = await stat(path);
    const { size = bytes, sha256 } = listed.get(name) ?? {};
    if (manifest !== undefined && !listed.has(name)) {
      throw usageError(
        `${path} is of another data file: MANIFEST.json lacks it`,
        'use an empty directory for each',
      );
    }
    if (bytes !== size)
      throw usageError(`${path} has ${bytes} bytes instead of ${String(size)}`, again);
    const hash =
      typeof sha256 === 'string' ? Buffer.from(sha256, 'base64').toString('hex') : undefined;
    files.push({ path, bytes, sha256: hash });
  }
  const id = createHash('sha256').update(
    JSON.stringify(files.map(({ bytes, sha256 }) => [bytes, sha256])),
  );
  const [, year = '', number = ''] = /^(\d{4})-(\d{1,2})$/.exec(String(month)) ?? [];
  const named = year && `${year}-${number.padStart(2, '0')}`;
  // One that is made again within its month has nothing of the rest of it.
  const finished = Date.parse(String(datetime)) || Number.POSITIVE_INFINITY;
  const asOf = named ? Math.min(dayBefore(named, 1), finished - 2 * DAY_MS) : dayBefore(latest, 0);
  return {
    month: named || latest,
    asOf: new Date(asOf).toISOString(),
    id: id.digest('hex'),
    files,
  };
}

/** The last day before a month, or some months later. */
function dayBefore(month: string, later: number): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number - 1 + later) - DAY_MS;
}

/**
 * A JSON file; undefined where there is none. @throws {CliError} kind `usage` when it cannot be
 * read.
 */
async function jsonAt(path: string): Promise<unknown> {
  try {
    const { text } = await readRegularFile(path, { maxBytes: MAX_BYTES });
    return parseBounded(text);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    const reason = errorCode(error) === undefined ? 'it is not JSON' : systemReason(error);
    throw usageError(`cannot read ${path}: ${reason}`, 'download it again');
  }
}
