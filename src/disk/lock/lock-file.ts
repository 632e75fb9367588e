import { constants } from 'node:fs';
import { copyFile, link, open, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { hostname, platform, uptime } from 'node:os';
import { kill, pid as ownPid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, usageError } from '../../errors.ts';
import { isObject, jsonIn } from '../../text/json-values.ts';
import { isBusyFile } from '../atomic-file.ts';
import { readRegularFile, UnusableFile } from '../regular-file.ts';

/** The content of a lock file, which identifies the lock's owner. */
export interface LockFile {
  readonly host: string;
  readonly pid: number;
  /** When the owner took the lock. ISO 8601, UTC. */
  readonly startedAt: string;
  /** The scope of `pid`, see {@link pidSpace}. */
  readonly space: string;
  /** Distinguishes processes with the same pid; null if the system does not report it. */
  readonly processStart: string | null;
  /** Random, different for each lock. Part of file names. */
  readonly token: string;
}

/** A lock file on disk, with the time of its last change in milliseconds. */
export interface FoundLock extends LockFile {
  readonly mtimeMs: number;
}

// Without hard links, a new lock is empty for a moment. On Windows, a released lock cannot be
// opened until its last reader has closed it.
const PATIENCE_MS = 2000;
const PAUSE_MS = 20;

/** The content of a new lock of this process. */
export async function newLockFile(): Promise<LockFile> {
  // Loaded late: most commands that could take a lock do not.
  const { randomBytes } = await import('node:crypto');
  return {
    host: hostname(),
    pid: ownPid,
    startedAt: new Date().toISOString(),
    space: await pidSpace(),
    processStart: (await processStart(ownPid)) ?? null,
    token: randomBytes(8).toString('hex'),
  };
}

/**
 * Reads a lock; undefined when there is none. @throws {CliError} when the file is something else.
 */
export async function readLock(path: string): Promise<FoundLock | undefined> {
  for (const start = performance.now(); ; await sleep(PAUSE_MS)) {
    const isLate = performance.now() - start > PATIENCE_MS;
    try {
      // Opening a file makes network file systems fetch its current state.
      const { text, stats } = await readRegularFile(path, { noFollow: true });
      const lock = jsonIn(text);
      if (isLock(lock)) return { ...lock, mtimeMs: stats.mtimeMs };
      if (text === '' && !isLate) continue;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      if (isBusyFile(error) && !isLate) continue;
      // A link, even a dangling one.
      if (!(error instanceof UnusableFile) && errorCode(error) !== 'ELOOP') throw error;
    }
    throw usageError(`${path} is not a lock file`, 'delete it if no process is using it');
  }
}

function isLock(value: unknown): value is LockFile {
  if (!isObject(value)) return false;
  const { host, pid, startedAt, space, processStart, token } = value;
  return (
    [host, startedAt, space, processStart ?? ''].every((text) => typeof text === 'string') &&
    Number.isSafeInteger(pid) &&
    /^[0-9a-f]{16}$/.test(String(token))
  );
}

/** Writes and syncs a lock file. @returns its time, by the file system's clock. */
export async function writeLockFile(path: string, lock: LockFile): Promise<number> {
  await writeFile(path, JSON.stringify(lock), { flush: true });
  return (await stat(path)).mtimeMs;
}

// Errors of file systems without hard links (link(2); some network shares answer EPERM or EACCES).
const NO_LINKS: readonly unknown[] = 'EPERM EACCES ENOSYS ENOTSUP EOPNOTSUPP EXDEV EMLINK'.split(
  ' ',
);

/** Puts a file in its place if the place is free. @returns whether it was. */
export async function place(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) => {
      if (!NO_LINKS.includes(errorCode(error))) throw error;
      return copyFile(from, to, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || isBusyFile(error)) return false;
    throw error;
  }
}

/**
 * Updates a lock's time to show that the owner is alive. A lock with another token is left alone.
 */
export async function touch(path: string, { token }: LockFile): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    const bytes = await handle.readFile();
    if (bytes.includes(token)) await handle.write(bytes, 0, bytes.length, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The scope in which a pid is unique: one boot of one machine, and one pid namespace. Cloned
 * machines and containers may share a host name. @param system for tests.
 */
export async function pidSpace(system: string = platform()): Promise<string> {
  const boot = await inProc('sys/kernel/random/boot_id', system);
  const namespace = await readlink('/proc/self/ns/pid').catch(withoutProc);
  if (boot !== '') return [hostname(), boot.trim(), namespace].join(' ');
  // Without /proc, as on macOS and Windows, the hour of the boot distinguishes boots. A corrected
  // clock can split one boot in two, and a quick restart can merge two boots: then the lock's beat
  // decides, which costs a wait.
  return `${hostname()} booted ${Math.round((Date.now() / 1000 - uptime()) / 3600)}`;
}

/**
 * When a process started, in the system's own format; undefined if it is not reported. @param
 * system for tests.
 */
export async function processStart(
  pid: number,
  system: string = platform(),
): Promise<string | undefined> {
  return (await procStat(pid, system))?.start;
}

/**
 * Whether a process of this {@link pidSpace} is alive. @param start its {@link processStart}, if
 * known.
 */
export async function isAlive(pid: number, start: string | undefined): Promise<boolean> {
  try {
    kill(pid, 0);
  } catch (error) {
    // Any other error, usually EPERM, means that the process exists and belongs to another user.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const stat = await procStat(pid, platform());
  if (stat === undefined || start === undefined) return true;
  return stat.start === start && !stat.ended;
}

/** Reads /proc/<pid>/stat, if it exists; proc_pid_stat(5) numbers the fields. */
async function procStat(
  pid: number,
  system: string,
): Promise<{ start: string; ended: boolean } | undefined> {
  const text = await inProc(`${pid}/stat`, system);
  // The second field is the name in parentheses, which may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', threads, start] = [fields[0], Number(fields[17]), fields[19]];
  if (start === undefined) return undefined;
  // A zombie is dead unless it has other threads, which may still be writing.
  return { start, ended: (state === 'Z' || state === 'X') && threads <= 1 };
}

/**
 * Reads a file below /proc. On Windows, /proc may be a folder of WSL, where the pids are of other
 * processes.
 */
async function inProc(name: string, system: string): Promise<string> {
  return system === 'win32' ? '' : readFile(`/proc/${name}`, 'latin1').catch(withoutProc);
}

/**
 * The result without /proc, for processes that have ended, and for processes hidden from other
 * users.
 */
function withoutProc(): string {
  return '';
}
