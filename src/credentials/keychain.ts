import { type ChildProcess, fork } from 'node:child_process';
import { platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { CliError } from '../errors.ts';
import type { KeychainFailure, KeychainReply, KeychainRequest } from './keychain-protocol.ts';

/** A place that keeps secrets by name. */
export interface SecretStore {
  /** @returns undefined when there is nothing under that name. */
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  /** @returns false when there was nothing to delete. */
  delete(account: string): Promise<boolean>;
  /** Resolves when a secret could be stored now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

interface KeychainOptions {
  /** The built `keychain-child.js`. */
  readonly child: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends a wait for reading; what is being stored or deleted is waited for. */
  readonly signal: AbortSignal;
  /** Told when the wait may be for a person. */
  readonly note: (text: string) => void;
}

/** A keychain that could not be used, and why. */
export class KeychainError extends CliError {
  readonly failure: KeychainFailure;

  constructor(failure: KeychainFailure, reason: string) {
    super('credentials', sentence(failure, reason), { hint: HINTS[failure] });
    this.name = 'KeychainError';
    this.failure = failure;
  }
}

const INSTEAD =
  'set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD, or DOI_CLI_API_KEY, in the environment' +
  ' (or, readable to whoever reads your files: doi-cli auth login --insecure-file)';

const HINTS: Readonly<Record<KeychainFailure, string>> = {
  locked: `unlock the keychain, or ${INSTEAD}`,
  refused: `allow access in the keychain's own settings, or ${INSTEAD}`,
  missing: INSTEAD,
  hanging: `restart the keychain's service, or ${INSTEAD}`,
};

function sentence(failure: KeychainFailure, reason: string): string {
  const because = reason === '' ? '' : ` (${reason})`;
  switch (failure) {
    case 'locked':
      return `the keychain is locked${because}`;
    case 'refused':
      return `the keychain refused access${because}`;
    case 'missing':
      return `there is no keychain to use here${because}`;
    case 'hanging':
      return `the keychain does not answer${because}`;
  }
}

/** What the keychains of the platforms need to be found. Nothing of ours is among it, and no secret. */
const ENVIRONMENT = [
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['HOME', 'USER', 'LOGNAME', 'PATH', 'LANG'],
  ...['SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP'],
];

/** In milliseconds. A keychain that is well answers in a hundredth of it. */
const ANSWER_LIMIT_MS = 5000;
/** In milliseconds. Where the keychain can show a window, somebody may be typing a password into it. */
const PERSON_LIMIT_MS = 60_000;
const NOTE_AFTER_MS = 2000;

/**
 * The operating system's keychain, through a child process that starts at the first request and is killed by
 * `close` or when it takes too long. Secrets pass over IPC; its environment holds none.
 */
export class Keychain implements SecretStore {
  readonly #options: KeychainOptions;
  #child: ChildProcess | undefined;
  #broken: KeychainError | undefined;

  constructor(options: KeychainOptions) {
    this.#options = options;
  }

  /** @throws {KeychainError}; the signal's reason when interrupted. */
  async get(account: string): Promise<string | undefined> {
    const value = await this.#ask({ op: 'get', account }, this.#options.signal);
    return typeof value === 'string' ? value : undefined;
  }

  /** @throws {KeychainError} */
  async set(account: string, secret: string): Promise<void> {
    await this.#ask({ op: 'set', account, secret });
  }

  /** @throws {KeychainError} */
  async delete(account: string): Promise<boolean> {
    return (await this.#ask({ op: 'delete', account })) === true;
  }

  /** @throws {KeychainError}; the signal's reason when interrupted. */
  async check(): Promise<void> {
    await this.#ask({ op: 'check' }, this.#options.signal);
  }

  /** Kills the child; the next request would start another. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async #ask(request: KeychainRequest, signal?: AbortSignal): Promise<string | boolean | null> {
    // Whoever waited once for nothing does not wait again.
    if (this.#broken !== undefined) throw this.#broken;
    signal?.throwIfAborted();
    this.#child ??= this.#start();
    try {
      return await answer(this.#child, request, {
        signal,
        slow: () => this.#options.note('waiting for the keychain, which may be asking to be unlocked'),
        personLimitMs: this.#mayAskPerson() ? PERSON_LIMIT_MS : ANSWER_LIMIT_MS,
      });
    } catch (error) {
      if (error instanceof KeychainError && error.failure !== 'hanging') throw error;
      await this.close();
      if (error instanceof KeychainError) this.#broken = error;
      throw error;
    }
  }

  #start(): ChildProcess {
    const { child, env } = this.#options;
    const needed = ENVIRONMENT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
    return fork(fileURLToPath(child), [], {
      env: Object.fromEntries(needed),
      // Neither a debugger nor a preloaded module of the parent belongs here.
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  }

  #mayAskPerson(): boolean {
    const { env } = this.#options;
    return platform() === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  }
}

interface Patience {
  readonly signal: AbortSignal | undefined;
  readonly slow: () => void;
  readonly personLimitMs: number;
}

/** One request and its reply, within the time limits. */
function answer(
  child: ChildProcess,
  request: KeychainRequest,
  { signal, slow, personLimitMs }: Patience,
): Promise<string | boolean | null> {
  return new Promise((resolve, reject) => {
    const hanging = (ms: number) => () => fail(new KeychainError('hanging', `no answer in ${ms / 1000} s`));
    let limit = setTimeout(hanging(ANSWER_LIMIT_MS), ANSWER_LIMIT_MS);
    const longWait = setTimeout(slow, NOTE_AFTER_MS);
    const onMessage = (reply: KeychainReply) => {
      if ('opened' in reply) {
        clearTimeout(limit);
        limit = setTimeout(hanging(personLimitMs), personLimitMs);
        return;
      }
      stopWaiting();
      if ('value' in reply) resolve(reply.value);
      else reject(new KeychainError(reply.failure, reply.reason));
    };
    const onExit = (code: number | null, killer: string | null) =>
      fail(new KeychainError('missing', `its helper process ended with ${killer ?? `exit code ${code}`}`));
    const onError = (error: Error) => fail(new KeychainError('missing', error.message));
    const onAbort = () => fail(signal?.reason);
    const stopWaiting = () => {
      clearTimeout(limit);
      clearTimeout(longWait);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown) => {
      stopWaiting();
      reject(error);
    };
    child.on('message', onMessage).once('exit', onExit).once('error', onError);
    signal?.addEventListener('abort', onAbort, { once: true });
    child.send(request, (error) => {
      if (error) fail(new KeychainError('missing', error.message));
    });
  });
}
