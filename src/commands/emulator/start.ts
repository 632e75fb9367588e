import type { Context } from '../../cli/context.ts';
import type { Emulator } from '../../emulator/index.ts';
import { CliError, usageError } from '../../errors.ts';

/** The options of both emulator commands. */
export interface EmulatorFlags {
  readonly port: number;
  readonly records: number;
  readonly seed: number;
  readonly account?: readonly { readonly id: string; readonly password: string }[];
  /** Milliseconds. */
  readonly latency?: number;
  readonly rateLimit?: { readonly requests: number; readonly windowMs: number };
  readonly fault?: readonly string[];
}

export interface StartFlags extends EmulatorFlags {
  readonly format: 'text' | 'json';
}

/** Starts the emulator, says where it is, and keeps it running until a signal stops the run. */
export async function startCommand(context: Context, flags: StartFlags): Promise<void> {
  const emulator = await launch(flags);
  try {
    await context.host.stdout.write(flags.format === 'json' ? asJson(emulator) : asText(emulator));
    await stopped(context.host.signal);
  } finally {
    await emulator.close();
  }
}

/**
 * Starts an emulator as the options say.
 * @throws {CliError} kind `usage` for an unknown fault, kind `unexpected` when it cannot listen.
 */
export async function launch(flags: EmulatorFlags): Promise<Emulator> {
  const { parseFault, startEmulator } = await import('../../emulator/index.ts');
  const faults = (flags.fault ?? []).map((spec) => {
    try {
      return parseFault(spec);
    } catch (error) {
      throw usageError((error as Error).message, 'doi-cli emulator start --help');
    }
  });
  try {
    return await startEmulator({
      port: flags.port,
      records: flags.records,
      seed: flags.seed,
      faults,
      ...(flags.account ? { accounts: flags.account } : {}),
      ...(flags.latency === undefined ? {} : { latencyMs: flags.latency }),
      ...(flags.rateLimit ? { rateLimit: flags.rateLimit } : {}),
    });
  } catch (error) {
    // What has no cause of its own is an option out of range.
    if ((error as Error).cause === undefined) throw usageError((error as Error).message);
    throw new CliError('unexpected', `the emulator cannot start: ${(error as Error).message}`, {
      hint: '--port 0 takes a free port',
      cause: error,
    });
  }
}

/** What a program needs to talk to the emulator, as environment variables. */
export function environmentOf({
  baseUrl,
  mdsUrl,
  datafileEndpoint,
  accounts,
}: Emulator): Record<string, string> {
  const [account] = accounts;
  return {
    DOI_CLI_BASE_URL: baseUrl,
    DOI_CLI_REPOSITORY: account?.id ?? '',
    DOI_CLI_PASSWORD: account?.password ?? '',
    DOI_CLI_MDS_URL: mdsUrl,
    DOI_CLI_DATAFILE_ENDPOINT: datafileEndpoint,
  };
}

function asJson({ baseUrl, accounts: [account] }: Emulator): string {
  return `${JSON.stringify({ baseUrl, repository: account?.id, password: account?.password })}\n`;
}

/** Lines that a shell takes as they are. */
function asText(emulator: Emulator): string {
  return Object.entries(environmentOf(emulator))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join('');
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
