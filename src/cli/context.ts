import type { Rate } from '../api/http/rate-limiter.ts';
import { DEFAULT_BASE_URL, type Service, TEST_BASE_URL } from '../api/service.ts';
import {
  type Available,
  findCredentials,
  fromEnvironment,
  type Need,
  type SourcedCredentials,
} from '../credentials/resolve.ts';
import type { Vault } from '../credentials/vault.ts';
import { ClosedPipe, usageError } from '../errors.ts';
import {
  configDirectory,
  normalizeBaseUrl,
  type Profile,
  profileOf,
  readSettings,
  type SettingsHost,
} from '../settings/settings.ts';
import { parsePrefix } from '../text/doi.ts';
import { parseFrom, parseMailto } from '../text/parsers.ts';
import { type Redactor, visible } from '../text/redact.ts';
import { shellWords } from '../text/shell-word.ts';
import { parseApiUrl } from '../text/url.ts';
import type { GlobalOptions, Host } from '../ui/host.ts';
import { Look, wantsColor } from '../ui/look.ts';
import type { Messages } from '../ui/messages.ts';
import { type Sink, terminalSink } from '../ui/sink.ts';
import type { ConnectOptions } from './service.ts';

interface ProfileOptions {
  /** Accepts a profile that does not exist yet, for a command that makes it. */
  readonly mayBeNew?: boolean;
}

/**
 * One run: the host, the global options, and the parts that commands need, created on first use.
 */
export class Context {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly redactor: Redactor;
  readonly messages: Messages;
  readonly #argv: readonly string[];
  #connections: Service<SourcedCredentials>[] = [];
  #vault: Promise<Vault> | undefined;

  /** @param argv the command line, for {@link again}. */
  constructor(
    host: Host,
    options: GlobalOptions,
    messages: Messages,
    redactor: Redactor,
    argv: readonly string[] = [],
  ) {
    this.#argv = argv;
    this.host = host;
    this.options = options;
    this.redactor = redactor;
    this.messages = messages;
  }

  get interactive(): boolean {
    return this.options.input && this.host.terminal.stdin && this.host.terminal.stderr;
  }

  get color(): boolean {
    return wantsColor(this.host.env, this.options.color);
  }

  get look(): Look {
    return new Look(this.host.terminal.stdout && this.color);
  }

  /** Stdout for text of the service: control characters are escaped on a terminal. */
  get out(): Sink {
    return this.#safe(this.host.stdout);
  }

  /** Prints text of the service as one line: on a terminal, line breaks in it are escaped. */
  printLine(text: string): Promise<void> {
    const { stdout, terminal } = this.host;
    const line = text.replace(/\n$/, '');
    return stdout.write(`${terminal.stdout ? visible(line) : line}\n`);
  }

  /** Prints a change as a line of JSON with `--format json`, and else as text, if there is any. */
  async printChange(
    format: 'text' | 'json',
    change: { readonly outcome: string; readonly [member: string]: unknown },
    text = '',
  ): Promise<void> {
    const line = format === 'json' ? `${JSON.stringify(change)}\n` : text;
    if (line !== '') await this.out.write(line);
  }

  #safe(sink: Sink): Sink {
    return this.host.terminal.stdout ? terminalSink(sink) : sink;
  }

  /**
   * Calls `write` with sinks to stdout, or to a pager if the output is longer than the terminal.
   * @param write gets a sink that escapes the service's text, and a raw one for text with our own
   *   control characters.
   */
  async paged(write: (safe: Sink, raw: Sink) => Promise<void>): Promise<void> {
    const { terminal, stdout } = this.host;
    const isPaged = terminal.stdout && this.options.pager && (terminal.rows ?? 0) > 0;
    if (!isPaged) return write(this.out, stdout);
    const { throughPager } = await import('../ui/pager.ts');
    return throughPager(this, (sink) => write(this.#safe(sink), sink));
  }

  /** Prints our own text, colours included, to stdout or through a pager if it is long. */
  async page(text: (look: Look) => string): Promise<void> {
    // Leaving the pager early is not an error.
    await this.paged((_, raw) => raw.write(text(this.look))).catch((error: unknown) => {
      if (!(error instanceof ClosedPipe && this.host.terminal.stdout)) throw error;
    });
  }

  /** A command to type next, quoted for a shell, with this run's service and profile options. */
  readonly suggest = (...words: readonly string[]): string => {
    const { test, baseUrl, profile } = this.options;
    const same = [
      ...(test ? ['--test'] : []),
      ...(baseUrl === undefined ? [] : ['--base-url', baseUrl.href]),
      ...(profile === undefined ? [] : ['--profile', profile]),
    ];
    return shellWords(['doi-cli', ...words, ...same]);
  };

  /** The command line of this run with more options, and with the word `to` in place of `from`. */
  again(
    options: readonly string[],
    [from, to]: readonly [from: string, to: string] = ['', ''],
  ): string {
    const words = this.#argv.map((word) => {
      if (from !== '' && word.endsWith(`=${from}`)) return word.slice(0, -from.length) + to;
      return word === from ? to : word;
    });
    const end = words.includes('--') ? words.indexOf('--') : words.length;
    return shellWords(['doi-cli', ...words.slice(0, end), ...options, ...words.slice(end)]);
  }

  get profileName(): string {
    return this.options.profile ?? (this.host.env['DOI_CLI_PROFILE'] || 'default');
  }

  get settingsHost(): SettingsHost {
    const { env, signal } = this.host;
    return { env, signal, note: this.messages.note };
  }

  /** The settings of the profile in use, which must exist. The default profile always does. */
  async profile({ mayBeNew }: ProfileOptions = {}): Promise<Profile> {
    const { env } = this.host;
    const name = this.profileName;
    const profile = profileOf(await readSettings(env), name);
    if (profile === undefined && name !== 'default' && !mayBeNew) {
      const message = `there is no profile '${name}' in ${configDirectory(env)}`;
      throw usageError(message, `doi-cli auth login --profile ${name}`);
    }
    return profile ?? {};
  }

  /** The base URL: option, environment, profile, production, in this order. */
  async baseUrl(options: ProfileOptions = {}): Promise<URL> {
    const { test, baseUrl } = this.options;
    if (test && baseUrl !== undefined) throw usageError('--test and --base-url exclude each other');
    if (test) return new URL(TEST_BASE_URL);
    if (baseUrl !== undefined) return baseUrl;
    const text = this.host.env['DOI_CLI_BASE_URL'];
    if (text === undefined) return baseUrlOfProfile(await this.profile(options));
    // CI systems pass a missing variable as an empty one, which must not select production.
    if (text === '')
      throw usageError('DOI_CLI_BASE_URL is set but empty', 'unset it for the production service');
    return parseFrom('DOI_CLI_BASE_URL', text, parseApiUrl);
  }

  async prefix(): Promise<string | undefined> {
    const { prefix } = await this.profile();
    return prefix && parseFrom('the prefix of the profile', prefix, parsePrefix);
  }

  /** The store of credentials. It starts the keychain's process only on first use. */
  vault(): Promise<Vault> {
    this.#vault ??= import('../credentials/vault.ts').then(
      ({ Vault }) =>
        new Vault({
          ...this.settingsHost,
          openKeychain: () => this.host.openKeychain(this.settingsHost),
          warn: this.messages.warn,
        }),
    );
    return this.#vault;
  }

  /** The credentials in the environment, and the account from the environment or the profile. */
  async fromEnvironment(): Promise<Available> {
    const { repository } = await this.profile();
    return fromEnvironment(this.host.env, repository);
  }

  /** The credentials from the environment, else the store; undefined for anonymous reads. */
  async credentials(need: Need): Promise<SourcedCredentials | undefined> {
    if (this.options.anonymous) {
      if (need !== 'reads')
        throw usageError('--anonymous is for reading DOIs only', 'leave it out');
      return undefined;
    }
    return findCredentials(need, {
      available: await this.fromEnvironment(),
      vault: () => this.vault(),
      baseUrl: async () => normalizeBaseUrl(await this.baseUrl()),
      note: this.messages.note,
    });
  }

  /** The service with the credentials for `need`. */
  async service(
    need: Need,
    rate?: Rate | 'service' | 'formats',
  ): Promise<Service<SourcedCredentials>> {
    await this.profile();
    return this.connect(await this.credentials(need), { rate });
  }

  async connect(
    credentials: SourcedCredentials | undefined,
    options: ConnectOptions = {},
  ): Promise<Service<SourcedCredentials>> {
    const baseUrl = options.baseUrl ?? (await this.baseUrl());
    const { mailto: setting } = await this.profile({ mayBeNew: true });
    const mailto = setting && parseFrom('the mailto of the profile', setting, parseMailto);
    const { connect } = await import('./service.ts');
    const merged = { ...options, baseUrl, mailto: this.options.mailto ?? mailto };
    const service = connect(this, credentials, merged);
    this.#connections.push(service);
    return service;
  }

  /** Runs work that an interrupt must not cut off; the first interrupt calls `notify`. */
  async uninterrupted<T>(notify: () => void, work: () => Promise<T>): Promise<T> {
    const { signal } = this.host;
    signal.addEventListener('abort', notify, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', notify);
    }
  }

  /** Waits for the answer to a write despite an interrupt; the first interrupt prints a message. */
  untilAnswered<T>(write: () => Promise<T>): Promise<T> {
    const waiting =
      'waiting for the answer, so that the outcome is known; a second interrupt ends at once';
    return this.uninterrupted(() => this.messages.status(waiting), write);
  }

  /**
   * @throws {CliError} kind `credentials` when the service carried out a write as another account.
   */
  requireOwnWrites(): void {
    for (const { caller } of this.#connections) caller.requireOwnWrites();
  }

  async close(): Promise<void> {
    await (await this.#vault)?.close();
    await Promise.all(this.#connections.map(({ http }) => http.close()));
  }
}

/** The base URL of a profile, or else the production service. */
export function baseUrlOfProfile({ 'base-url': setting }: Profile): URL {
  return setting
    ? parseFrom('the base-url of the profile', setting, parseApiUrl)
    : new URL(DEFAULT_BASE_URL);
}
