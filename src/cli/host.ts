import type { Readable } from 'node:stream';
import type { SecretStore } from '../credentials/keychain.ts';
import type { Sink } from '../ui/sink.ts';

/** What the process gives a run: main makes one from `process`, tests make one from buffers. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Sink;
  /** True where what is written to stdout is lost. */
  readonly stdoutIsNowhere: () => boolean;
  readonly stderr: Sink;
  readonly terminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
    /** Width in characters; 0 where the terminal does not tell. */
    readonly columns: number;
  };
  /** Aborted with a stop reason on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The keychain of the operating system. Making it asks it nothing yet. */
  readonly openKeychain: (options: {
    readonly signal: AbortSignal;
    readonly note: (text: string) => void;
  }) => Promise<SecretStore>;
}

/** The options that every command takes, as parsed. */
export interface GlobalOptions {
  readonly baseUrl?: URL;
  readonly test?: boolean;
  readonly profile?: string;
  readonly mailto?: string;
  readonly anonymous?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly input: boolean;
  readonly color: boolean;
}
