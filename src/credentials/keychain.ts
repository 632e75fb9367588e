import { type ChildProcess, fork } from 'node:child_process';
import { platform } from 'node:os';
import { CliError } from '../errors.ts';

/** A request to the keychain child over IPC. */
export type KeychainRequest =
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly secret: string }
  /** Stores a worthless secret and deletes it: nothing less proves that storing works. */
  | { readonly op: 'check' };

/** The step of a request. The binding's error messages mean different things at each step. */
export type KeychainStep = 'load' | 'open' | 'ask';

/** A reply of the keychain child: one for each step that begins, then a value or a failure. */
export type KeychainReply =
  | { readonly step: KeychainStep }
  | { readonly value: string | boolean | null }
  | { readonly failure: KeychainFailure; readonly reason: string };

/** Keeps secrets by name. */
export interface SecretStore {
  /** @returns undefined when no secret has that name. */
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  /** @returns false when there was nothing to delete. */
  delete(account: string): Promise<boolean>;
  /** Resolves when a secret could be stored now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface KeychainOptions {
  /**
   * The built `keychain-child.js`; in the single executable, the argument that starts this program.
   */
  readonly child: URL | string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the child needs NODE_OPTIONS to find packages, as with Yarn's Plug'n'Play. */
  readonly needsNodeOptions?: boolean;
  /** Stops reads; storing and deleting always finish. */
  readonly signal: AbortSignal;
  /** Reports a long wait: the keychain may be asking the user. */
  readonly note: (text: string) => void;
}

const INSTEAD =
  'set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD, or DOI_CLI_API_KEY, in the environment,' +
  ' or store them in a file that is not encrypted: doi-cli auth login --insecure-file';

/** Failures of a keychain: messages and hints. */
const FAILURES = {
  // Also when the prompt to unlock it was dismissed.
  locked: ['the keychain is locked', `unlock the keychain, or ${INSTEAD}`],
  refused: [
    'the keychain refused access',
    `allow access in the keychain's own settings, or ${INSTEAD}`,
  ],
  // No binding for this platform, no service, or a service without a keyring.
  missing: ['there is no keychain to use here', INSTEAD],
  hanging: ['the keychain does not answer', `restart the keychain's service, or ${INSTEAD}`],
} as const;

const DBUS = /\bD-?Bus|Platform|freedesktop|ServiceUnknown|no result found/i;
const NO_SERVICE = 'no Secret Service runs in this session';

export type KeychainFailure = keyof typeof FAILURES;

/** A keychain that could not be used. */
export class KeychainError extends CliError {
  readonly failure: KeychainFailure;

  constructor(failure: KeychainFailure, reason: string) {
    const [message, hint] = FAILURES[failure];
    // Messages of D-Bus help few people: only DOI_CLI_DEBUG=1 shows them.
    const plain = failure === 'missing' ? NO_SERVICE : '';
    const words = DBUS.test(reason) ? plain : reason;
    super('credentials', words === '' ? message : `${message} (${words})`, {
      hint,
      cause: new Error(reason),
    });
    this.name = 'KeychainError';
    this.failure = failure;
  }
}

/** The variables with which the child finds the platform's keychain. None contains a secret. */
const ENVIRONMENT = [
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['HOME', 'XDG_CACHE_HOME', 'USER', 'LOGNAME', 'PATH', 'LANG'],
  ...['SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP'],
];

// Starting Node and loading the binding takes seconds on a busy machine, with any keychain.
const START_LIMIT_MS = 30_000;
// A healthy keychain answers in a hundredth of this.
const ANSWER_LIMIT_MS = 5000;
// If the keychain can show a window, the user may be typing a password into it.
const PERSON_LIMIT_MS = 60_000;
const NOTE_AFTER_MS = 2000;

/**
 * The operating system's keychain. A child process talks to it: it starts at the first request, and
 * `close` or a time limit kills it. Secrets pass over IPC, never in its arguments or environment.
 * Methods throw a {@link KeychainError}, or the signal's reason when interrupted.
 */
export class Keychain implements SecretStore {
  readonly #options: KeychainOptions;
  #child: ChildProcess | undefined;
  #broken: KeychainError | undefined;

  constructor(options: KeychainOptions) {
    this.#options = options;
  }

  async get(account: string): Promise<string | undefined> {
    const value = await this.#ask({ op: 'get', account }, this.#options.signal);
    return typeof value === 'string' ? value : undefined;
  }

  async set(account: string, secret: string): Promise<void> {
    await this.#ask({ op: 'set', account, secret });
  }

  async delete(account: string): Promise<boolean> {
    return (await this.#ask({ op: 'delete', account })) === true;
  }

  async check(): Promise<void> {
    await this.#ask({ op: 'check' }, this.#options.signal);
  }

  /** Kills the child; another request starts a new one. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async #ask(request: KeychainRequest, signal?: AbortSignal): Promise<string | boolean | null> {
    // A keychain that did not answer is not asked again.
    if (this.#broken !== undefined) throw this.#broken;
    signal?.throwIfAborted();
    this.#child ??= this.#start();
    try {
      return await this.#answer(this.#child, request, signal);
    } catch (error) {
      if (error instanceof KeychainError && error.failure !== 'hanging') throw error;
      await this.close();
      if (error instanceof KeychainError) this.#broken = error;
      throw error;
    }
  }

  #start(): ChildProcess {
    const { child, env, needsNodeOptions } = this.#options;
    const names = needsNodeOptions ? [...ENVIRONMENT, 'NODE_OPTIONS'] : ENVIRONMENT;
    const needed = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
    return fork(child, [], {
      env: Object.fromEntries(needed),
      // Inherit neither a debugger nor a preloaded module from the parent.
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  }

  #answer(
    child: ChildProcess,
    request: KeychainRequest,
    signal: AbortSignal | undefined,
  ): Promise<string | boolean | null> {
    const { env, note } = this.#options;
    const canShowPrompt = platform() === 'darwin' || env['DISPLAY'] || env['WAYLAND_DISPLAY'];
    const limits: Readonly<Record<KeychainStep, number>> = {
      load: START_LIMIT_MS,
      open: ANSWER_LIMIT_MS,
      ask: canShowPrompt ? PERSON_LIMIT_MS : ANSWER_LIMIT_MS,
    };
    return new Promise((resolve, reject) => {
      const failAfter = (ms: number) =>
        setTimeout(() => fail(new KeychainError('hanging', `no answer in ${ms / 1000} s`)), ms);
      let limit = failAfter(limits.load);
      const longWait = setTimeout(
        () => note('waiting for the keychain, which may be asking to be unlocked'),
        NOTE_AFTER_MS,
      );
      const onMessage = (reply: KeychainReply) => {
        if ('step' in reply) {
          clearTimeout(limit);
          limit = failAfter(limits[reply.step]);
          return;
        }
        stopWaiting();
        if ('value' in reply) resolve(reply.value);
        else reject(new KeychainError(reply.failure, reply.reason));
      };
      const onExit = (code: number | null, killer: string | null) =>
        fail(
          new KeychainError(
            'missing',
            `its helper process ended with ${killer ?? `exit code ${code}`}`,
          ),
        );
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
        if (error) onError(error);
      });
    });
  }
}
