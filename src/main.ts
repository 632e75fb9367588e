import { setMaxListeners } from 'node:events';
import { isatty } from 'node:tty';
import type { Host } from './cli/host.ts';
import { ClosedPipe, stopReason, toCliError } from './errors.ts';
import { interruptibleSink, isNowhere, processSink, type Sink } from './ui/sink.ts';
import { VERSION } from './version.ts';

/** In milliseconds; a run that has crashed may not notice that it is stopped. */
const CRASH_LIMIT_MS = 5000;

/**
 * In milliseconds. GNU timeout signals the program and then its group, npx passes on what the terminal has sent already:
 * two signals so close together are one wish.
 */
const ONE_WISH_MS = 100;

/** The only module that touches the process: arguments, streams, signals and the exit code. */
async function main(argv: readonly string[]): Promise<void> {
  const stdout = processSink(process.stdout, 1);
  const stderr = processSink(process.stderr, 2);
  // Asked for by every installer and many scripts: not worth loading the command tree for.
  if (argv.length === 1 && argv[0] === '--version') process.exit(await printVersion(stdout, stderr));
  const stop = new AbortController();
  // Each request under way listens, and a harvest has dozens: no leak that Node would have to warn of.
  setMaxListeners(0, stop.signal);
  let stopped = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (performance.now() - stopped < ONE_WISH_MS && stopped > 0) return;
      const reason = stopReason(name);
      // The first asks for an orderly end, the second does not wait for it.
      if (stop.signal.aborted) process.exit(reason.exitCode);
      stopped = performance.now();
      stop.abort(reason);
    });
  }
  // Node would print a crash as it is, with whatever secret is in it. As the reason of a stop it is masked.
  process.on('uncaughtException', (error) => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort(toCliError(error));
    setTimeout(() => process.exit(1), CRASH_LIMIT_MS);
  });
  const { runProgram } = await import('./program.ts');
  const host: Host = {
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    stdout: interruptibleSink(stdout, stop.signal),
    stdoutIsNowhere: () => isNowhere(1),
    stderr,
    terminal: {
      stdin: isatty(0),
      stdout: isatty(1),
      stderr: isatty(2),
      columns: process.stdout.columns ?? process.stderr.columns ?? 0,
    },
    signal: stop.signal,
    now: Date.now,
    random: Math.random,
    sleep,
    async openKeychain(options) {
      const { Keychain } = await import('./credentials/keychain.ts');
      return new Keychain({
        child: new URL('./keychain-child.js', import.meta.url),
        env: process.env,
        ...options,
      });
    },
  };
  process.exit(await runProgram(argv, host));
}

async function printVersion(stdout: Sink, stderr: Sink): Promise<number> {
  try {
    await stdout.write(`${VERSION}\n`);
    return 0;
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    const { message, exitCode } = toCliError(error);
    await stderr.write(`error: ${message}\n`);
    return exitCode;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

await main(process.argv.slice(2));
