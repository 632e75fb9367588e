import type { Http } from '../api/http/http.ts';
import { proxyFor } from '../api/http/proxy.ts';
import type { Rate } from '../api/http/rate-limiter.ts';
import type { Service } from '../api/service.ts';
import {
  type Available,
  type Credentials,
  findCredentials,
  fromEnvironment,
  type Need,
} from '../credentials/resolve.ts';
import type { Vault } from '../credentials/vault.ts';
import { usageError } from '../errors.ts';
import {
  configDirectory,
  normalizeBaseUrl,
  type Profile,
  profileOf,
  readSettings,
} from '../settings/settings.ts';
import { parseBaseUrl, parseMailto, parsePrefix } from '../text/parsers.ts';
import { Redactor } from '../text/redact.ts';
import { Messages } from '../ui/messages.ts';
import { type Sink, terminalSink } from '../ui/sink.ts';
import type { GlobalOptions, Host } from './host.ts';

export const DEFAULT_BASE_URL = 'https://api.datacite.org';
const TEST_BASE_URL = 'https://api.test.datacite.org';

const MDS_URLS: Readonly<Record<string, string>> = {
  [DEFAULT_BASE_URL]: 'https://mds.datacite.org',
  [TEST_BASE_URL]: 'https://mds.test.datacite.org',
};

/** One run: the host, the global options, and whatever commands need, made when first asked for. */
export class Context {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly redactor: Redactor;
  readonly messages: Messages;
  #services: Http[] = [];
  #vault: Promise<Vault> | undefined;

  constructor(host: Host, options: GlobalOptions, messages?: Messages, redactor = new Redactor()) {
    this.host = host;
    this.options = options;
    this.redactor = redactor;
    this.messages = messages ?? new Messages(host.stderr, redactor);
  }

  /** True when a question may be asked. */
  get interactive(): boolean {
    return this.options.input && this.host.terminal.stdin && this.host.terminal.stderr;
  }

  /** True when colours are wanted, on streams that are terminals. */
  get color(): boolean {
    const { env } = this.host;
    return this.options.color && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  }

  /** Where text of the service goes as data: stdout, made safe where that is a terminal. */
  get out(): Sink {
    const { stdout, terminal } = this.host;
    return terminal.stdout ? terminalSink(stdout) : stdout;
  }

  /** A command to type next, quoted for a shell, for the same service and settings as this run. */
  suggest(...words: readonly string[]): string {
    const { baseUrl, test, profile } = this.options;
    const same = [
      ...(test ? ['--test'] : []),
      ...(baseUrl === undefined ? [] : ['--base-url', baseUrl.href]),
      ...(profile === undefined ? [] : ['--profile', profile]),
    ];
    return ['doi-cli', ...words, ...same].map(shellWord).join(' ');
  }

  /** True when this run was told which service to talk to. */
  get choosesBaseUrl(): boolean {
    const { baseUrl, test, profile } = this.options;
    const { DOI_CLI_BASE_URL, DOI_CLI_PROFILE } = this.host.env;
    return Boolean(baseUrl ?? test ?? profile ?? (DOI_CLI_BASE_URL || DOI_CLI_PROFILE));
  }

  /** The name of the profile in use. */
  get profileName(): string {
    return this.options.profile ?? (this.host.env['DOI_CLI_PROFILE'] || 'default');
  }

  /**
   * The settings of the profile in use.
   * @param options.mayBeNew for a command that makes it.
   * @throws {CliError} kind `usage` when a profile was asked for that does not exist.
   */
  async profile(options: { readonly mayBeNew?: boolean } = {}): Promise<Profile> {
    const name = this.profileName;
    const profile = profileOf(await readSettings(this.host.env), name);
    if (profile === undefined && name !== 'default' && !options.mayBeNew) {
      throw usageError(
        `there is no profile '${name}' in ${configDirectory(this.host.env)}`,
        `doi-cli auth login --profile ${name}`,
      );
    }
    return profile ?? {};
  }

  /**
   * The base URL: option, environment, profile, production, in this order.
   * @throws {CliError} kind `usage` when it is not a URL that credentials may be sent to.
   */
  async baseUrl(options: { readonly mayBeNew?: boolean } = {}): Promise<URL> {
    const { baseUrl, test } = this.options;
    if (test && baseUrl !== undefined) throw usageError('--test and --base-url exclude each other');
    if (test) return new URL(TEST_BASE_URL);
    if (baseUrl !== undefined) return baseUrl;
    const fromEnv = this.host.env['DOI_CLI_BASE_URL'];
    if (fromEnv === '') {
      // The name of a CI variable that does not exist: production is not what was meant.
      throw usageError(
        'DOI_CLI_BASE_URL is set but empty',
        'unset it for the production service, or use --test',
      );
    }
    if (fromEnv !== undefined) return checked('DOI_CLI_BASE_URL', fromEnv, parseBaseUrl);
    return this.usualBaseUrl(options);
  }

  /** The MDS API of the same service as a REST API; undefined where it is not known. */
  mdsUrlFor(baseUrl: URL): URL | undefined {
    const mds = MDS_URLS[normalizeBaseUrl(baseUrl)];
    return mds === undefined ? undefined : new URL(mds);
  }

  /**
   * A further place that a variable of the environment names; undefined where it is not set.
   * @throws {CliError} kind `usage` when it is not a URL that credentials may be sent to.
   */
  urlFromEnv(variable: string): URL | undefined {
    const text = this.host.env[variable];
    if (text === '') throw usageError(`${variable} is set but empty`, 'unset it for the usual place');
    return text === undefined ? undefined : checked(variable, text, parseBaseUrl);
  }

  /** The base URL when neither an option nor the environment names one: that of the profile, or production. */
  async usualBaseUrl(options: { readonly mayBeNew?: boolean } = { mayBeNew: true }): Promise<URL> {
    const setting = (await this.profile(options))['base-url'];
    if (setting) return checked('the base-url of the profile', setting, parseBaseUrl);
    return new URL(DEFAULT_BASE_URL);
  }

  /** The prefix of the profile, for new DOIs that name none. */
  async prefix(): Promise<string | undefined> {
    const { prefix } = await this.profile();
    return prefix && checked('the prefix of the profile', prefix, parsePrefix);
  }

  /** The credentials that are kept. Asking for it starts nothing. */
  vault(): Promise<Vault> {
    this.#vault ??= import('../credentials/vault.ts').then(
      ({ Vault }) =>
        new Vault({
          env: this.host.env,
          openKeychain: () =>
            this.host.openKeychain({ signal: this.host.signal, note: (text) => this.messages.note(text) }),
          warn: (text) => this.messages.warn(text),
        }),
    );
    return this.#vault;
  }

  /** The credentials in the environment, and the account that is meant by it or by the profile. */
  async fromEnvironment(options: { readonly mayBeNew?: boolean } = {}): Promise<Available> {
    const { repository } = await this.profile(options);
    return fromEnvironment(this.host.env, repository, (text) => this.messages.note(text));
  }

  /**
   * The credentials that `need` calls for, from the environment, else from where they are kept; undefined to
   * read anonymously.
   * @param options.environmentOnly leaves out what is kept: it is for the base URL, and belongs nowhere else.
   * @throws {CliError} kind `credentials` when they are missing, or the keychain cannot be used.
   */
  async credentials(
    need: Need,
    options: { readonly environmentOnly?: boolean } = {},
  ): Promise<Credentials | undefined> {
    if (this.options.anonymous) {
      if (need !== 'reads') throw usageError('--anonymous is for reading DOIs only', 'leave it out');
      return undefined;
    }
    const available = await this.fromEnvironment();
    return findCredentials(need, {
      // Without an account there is nothing to look for among what is kept.
      available: options.environmentOnly ? { ...available, account: undefined } : available,
      vault: () => this.vault(),
      baseUrl: async () => normalizeBaseUrl(await this.baseUrl()),
      note: (text) => this.messages.note(text),
    });
  }

  /**
   * The service with the credentials that `need` calls for.
   * @throws {CliError} kind `credentials` when they are missing, before any request.
   */
  async service(need: Need, rate?: Rate | 'service'): Promise<Service> {
    await this.profile();
    return this.connect(await this.credentials(need), rate === undefined ? {} : { rate });
  }

  /**
   * The service with these credentials.
   * @param options.baseUrl another service than that of the run.
   * @param options.signal stops its requests, in place of the run's own signal.
   * @param options.rate paces all requests: a rate, or the service's own limit for whoever asks.
   */
  async connect(
    credentials: Credentials | undefined,
    options: {
      readonly baseUrl?: URL;
      readonly signal?: AbortSignal;
      readonly rate?: Rate | 'service';
    } = {},
  ): Promise<Service> {
    const baseUrl = options.baseUrl ?? (await this.baseUrl());
    const profile = await this.profile({ mayBeNew: true });
    const { openService } = await import('./service.ts');
    const service = await openService(this, {
      ...options,
      credentials,
      baseUrl,
      testSystem: baseUrl.href.startsWith(TEST_BASE_URL),
      mailto: this.#mailto(profile.mailto),
      proxy: proxyFor(baseUrl, this.host.env),
    });
    this.#services.push(service.http);
    return service;
  }

  /** Closes every connection, and the keychain. */
  async close(): Promise<void> {
    await (await this.#vault)?.close();
    await Promise.all(this.#services.map((http) => http.close()));
  }

  #mailto(ofProfile: string | undefined): string | undefined {
    if (this.options.mailto !== undefined) return this.options.mailto;
    return ofProfile && checked('the mailto of the profile', ofProfile, parseMailto);
  }
}

/** A word as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w.@:/=+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function checked<T>(what: string, value: string, parse: (text: string) => T): T {
  try {
    return parse(value);
  } catch (error) {
    throw usageError(`${what}: ${(error as Error).message}`);
  }
}
