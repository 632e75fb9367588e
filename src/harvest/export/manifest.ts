import { join } from 'node:path';
import { writeAtomically } from '../../disk/atomic-file.ts';
import { ownNames } from '../../disk/folders.ts';
import { readOwnFile } from '../../disk/regular-file.ts';
import { usageError } from '../../errors.ts';
import { TABLES_VERSION } from '../../metadata/tables/tables.ts';
import { isObject, jsonIn, valueAt } from '../../text/json-values.ts';
import type { HarvestQuery } from '../store/ledger-data.ts';
import type { BatchFiles } from './export-batch.ts';

const NAME = '_export.json';
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/** The contents of an export, `_export.json`. */
export interface ManifestData {
  readonly format: 1;
  readonly fingerprint: string;
  readonly query: HarvestQuery;
  /** Whether the export has whole records. */
  records?: boolean;
  /** Whether all files are from the same state of the copy. */
  complete: boolean;
  /** ISO 8601 in UTC; null before the first export has ended. */
  exportedAt: string | null;
  /** The files in place, by batch. */
  parts: Record<string, BatchFiles>;
  /** The files that wait in `_staging` until all are complete. */
  staged: Record<string, BatchFiles>;
}

/**
 * The manifest of an export; a new one for an empty directory.
 * @throws {CliError} kind `usage` for a directory with other files or another query.
 */
export async function openManifest(
  out: string,
  { fingerprint, query }: Pick<ManifestData, 'fingerprint' | 'query'>,
): Promise<ManifestData> {
  const manifest = await readManifest(out);
  if (manifest === undefined) {
    await requireNoFiles(out);
    return {
      format: 1,
      fingerprint,
      query,
      complete: false,
      exportedAt: null,
      parts: {},
      staged: {},
    };
  }
  if (manifest.fingerprint !== fingerprint) {
    throw usageError(
      `${out} holds the tables of another query`,
      'name another directory for --out',
    );
  }
  return manifest;
}

export async function saveManifest(out: string, data: ManifestData): Promise<void> {
  await writeAtomically(join(out, NAME), `${JSON.stringify(data, null, 1)}\n`);
}

async function readManifest(out: string): Promise<ManifestData | undefined> {
  const path = join(out, NAME);
  const text = await readOwnFile(path, { maxBytes: MAX_MANIFEST_BYTES, hint: HINT });
  if (text === undefined) return undefined;
  const data = jsonIn(text);
  if (
    isObject(data) &&
    data['format'] === 1 &&
    [data['parts'], data['staged']].every(areBatchFiles)
  ) {
    const manifest = data as unknown as ManifestData;
    const batches = [manifest.parts, manifest.staged].flatMap((files) => Object.values(files));
    if (batches.every(({ tablesVersion }) => tablesVersion === TABLES_VERSION)) return manifest;
    throw usageError(`the tables in ${out} were written by another version of this program`, HINT);
  }
  throw usageError(`${path} is not the manifest of an export by this version`, HINT);
}

/** Whether a value lists files of batches, with names that do not lead out of the directory. */
function areBatchFiles(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, part]) => {
    const files = isObject(part) ? part['files'] : undefined;
    // A batch may have been written before whole records were asked for.
    const isWhole =
      isObject(files) &&
      'dois' in files &&
      Object.entries(files).every(
        ([table, file]) => /^\w+$/.test(table) && Number.isInteger(valueAt(file, ['rows'])),
      );
    return isWhole && /^[\w-]+$/.test(name);
  });
}

const HINT = 'name another directory for --out, or remove this one';

/** Refuses a directory with other files; a run that was killed at its start leaves our own. */
async function requireNoFiles(out: string): Promise<void> {
  const [first] = (await ownNames(out)).filter((name) => !/^\.?_export\./.test(name));
  if (first === undefined) return;
  throw usageError(
    `${out} is not empty and holds no export: ${first}`,
    'name a directory that is new or empty',
  );
}
