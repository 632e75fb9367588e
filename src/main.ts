import { setMaxListeners } from 'node:events';
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { sleep } from './concurrency/promises.ts';
import type { KeychainOptions } from './credentials/keychain.ts';
import {
  type CliError,
  errorCode,
  STOP_SIGNALS,
  stopReason,
  stopSignalOf,
  toCliError,
} from './errors.ts';
import { runProgram } from './program.ts';
import { SECRETS } from './settings/environment.ts';
import { Redactor, visible } from './text/redact.ts';
import type { Host } from './ui/host.ts';
import { interruptibleSink, isNowhere, processSink } from './ui/sink.ts';

// The build makes the manual pages from it.
export { buildProgram } from './program.ts';

/** A crashed run may not react to the stop signal. */
const CRASH_LIMIT_MS = 5000;

/**
 * Printed when an error cannot be printed. Static on purpose: the redactor itself may have failed.
 */
const LAST_WORDS =
  'error: doi-cli failed; the reason is not shown, because it could contain your secrets\n';

/**
 * Signals closer together than this count as one. GNU timeout signals the program and then its
 * process group, and npx forwards a signal that the terminal has already sent.
 */
const SAME_SIGNAL_MS = 100;

/**
 * How many bytes of WebAssembly V8 runs, roughly, before it optimizes the code. By default it
 * optimizes undici's HTTP parser after the first response, which takes 0.2 s of processor time, and
 * the end of the process waits for it. Only runs of many pages gain from it.
 */
const WASM_TIERING_BUDGET = 100_000_000;
/** The newest Node that was tried: V8 prints an error about a flag that it does not know. */
const NEWEST_NODE = 26;

/** The program of the keychain's process: in the bundle, or in the sources if Node can run them. */
const keychainChild = () =>
  new URL(
    import.meta.url.endsWith('.ts') ? './credentials/keychain-child.ts' : './keychain-child.js',
    import.meta.url,
  );

/**
 * Runs a command line and ends the process. Only this module touches the process: others get its
 * streams and signals through the {@link Host}.
 */
export async function runProcess(
  argv: readonly string[],
  child?: KeychainOptions['child'],
): Promise<void> {
  await run(argv, child).catch(giveUp);
}

async function run(
  argv: readonly string[],
  child: KeychainOptions['child'] | undefined,
): Promise<void> {
  // A command that waits for nothing any more has not ended, and must not look like a success.
  process.once('beforeExit', () => giveUp(new Error('the command never ended')));
  if (Number.parseInt(process.versions.node, 10) <= NEWEST_NODE)
    setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET}`);
  const stdout = processSink(process.stdout, 1);
  const stderr = processSink(process.stderr, 2);
  const borrowers: Borrowers = new Set();
  const signal = stopSignal(borrowers);
  const host: Host = {
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    stdout: interruptibleSink(stdout, signal),
    stdoutIsNowhere: () => isNowhere(1),
    stderr,
    terminal: {
      stdin: isatty(0),
      stdout: isatty(1),
      stderr: isatty(2),
      columns: process.stdout.columns ?? process.stderr.columns ?? 0,
      rows: process.stdout.rows ?? 0,
    },
    lendScreen(until, takes) {
      borrowers.add(takes);
      until.finally(() => borrowers.delete(takes));
    },
    signal,
    nodeVersion: process.version,
    now: Date.now,
    random: Math.random,
    sleep,
    exportThread:
      child === undefined && import.meta.url.endsWith('.js')
        ? new URL('./export-thread.js', import.meta.url)
        : undefined,
    async openKeychain(options) {
      const { Keychain } = await import('./credentials/keychain.ts');
      const needsNodeOptions = process.versions['pnp'] !== undefined;
      return new Keychain({
        child: child ?? keychainChild(),
        env: process.env,
        needsNodeOptions,
        ...options,
      });
    },
  };
  end(await runProgram(argv, host), signal.aborted ? toCliError(signal.reason) : undefined);
}

/**
 * Ends the process. A pending name look-up cannot be cancelled, and `process.exit` waits until the
 * system's resolver gives up. So a shell replaces this process. Without `execve` (Node before
 * 22.15, Windows) a signal ends the process, which shells report with the same exit code. Otherwise
 * it waits, and another Ctrl-C ends it.
 */
function end(exitCode: number, stop: CliError | undefined): never {
  if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) {
    const { execve } = process as { execve?: (file: string, args: string[], env: object) => void };
    try {
      execve?.('/bin/sh', ['sh', '-c', `exit ${exitCode}`], {});
    } catch {
      // This system has no such shell or call.
    }
    for (const name of STOP_SIGNALS) process.removeAllListeners(name);
    const name = stopSignalOf(stop);
    if (name !== undefined && exitCode === stop?.exitCode) process.kill(process.pid, name);
  }
  process.exit(exitCode);
}

/** See {@link Host.lendScreen}. */
type Borrowers = Set<Parameters<NonNullable<Host['lendScreen']>>[1]>;

/**
 * A signal that the first SIGINT, SIGTERM, SIGHUP or crash aborts. The second ends the process,
 * unless it is meant for another program that uses the screen. A run without a terminal ignores
 * SIGHUP.
 */
function stopSignal(borrowers: Borrowers): AbortSignal {
  const stop = new AbortController();
  // Each active request listens, and a harvest has dozens. Node would warn of a leak.
  setMaxListeners(0, stop.signal);
  let stoppedAt = 0;
  const hasTerminal = [0, 1, 2].some(isatty);
  for (const name of STOP_SIGNALS) {
    process.on(name, () => {
      // Node ends the effect of nohup, which ignores this signal.
      if (name === 'SIGHUP' && !hasTerminal) return;
      if (stoppedAt > 0 && performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
      const reason = stopReason(name);
      if (stop.signal.aborted && [...borrowers].some((takes) => takes(name))) {
        stoppedAt = performance.now();
        return;
      }
      // The first signal asks for an orderly end, the second ends the process at once.
      if (stop.signal.aborted) end(reason.exitCode, reason);
      stoppedAt = performance.now();
      stop.abort(reason);
    });
  }
  // Node would print a crash unmasked. As the reason of a stop, its secrets are masked. Before this
  // listener, bin/doi-cli.js catches crashes.
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => {
    if (stop.signal.aborted) giveUp(error);
    try {
      stop.abort(toCliError(error));
    } catch {
      giveUp();
    }
    setTimeout(() => giveUp(error), CRASH_LIMIT_MS);
  });
  return stop.signal;
}

/**
 * The last line of defence: ends the program with a fixed sentence, and with `DOI_CLI_DEBUG=1` also
 * prints the error.
 */
function giveUp(error?: unknown): never {
  let words = LAST_WORDS;
  try {
    if (process.env['DOI_CLI_DEBUG'] === '1' && error instanceof Error) words += maskedStack(error);
  } catch {
    // The redactor has failed.
  }
  try {
    writeSync(2, words);
  } catch {
    // stderr is closed too.
  }
  process.exit(1);
}

function maskedStack(error: Error): string {
  const redactor = new Redactor();
  for (const name of SECRETS) redactor.addSecret(process.env[name] ?? '');
  const text = redactor.mask(`${errorCode(error) ?? ''} ${error.stack}`);
  return `${visible(text, { keepNewlines: true })}\n`;
}
