import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { errorCode } from '../../errors.ts';

/** The number of this process. */
export const ownPid = pid;

/**
 * Where the number of a process means something: one boot of one machine and, in containers, one namespace of
 * processes. Host names alone will not do: clones share them, and containers may use their host's.
 */
export async function pidSpace(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(withoutProc);
  const namespace = await readlink('/proc/self/ns/pid').catch(withoutProc);
  return [hostname(), boot.trim(), namespace].join(' ');
}

/** When a process started, in the system's own words; undefined where the system does not tell. */
export async function processStart(pid: number): Promise<string | undefined> {
  return (await procStat(pid))?.start;
}

/**
 * Whether a process of this {@link pidSpace} is alive.
 * @param start what {@link processStart} said of it, so that another process that was given its number since is
 *   not taken for it.
 */
export async function isAlive(pid: number, start: string | undefined): Promise<boolean> {
  try {
    kill(pid, 0);
  } catch (error) {
    // Anything else, above all EPERM: it is there, and belongs to someone else.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const stat = await procStat(pid);
  if (stat === undefined || start === undefined) return true;
  return stat.start === start && !stat.ended;
}

/** From /proc/<pid>/stat, where there is one; the fields are counted in proc_pid_stat(5). */
async function procStat(pid: number): Promise<{ start: string; ended: boolean } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(withoutProc);
  // The second field is the name, in parentheses; it may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', threads, start] = [fields[0], Number(fields[17]), fields[19]];
  if (start === undefined) return undefined;
  // Dead, but its parent has not asked. While it has other threads one of them may still be in a write.
  return { start, ended: (state === 'Z' || state === 'X') && threads <= 1 };
}

/** Systems without /proc, processes that are not there, and those that /proc hides from other users. */
function withoutProc(): string {
  return '';
}
