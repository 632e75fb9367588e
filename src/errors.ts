/** The kind of an error, for programs. It determines the exit code. */
export type ErrorKind =
  /** Wrong input; nothing was sent. */
  | 'usage'
  /** Credentials are missing, not accepted by the service, or not sufficient. */
  | 'credentials'
  | 'not-found'
  /** The service refused the request. */
  | 'rejected'
  /** The service gives no usable answer. */
  | 'unavailable'
  /** The service asks for fewer requests. */
  | 'throttled'
  /** Records are missing, or differ from those requested. */
  | 'incomplete'
  /** Something cannot be written. */
  | 'output'
  /** Stopped by Ctrl-C, by a signal, or when the terminal has gone. */
  | 'interrupted'
  | 'terminated'
  | 'hung-up'
  | 'unexpected';

/** The exit codes of the command-line contract. */
const EXIT_CODES: Readonly<Record<ErrorKind, number>> = {
  usage: 2,
  credentials: 4,
  'not-found': 1,
  rejected: 1,
  unavailable: 5,
  throttled: 5,
  incomplete: 3,
  output: 1,
  interrupted: 130,
  terminated: 143,
  'hung-up': 129,
  unexpected: 1,
};

/** One of several problems. */
export interface Problem {
  /** Where the problem is, such as `titles[0]` or a DOI; null if unknown. */
  readonly path: string | null;
  readonly message: string;
  /** The line of the input file, from 1. */
  readonly line?: number;
  /** In a spreadsheet: the row as the spreadsheet numbers it; the header is row 1. */
  readonly row?: number;
  /** In a spreadsheet: the column's name. */
  readonly column?: string;
  /** A value that also changed at the service since the export: exported, present, and edited. */
  readonly conflict?: {
    readonly exported?: string;
    readonly present: string;
    readonly edited: string;
  };
}

interface ErrorDetails {
  /** The next command to type, or what to change. */
  readonly hint?: string | undefined;
  /** The HTTP status that caused it. */
  readonly status?: number | undefined;
  /** The problems that the service listed; the message contains all of them. */
  readonly problems?: readonly Problem[] | undefined;
  /** The problems as lines for people, if the message does not contain them. @internal */
  readonly lines?: readonly string[] | undefined;
  /** The file that cannot be written. @internal */
  readonly file?: string | undefined;
  readonly cause?: unknown;
}

/** An error with a message for people, a kind for programs, and maybe a hint. */
export class CliError extends Error {
  readonly kind: ErrorKind;
  /** What to do next, usually a command of doi-cli. */
  readonly hint: string | undefined;
  /** The HTTP status of the answer that caused it. */
  readonly status: number | undefined;
  /** The problems that the service listed; the message contains all of them. */
  readonly problems: readonly Problem[];
  /** @internal */
  readonly lines: readonly string[];
  /** @internal */
  readonly file: string | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    // The library exports this class under this name.
    this.name = 'DoiCliError';
    this.kind = kind;
    this.hint = details.hint;
    this.status = details.status;
    this.problems = details.problems ?? [];
    this.lines = details.lines ?? [];
    this.file = details.file;
  }

  /** The same error with some of it changed, and this error as its cause. @internal */
  with(changes: ErrorDetails & { readonly kind?: ErrorKind; readonly message?: string }): CliError {
    const { kind = this.kind, message = this.message, ...details } = changes;
    const { hint, status, problems, lines, file } = this;
    const same = { hint, status, problems, lines, file };
    return new CliError(kind, message, { ...same, cause: this, ...details });
  }

  /** @internal */
  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** The commonest error: a wrong option, argument or input file; nothing was sent. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', message, { hint });
}

/** The hint for a stopped run that can continue. */
export const CONTINUE_HINT = 'the same command again continues';

/** The reader of stdout has closed it, as `| head` does: the program ends without an error. */
export class ClosedPipe extends Error {
  constructor(cause: unknown) {
    super('the reader of stdout has gone', { cause });
    this.name = 'ClosedPipe';
  }
}

/** Whether the service is unavailable, or limits the rate: it may answer later. */
export function isOutage({ kind }: CliError): boolean {
  return kind === 'unavailable' || kind === 'throttled';
}

/** The signals that stop a run. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The error for a signal from outside: the abort signal's reason. */
export function stopReason(signal: StopSignal): CliError {
  if (signal === 'SIGINT') return new CliError('interrupted', 'interrupted');
  return signal === 'SIGTERM'
    ? new CliError('terminated', 'terminated')
    : new CliError('hung-up', 'the terminal has gone');
}

/** The signal of a {@link stopReason}; undefined for other errors. */
export function stopSignalOf(error: CliError | undefined): StopSignal | undefined {
  return STOP_SIGNALS.find((each) => error?.kind === stopReason(each).kind);
}

type Stop = CliError & { readonly kind: 'interrupted' | 'terminated' | 'hung-up' };

/** Whether an error is a {@link stopReason}. */
export function isStop(error: unknown): error is Stop {
  return error instanceof CliError && ['interrupted', 'terminated', 'hung-up'].includes(error.kind);
}

/** The system's code of an error (`EPIPE`, `ECONNREFUSED`, `UND_ERR_SOCKET`), if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Turns any thrown value into a {@link CliError}; the original is its cause. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { message, syscall } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) };
  const [hint, words = message] =
    OF_PROCESS[(syscall === 'uv_cwd' ? syscall : errorCode(error)) ?? ''] ?? [];
  return new CliError('unexpected', words, { hint, cause: error });
}

/** Errors of the process itself, by code: a hint, and a better message for some. */
const OF_PROCESS: Readonly<Record<string, readonly [hint: string, words?: string]>> = {
  // A lazily loaded part of the program is missing.
  ERR_MODULE_NOT_FOUND: ['install doi-cli again'],
  EMFILE: ['allow more, for example: ulimit -n 256', 'too many files are open'],
  uv_cwd: ['go to a folder that exists: cd', 'the working folder is gone'],
};
