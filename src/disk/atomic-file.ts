import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CliError, errorCode } from '../errors.ts';

/** How the name of a file ends that is still being written: left over only where a process was killed. */
const UNFINISHED = '.part';

/**
 * Replaces a file by another in one step: whoever reads it, now or after a power cut, finds the old text or the
 * new one, complete. When the promise resolves, the new text is safe.
 * @throws {CliError} kind `output`; the old file is then still there.
 */
export async function writeAtomically(path: string, text: string): Promise<void> {
  // A name of its own for each, because --plan and status may write beside a running harvest.
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  try {
    const handle = await open(temporary, 'wx');
    await handle
      .writeFile(text)
      .then(() => handle.sync())
      .finally(() => handle.close());
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw writeError(path, error);
  }
}

/** Makes the names in a folder safe: without it a power cut may take a new file away although its contents are safe. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  if (platform() === 'win32') return;
  const folder: FileHandle = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** What a failed write, truncation or fsync of `path` is called for people. */
export function writeError(path: string, error: unknown): CliError {
  // A sink has its own words for it, which do not name the file.
  const cause = error instanceof CliError && error.cause !== undefined ? error.cause : error;
  const full = ['ENOSPC', 'EDQUOT'].includes(errorCode(cause) ?? '');
  const reason = full ? 'no space is left on the device' : (cause as Error).message;
  return new CliError('output', `cannot write ${path}: ${reason}`, {
    cause,
    ...(full ? { hint: 'make room and run the same command again; it continues' } : {}),
  });
}
