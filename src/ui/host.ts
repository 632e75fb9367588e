import type { Readable } from 'node:stream';
import type { KeychainOptions, SecretStore } from '../credentials/keychain.ts';
import type { StopSignal } from '../errors.ts';
import type { Sink } from './sink.ts';

/** The environment of a run: main builds it from the process, tests from buffers. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Sink;
  /** Whether stdout is closed or discards its input. */
  readonly stdoutIsNowhere: () => boolean;
  readonly stderr: Sink;
  readonly terminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
    /** Width in characters; 0 when unknown. */
    readonly columns: number;
    /** Height in lines; 0 when unknown. */
    readonly rows?: number;
  };
  /**
   * Lets another program use the screen until a promise resolves. @param takes whether a signal
   * after the first is meant for that program, instead of ending this one.
   */
  readonly lendScreen?: (until: Promise<unknown>, takes: (name: StopSignal) => boolean) => void;
  /** Aborted with a stop reason on SIGINT, SIGTERM and SIGHUP, and after a crash. */
  readonly signal: AbortSignal;
  /** Such as `v20.18.1`. */
  readonly nodeVersion: string;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The program of a thread that writes tables; undefined without threads. */
  readonly exportThread?: URL | undefined;
  /** The keychain of the operating system, whose process starts only on first use. */
  readonly openKeychain: (
    options: Pick<KeychainOptions, 'signal' | 'note'>,
  ) => Promise<SecretStore>;
}

/** The parsed options that every command takes. */
export interface GlobalOptions {
  readonly baseUrl?: URL;
  readonly test?: boolean;
  readonly profile?: string;
  readonly mailto?: string;
  readonly anonymous?: boolean;
  readonly probeCredentials?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly input: boolean;
  readonly color: boolean;
  readonly pager: boolean;
  /** Whether tables may be wider than the terminal. */
  readonly wide?: boolean;
}
