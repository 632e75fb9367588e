import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { fileSink, writeError } from './file-sink.ts';

/**
 * A file that appears complete or not at all, also after a power cut. It is written next to its
 * place.
 */
export class AtomicFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  static async open(path: string, mode = 0o666): Promise<AtomicFile> {
    // Most commands that could write a file do not.
    const { randomBytes } = await import('node:crypto');
    // A random name, because several processes may write the same file. A killed one leaves its
    // own.
    const temporary = join(
      dirname(path),
      `.${basename(path)}.${randomBytes(6).toString('hex')}.part`,
    );
    return new AtomicFile(path, temporary, await open(temporary, 'wx', mode));
  }

  /** Changes the mode, which the umask does not limit then. */
  async chmod(mode: number): Promise<void> {
    await this.#handle.chmod(mode);
  }

  /** Writes all chunks. @throws {CliError} kind `output` with the system's error as its cause. */
  async write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    await fileSink(this.#handle.fd).write(...chunks);
  }

  /**
   * Puts the finished file in its place, replacing an older file or link, safe from a power cut.
   */
  async commit(): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    await renameFile(this.#temporary, this.#path);
    await syncFolder(dirname(this.#path));
  }

  /** Removes what was written; does nothing after a commit. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.#temporary, { force: true });
  }
}

/**
 * Replaces a file by a text in one step. @throws {CliError} kind `output`; the old file is then
 * still there.
 */
export async function writeAtomically(path: string, text: string, mode?: number): Promise<void> {
  try {
    const file = await AtomicFile.open(path, mode);
    try {
      await file.write(text);
      await file.commit();
    } catch (error) {
      await file.discard();
      throw error;
    }
  } catch (error) {
    throw writeError(path, error);
  }
}

/**
 * Makes the names in a folder safe; otherwise a power cut may remove a new file whose contents are
 * safe.
 */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  if (platform() === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

// Windows says so of a file that a virus scanner, an indexer, a backup or a reader has open for a
// moment.
const BUSY: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/**
 * Whether an error may only mean that something else has the file open: on Windows, not elsewhere.
 */
export function isBusyFile(error: unknown, system: string = platform()): boolean {
  return system === 'win32' && BUSY.includes(errorCode(error));
}

/**
 * Renames a file, also over another one. On Windows it waits up to ten seconds for programs that
 * have one of them open.
 * @param attempt,system for tests.
 */
export async function renameFile(
  from: string,
  to: string,
  attempt: (from: string, to: string) => Promise<void> = rename,
  system: string = platform(),
): Promise<void> {
  const start = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt(from, to);
    } catch (error) {
      if (!isBusyFile(error, system) || performance.now() - start > PATIENCE_MS) throw error;
    }
    await sleep(pause);
  }
}
