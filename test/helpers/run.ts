import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { SecretStore } from '../../src/credentials/keychain.ts';
import { runProgram } from '../../src/program.ts';
import type { Host } from '../../src/ui/host.ts';
import type { Sink } from '../../src/ui/sink.ts';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Buffer;
  /** The streams that are terminals; none by default. */
  readonly terminal?: Partial<Host['terminal']>;
  readonly stdout?: Sink;
  readonly stderr?: Sink;
  readonly stdoutIsNowhere?: boolean;
  readonly signal?: AbortSignal;
  /** Without a keychain, a run that opens it fails. */
  readonly keychain?: SecretStore;
  readonly now?: () => number;
  readonly nodeVersion?: string;
  /** Waits take as long as this does. */
  readonly sleep?: Host['sleep'];
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The waits before retries, in milliseconds. */
  readonly waits: readonly number[];
}

/** The line about a first answer that takes seconds, which happens on a busy machine. */
const SILENCE = /^waiting for an answer from .*\n/gm;

/**
 * Runs one command line in this process, with buffers as streams. Waits take no time, and a late
 * first answer is not mentioned in `stderr`.
 */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const stdout = bufferSink();
  const stderr = bufferSink();
  const waits: number[] = [];
  let slept = 0;
  const { signal = new AbortController().signal } = options;
  // As the program does: all requests that wait listen to it.
  setMaxListeners(0, signal);
  const host: Host = {
    // A folder that does not exist keeps the developer's own settings out of the tests.
    // Without colours, texts are easier to compare.
    env: { DOI_CLI_CONFIG_DIR: '/nonexistent/doi-cli', NO_COLOR: '1', ...options.env },
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: options.stdout ?? stdout,
    stdoutIsNowhere: () => options.stdoutIsNowhere ?? false,
    stderr: options.stderr ?? stderr,
    terminal: { stdin: false, stdout: false, stderr: false, columns: 80, ...options.terminal },
    signal,
    nodeVersion: options.nodeVersion ?? 'v20.18.1',
    // The clock advances with each wait; otherwise a loop that waits for a point in time would
    // never end.
    now: () => (options.now ?? Date.now)() + slept,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      if (options.sleep === undefined) slept += ms;
      else await options.sleep(ms, signal);
    },
    async openKeychain() {
      if (options.keychain === undefined)
        throw new Error('the keychain was asked for, and nothing is stored');
      return options.keychain;
    },
  };
  const code = await runProgram(argv, host);
  return { code, stdout: stdout.text(), stderr: stderr.text().replace(SILENCE, ''), waits };
}

/** The values of NDJSON. */
export const valuesIn = <T>(ndjson: string): T[] =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);

/** A sink that stores everything written to it. */
export function bufferSink(): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    async write(...parts) {
      // Copied, because the memory of a page is reused.
      for (const part of parts) chunks.push(Buffer.from(part as Uint8Array));
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
