import type { ChildProcess } from 'node:child_process';
import { constants, platform } from 'node:os';
import spawn from 'cross-spawn';
import { CliError, errorCode, type StopSignal, stopSignalOf } from '../errors.ts';
import type { Context } from './context.ts';

/**
 * Runs another program on this program's streams.
 * @param added environment variables for it. @param without variables that it does not inherit.
 * @returns its exit code; after a signal the same as a shell's.
 * @throws {CliError} kind `usage` when it cannot be started.
 */
export async function runCommand(
  context: Context,
  command: string,
  args: readonly string[],
  added: Readonly<Record<string, string>>,
  without: readonly string[],
): Promise<number> {
  const { env, signal, terminal, lendScreen } = context.host;
  signal.throwIfAborted();
  // On Windows, names have no case: another spelling would be a second value of the variable.
  const nameOf = (name: string) => (platform() === 'win32' ? name.toUpperCase() : name);
  const replaced = new Set([...without, ...Object.keys(added)].map(nameOf));
  const kept = Object.entries(env).filter(([name]) => !replaced.has(nameOf(name)));
  // On Windows, npx and the like are scripts, which Node alone cannot start.
  const child = started(command, args, { ...Object.fromEntries(kept), ...added });
  const pass = (name: StopSignal) => {
    // On a terminal, Ctrl-C also reaches the child, and a second signal would kill it.
    if (name !== 'SIGINT' || !terminal.stdin) child.kill(name);
    return true;
  };
  const passFirst = () => pass(stopSignalOf(signal.reason as CliError) ?? 'SIGTERM');
  const ended = exitCodeOf(child, command);
  lendScreen?.(
    ended.catch(() => undefined),
    pass,
  );
  return context.uninterrupted(passFirst, () => ended);
}

function started(command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  try {
    return spawn(command, args, { stdio: 'inherit', env });
  } catch (error) {
    // Node reports only some reasons as an event.
    throw cannotRun(command, error);
  }
}

function cannotRun(command: string, error: unknown): CliError {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such command',
    EACCES: 'it is a folder, or may not be executed (chmod +x)',
  };
  const reason = reasons[errorCode(error) ?? ''] ?? (error as Error).message;
  const shell = platform() === 'win32' ? 'cmd /c "…"' : "sh -c '…'";
  const hint = `for shell syntax, run a shell: -- ${shell}`;
  return new CliError('usage', `cannot run ${command}: ${reason}`, { hint, cause: error });
}

function exitCodeOf(child: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(cannotRun(command, error)));
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}
