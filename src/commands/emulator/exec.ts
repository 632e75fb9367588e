import type { ChildProcess } from 'node:child_process';
import { constants, platform } from 'node:os';
import spawn from 'cross-spawn';
import type { Context } from '../../cli/context.ts';
import { whileUninterruptible } from '../../cli/uninterruptible.ts';
import { CliError, errorCode } from '../../errors.ts';
import { type EmulatorFlags, environmentOf, launch } from './start.ts';

/**
 * Runs a command against its own emulator.
 * @returns the command's exit code, or 128 plus the number of the signal that ended it, as in a shell.
 * @throws {CliError} kind `usage` when the command cannot be started.
 */
export async function execCommand(
  { host: { env: inherited, signal, terminal } }: Context,
  command: string,
  args: readonly string[],
  flags: EmulatorFlags,
): Promise<number> {
  const emulator = await launch(flags, 'exec');
  try {
    // A key of the real service would take precedence over the emulator's account. A profile must not
    // interfere.
    const { DOI_CLI_API_KEY: _key, DOI_CLI_PROFILE: _profile, ...env } = inherited;
    // A command such as npx is a script on Windows, which Node alone cannot start.
    const child = spawn(command, args, { stdio: 'inherit', env: { ...env, ...environmentOf(emulator) } });
    const forwardStop = () => {
      const interrupted = (signal.reason as CliError).kind === 'interrupted';
      if (!interrupted) child.kill('SIGTERM');
      // On a terminal, Ctrl-C also reaches the child. A second signal would cut off its orderly end.
      else if (!terminal.stdin) child.kill('SIGINT');
    };
    return await whileUninterruptible(signal, forwardStop, () => exitCodeOf(child, command));
  } finally {
    await emulator.close();
  }
}

function exitCodeOf(child: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      const reason = errorCode(error) === 'ENOENT' ? 'there is no such command' : error.message;
      const shell = platform() === 'win32' ? 'cmd /c "…"' : "sh -c '…'";
      const hint = `a shell's own words need a shell: -- ${shell}`;
      reject(new CliError('usage', `cannot run ${command}: ${reason}`, { hint, cause: error }));
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
