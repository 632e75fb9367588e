import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CliError, errorCode, usageError } from '../errors.ts';
import { writeError } from './file-sink.ts';
import { systemReason } from './system-error.ts';

// The system's errors for a path where this user cannot create a folder.
const WRONG_PLACE = ['ENOENT', 'EEXIST', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'EROFS'];

/**
 * Creates a folder and its missing parents, one by one: Node's recursive `mkdir` never ends below
 * `/proc`.
 * @returns the created folders, outermost first.
 * @throws {CliError} kind `usage` when no folder can be created there; kind `output` for other
 *   failures.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<readonly string[]> {
  const missing = await missingFolders(path);
  for (const folder of missing) {
    await mkdir(folder, { mode }).catch(async (error: unknown) => {
      // Another process or job may have been faster.
      if (errorCode(error) === 'EEXIST' && (await missingFolders(folder)).length === 0) return;
      throw WRONG_PLACE.includes(errorCode(error) ?? '')
        ? noFolderAt(folder, error)
        : writeError(folder, error);
    });
  }
  return missing;
}

/** Files that operating systems, git and synchronisation programs put into empty folders. */
const OF_SYSTEMS =
  `lost+found desktop.ini thumbs.db ehthumbs.db $recycle.bin @eadir .ds_store .directory .apdisk
   .gitkeep .keep .gitignore .gitattributes .nomedia .spotlight-v100 .fseventsd .temporaryitems
   .trashes .snapshot .stfolder .dropbox`.split(/\s+/);
const PATTERN_OF_SYSTEMS =
  /^(?:\._.*|\.trash-\d+|\.nfs[\da-f]+|icon\r|system volume information)$/i;

/** The names in a folder, without files of the system: a folder without names counts as empty. */
export async function ownNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter(
    (name) => !OF_SYSTEMS.includes(name.toLowerCase()) && !PATTERN_OF_SYSTEMS.test(name),
  );
}

/** Creates a folder for temporary files. @throws {CliError} kind `output`. */
export async function temporaryFolder(prefix: string): Promise<string> {
  return mkdtemp(join(tmpdir(), prefix)).catch((error: unknown) => {
    const message = `cannot make a temporary folder in ${tmpdir()}: ${systemReason(error)}`;
    throw new CliError('output', message, { hint: 'set TMPDIR to another folder', cause: error });
  });
}

/** @throws {CliError} kind `usage` when a path is not a folder and none can be created there. */
export async function checkFolder(path: string): Promise<void> {
  await missingFolders(path);
}

/** The missing folders of a path, outermost first. @throws {CliError} as {@link makeFolder}. */
async function missingFolders(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      if (!(await stat(at)).isDirectory())
        throw usageError(`${at} is not a directory`, 'name another directory');
      return missing;
    } catch (error) {
      if (errorCode(error) === 'ENAMETOOLONG') throw noFolderAt(at, error);
      if (error instanceof CliError) throw error;
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw writeError(at, error);
      if (at === dirname(at)) throw noFolderAt(at, error);
    }
    missing.unshift(at);
  }
}

function noFolderAt(path: string, error: unknown): Error {
  return usageError(
    `no directory can be made at ${path}: ${systemReason(error)}`,
    'name another directory',
  );
}
