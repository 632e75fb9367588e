import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwnFile } from '../disk/regular-file.ts';
import { systemReason } from '../disk/system-error.ts';
import { usageError } from '../errors.ts';
import { objectsOf, parseBounded } from '../text/json-values.ts';
import { shellWord } from '../text/shell-word.ts';

/** A file of a data file, in a directory. */
export interface LocalFile {
  readonly path: string;
  /** The month in which its DOIs were last updated: `2026-02`. */
  readonly month: string;
  readonly bytes: number;
  readonly sha256: string | undefined;
}

/** A data file in a directory. */
export interface LocalDatafile {
  /** From STATUS.json, or else the latest month with a folder: `2026-02`. */
  readonly month: string;
  /**
   * ISO 8601. Changes after this time may be missing: it is unknown when the file was started
   * (service.md, D7).
   */
  readonly asOf: string;
  /** A hash that identifies these files. */
  readonly id: string;
  /** Gzip files with one record per line, in the order of their updates. */
  readonly files: readonly LocalFile[];
}

/** The path of a file of records, with its month. */
const PART = /^dois\/updated_(\d{4}-\d{2})\/part_\d+\.jsonl\.gz$/;
/** The path of the table of a month (service.md, D6). */
const TABLE = /^dois\/updated_(\d{4}-\d{2})\/\1\.csv\.gz$/;
const DAY_MS = 86_400_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The files of records in a directory filled by `datafile download`: exactly those in
 * MANIFEST.json, if it exists.
 * @throws {CliError} kind `usage` when there is no complete data file.
 */
export async function localDatafile(dir: string): Promise<LocalDatafile> {
  const { files, latest, status } = await filesOf(dir, PART, 'data file');
  const { month, datetime } = status;
  const id = createHash('sha256').update(
    JSON.stringify(files.map(({ bytes, sha256 }) => [bytes, sha256])),
  );
  const [, year = '', number = ''] = /^(\d{4})-(\d{1,2})$/.exec(String(month)) ?? [];
  const released = year && `${year}-${number.padStart(2, '0')}`;
  // If a data file is made again within its month, the rest of the month is missing.
  const finished = Date.parse(String(datetime)) || Number.POSITIVE_INFINITY;
  const asOf = released
    ? Math.min(dayBefore(released, 1), finished - 2 * DAY_MS)
    : dayBefore(latest, 0);
  return {
    month: released || latest,
    asOf: new Date(asOf).toISOString(),
    id: id.digest('hex'),
    files,
  };
}

/**
 * The tables of all DOIs in such a directory, one for each month. @throws {CliError} kind `usage`.
 */
export async function localTables(dir: string): Promise<readonly LocalFile[]> {
  return (await filesOf(dir, TABLE, 'table of a data file')).files;
}

/** The files of one kind in the order of their names, their latest month, and STATUS.json. */
async function filesOf(dir: string, kind: RegExp, what: string) {
  const again = `doi-cli datafile download --dir ${shellWord(dir)}`;
  const entries = await readdir(dir, { recursive: true }).catch((error: unknown) => {
    throw usageError(
      `cannot read ${dir}: ${systemReason(error)}`,
      'give the directory of the data file',
    );
  });
  const names = entries
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => kind.test(name))
    .sort();
  const monthOf = (name = '') => kind.exec(name)?.[1] ?? '';
  const latest = monthOf(names.at(-1));
  if (latest === '') throw usageError(`${dir} contains no ${what}`, again);
  const [status = {}] = objectsOf(await jsonAt(join(dir, 'STATUS.json')));
  const { status: state = 'Complete' } = status;
  if (state !== 'Complete') {
    throw usageError(`the data file in ${dir} is incomplete: its state is ${String(state)}`, again);
  }
  const manifest = await jsonAt(join(dir, 'MANIFEST.json'));
  const listed = new Map(objectsOf(manifest).map((entry) => [entry['filename'], entry]));
  const missing = [...listed.keys()].find(
    (name) => kind.test(String(name)) && !names.includes(String(name)),
  );
  if (missing !== undefined)
    throw usageError(`${dir} lacks ${String(missing)} of the data file`, again);
  const files: LocalFile[] = [];
  for (const name of names) {
    const path = join(dir, name);
    const { size: bytes } = await stat(path);
    const { size = bytes, sha256 } = listed.get(name) ?? {};
    if (manifest !== undefined && !listed.has(name)) {
      throw usageError(
        `${path} belongs to another data file: it is not in MANIFEST.json`,
        'use an empty directory for each data file',
      );
    }
    if (bytes !== size)
      throw usageError(`${path} has ${bytes} bytes instead of ${String(size)}`, again);
    const hash =
      typeof sha256 === 'string' ? Buffer.from(sha256, 'base64').toString('hex') : undefined;
    files.push({ path, month: monthOf(name), bytes, sha256: hash });
  }
  return { files, latest, status };
}

/** The last day before a month, or before the month that is `later` months after it. */
function dayBefore(month: string, later: number): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number - 1 + later) - DAY_MS;
}

/**
 * A JSON file's value; undefined if it does not exist. @throws {CliError} kind `usage` when it is
 * unreadable.
 */
async function jsonAt(path: string): Promise<unknown> {
  const hint = 'download it again';
  const text = await readOwnFile(path, { maxBytes: MAX_BYTES, hint });
  try {
    return text === undefined ? undefined : parseBounded(text);
  } catch {
    throw usageError(`cannot read ${path}: it is not JSON`, hint);
  }
}
