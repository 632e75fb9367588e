import { once } from 'node:events';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { runCommand } from '../../cli/run-command.ts';
import type { Emulator } from '../../emulator/index.ts';
import { CliError, usageError } from '../../errors.ts';
import { settingLines } from '../../text/shell-word.ts';
import type { exec, start } from './index.ts';

type EmulatorFlags = OptionsOf<typeof exec>;

/** Starts the emulator, prints its base URL and credentials, and runs until a signal stops it. */
export async function startCommand(
  { host: { stdout, signal }, messages }: Context,
  flags: OptionsOf<typeof start>,
): Promise<void> {
  const emulator = await launch(flags, 'start');
  try {
    await stdout.write(
      flags.format === 'json' ? asJson(emulator) : settingLines(environmentOf(emulator)),
    );
    if (flags.format === 'text') {
      messages.status(`the emulator runs at ${emulator.baseUrl} until Ctrl-C stops it`);
      messages.status('in another shell, paste these lines and type: doi-cli dois list');
    }
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await emulator.close();
  }
}

/**
 * Runs a command with an emulator. @returns the exit code; after a signal the same as a shell's.
 */
export async function execCommand(
  context: Context,
  command: string,
  args: readonly string[],
  flags: EmulatorFlags,
): Promise<number> {
  const emulator = await launch(flags, 'exec');
  try {
    // A key of the real service would win over the emulator's account, and a profile must not
    // interfere.
    const without = ['DOI_CLI_API_KEY', 'DOI_CLI_PROFILE'];
    return await runCommand(context, command, args, environmentOf(emulator), without);
  } finally {
    await emulator.close();
  }
}

async function launch(flags: EmulatorFlags, verb: 'start' | 'exec'): Promise<Emulator> {
  const { parseFault, startEmulator } = await import('../../emulator/index.ts');
  const faults = (flags.fault ?? []).map((spec) => {
    try {
      return parseFault(spec);
    } catch (error) {
      throw usageError((error as Error).message, `doi-cli emulator ${verb} --help`);
    }
  });
  try {
    const { port, records, seed, account: accounts = [], latency: latencyMs = 0 } = flags;
    const { objectsFrom, rateLimit } = flags;
    const limits = { latencyMs, ...(rateLimit && { rateLimit }) };
    return await startEmulator({ port, records, seed, accounts, faults, objectsFrom, ...limits });
  } catch (error) {
    // An error without a cause means an option out of range.
    if ((error as Error).cause === undefined) throw usageError((error as Error).message);
    throw new CliError('unexpected', `the emulator cannot start: ${(error as Error).message}`, {
      hint: '--port 0 takes a free port',
      cause: error,
    });
  }
}

function environmentOf(emulator: Emulator): Record<string, string> {
  const [account] = emulator.accounts;
  return {
    DOI_CLI_BASE_URL: emulator.baseUrl,
    DOI_CLI_REPOSITORY: account?.id ?? '',
    DOI_CLI_PASSWORD: account?.password ?? '',
  };
}

function asJson({ baseUrl, accounts: [account] }: Emulator): string {
  return `${JSON.stringify({ baseUrl, repository: account?.id, password: account?.password })}\n`;
}
