import { open } from 'node:fs/promises';
import { errorCode, usageError } from '../../errors.ts';

/** Who holds a lock, as people are told. */
export interface LockOwner {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** What a lock file holds. */
export interface LockFile extends LockOwner {
  /** Where `pid` means something, see pidSpace. */
  readonly space: string;
  /** Tells processes with the same pid apart; null where the system does not. */
  readonly processStart: string | null;
  /** Random: no two locks have the same. Part of file names. */
  readonly token: string;
}

/**
 * Reads a lock, with the time when it was last touched in milliseconds; undefined when there is none.
 * @throws {CliError} kind `usage` when the file is something else.
 */
export async function readLock(path: string): Promise<(LockFile & { mtimeMs: number }) | undefined> {
  try {
    // Opening is what makes network file systems ask for the current state.
    const handle = await open(path, 'r');
    try {
      const lock: unknown = JSON.parse(await handle.readFile('utf8'));
      if (isLock(lock)) return { ...lock, mtimeMs: (await handle.stat()).mtimeMs };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw usageError(
    `${path} is not a lock file`,
    'make sure that no other process is at work there, then delete it',
  );
}

function isLock(value: unknown): value is LockFile {
  if (typeof value !== 'object' || value === null) return false;
  const { host, pid, startedAt, space, processStart, token } = value as Partial<Record<string, unknown>>;
  return (
    typeof host === 'string' &&
    Number.isSafeInteger(pid) &&
    typeof startedAt === 'string' &&
    typeof space === 'string' &&
    (processStart === null || typeof processStart === 'string') &&
    typeof token === 'string' &&
    /^[0-9a-f]{16}$/.test(token)
  );
}
