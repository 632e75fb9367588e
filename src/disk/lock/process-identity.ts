import { readFile, readlink } from 'node:fs/promises';
import { hostname, platform, uptime } from 'node:os';
import { kill, pid } from 'node:process';
import { errorCode } from '../../errors.ts';

export const ownPid = pid;

/**
 * Where a process number is valid: one boot of one machine and one namespace of processes. Cloned machines and
 * containers may share a host name. @param system for tests.
 */
export async function pidSpace(system: string = platform()): Promise<string> {
  const boot = await inProc('sys/kernel/random/boot_id', system);
  const namespace = await readlink('/proc/self/ns/pid').catch(withoutProc);
  if (boot !== '') return [hostname(), boot.trim(), namespace].join(' ');
  // Without /proc, as on macOS and Windows, the hour of the boot tells one from another. A corrected clock can make two
  // of one, and a quick restart one of two: the lock's beat decides then, which costs a wait.
  return `${hostname()} booted ${Math.round((Date.now() / 1000 - uptime()) / 3600)}`;
}

/** When a process started, in the system's own format; undefined where it does not report it. @param system for tests. */
export async function processStart(pid: number, system: string = platform()): Promise<string | undefined> {
  return (await procStat(pid, system))?.start;
}

/** Whether a process of this {@link pidSpace} is alive. @param start its {@link processStart}, if it is known. */
export async function isAlive(pid: number, start: string | undefined): Promise<boolean> {
  try {
    kill(pid, 0);
  } catch (error) {
    // Any other error, usually EPERM, means that it exists and belongs to another user.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const stat = await procStat(pid, platform());
  if (stat === undefined || start === undefined) return true;
  return stat.start === start && !stat.ended;
}

/** From /proc/<pid>/stat, where there is one; the fields are counted in proc_pid_stat(5). */
async function procStat(pid: number, system: string): Promise<{ start: string; ended: boolean } | undefined> {
  const text = await inProc(`${pid}/stat`, system);
  // The second field is the name, in parentheses, with any characters.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', threads, start] = [fields[0], Number(fields[17]), fields[19]];
  if (start === undefined) return undefined;
  // A zombie is dead unless it has other threads: these may still be writing.
  return { start, ended: (state === 'Z' || state === 'X') && threads <= 1 };
}

/** A file below /proc. On Windows, /proc may be a folder of WSL, in which the same numbers are of other processes. */
async function inProc(name: string, system: string): Promise<string> {
  return system === 'win32' ? '' : readFile(`/proc/${name}`, 'latin1').catch(withoutProc);
}

/** For systems without /proc, processes that have ended, and processes that /proc hides from other users. */
function withoutProc(): string {
  return '';
}
