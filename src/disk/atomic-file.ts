import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { fileSink, writeError } from './file-sink.ts';

/**
 * A file that appears complete or not at all, even after a power cut. It is written next to its
 * target.
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
    // Loaded late: most commands that could write a file do not.
    const { randomBytes } = await import('node:crypto');
    // A random name, because several processes may write the same file. A killed process leaves
    // this file behind.
    const temporary = join(
      dirname(path),
      `.${basename(path)}.${randomBytes(6).toString('hex')}.part`,
    );
    return new AtomicFile(path, temporary, await open(temporary, 'wx', mode));
  }

  /** Changes the mode, without the limits of the umask. */
  async chmod(mode: number): Promise<void> {
    await this.#handle.chmod(mode);
  }

  /** Writes all chunks. @throws {CliError} kind `output` with the system's error as its cause. */
  async write(...chunks: readonly (string | Uint8Array)[]): Promise<void> {
    await fileSink(this.#handle.fd).write(...chunks);
  }

  /**
   * Puts the finished file in its place, replacing a file or link, safely in case of a power cut.
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
 * Replaces a file in one step. @throws {CliError} kind `output`; the old file is then unchanged.
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

/** Syncs a folder; otherwise a power cut may remove a new file whose contents were synced. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  if (platform() === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

// Errors on Windows while a virus scanner, an indexer, a backup or a reader has the file open.
const BUSY: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/**
 * Whether an error may just mean that another program has the file open, which happens on Windows
 * only.
 */
export function isBusyFile(error: unknown, system: string = platform()): boolean {
  return system === 'win32' && BUSY.includes(errorCode(error));
}

/**
 * Renames a file, even over another. On Windows it waits up to ten seconds for programs that have
 * either open.
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
