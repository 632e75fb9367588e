import { Readable } from 'node:stream';
import type { Host } from '../../src/cli/host.ts';
import type { SecretStore } from '../../src/credentials/keychain.ts';
import { runProgram } from '../../src/program.ts';
import type { Sink } from '../../src/ui/sink.ts';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Buffer;
  /** Which of the streams are terminals; none by default. */
  readonly terminal?: Partial<Host['terminal']>;
  readonly stdout?: Sink;
  readonly stderr?: Sink;
  readonly stdoutIsNowhere?: boolean;
  readonly signal?: AbortSignal;
  /** The keychain; without one, a run that asks for it fails. */
  readonly keychain?: SecretStore;
  readonly now?: () => number;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The waits before retries, in milliseconds; none of them took any time. */
  readonly waits: readonly number[];
}

/** Runs one command line in this process, with buffers for streams and no time lost in waits. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const stdout = bufferSink();
  const stderr = bufferSink();
  const waits: number[] = [];
  let slept = 0;
  const host: Host = {
    // A folder that does not exist: the settings of whoever runs the tests are not theirs.
    env: { DOI_CLI_CONFIG_DIR: '/nonexistent/doi-cli', ...options.env },
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: options.stdout ?? stdout,
    stdoutIsNowhere: () => options.stdoutIsNowhere ?? false,
    stderr: options.stderr ?? stderr,
    terminal: { stdin: false, stdout: false, stderr: false, columns: 80, ...options.terminal },
    signal: options.signal ?? new AbortController().signal,
    // What is slept passes at once, but it does pass: whoever waits for a time would wait for ever otherwise.
    now: () => (options.now ?? Date.now)() + slept,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      slept += ms;
    },
    async openKeychain() {
      if (options.keychain === undefined)
        throw new Error('the keychain was asked for, and nothing is stored');
      return options.keychain;
    },
  };
  const code = await runProgram(argv, host);
  return { code, stdout: stdout.text(), stderr: stderr.text(), waits };
}

/** A sink that keeps what is written to it. */
export function bufferSink(): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    async write(...parts) {
      // Copied, because pages are written from memory that is used again.
      for (const part of parts) chunks.push(Buffer.from(part as Uint8Array));
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
