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
import { usageError } from '../errors.ts';
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
import { parseApiUrl } from '../text/url.ts';
import type { Io } from './io.ts';
import type { ConnectOptions } from './service.ts';

interface ProfileOptions {
  /** Accepts a profile that does not exist yet, for a command that makes it. */
  readonly mayBeNew?: boolean;
}

/** The settings, credentials and services of one run, opened on first use. */
export class Services {
  readonly #io: Io;
  #connections: Service<SourcedCredentials>[] = [];
  #vault: Promise<Vault> | undefined;

  constructor(io: Io) {
    this.#io = io;
  }

  get profileName(): string {
    return this.#io.options.profile ?? (this.#io.host.env['DOI_CLI_PROFILE'] || 'default');
  }

  get settingsHost(): SettingsHost {
    const { env, signal } = this.#io.host;
    return { env, signal, note: this.#io.messages.note };
  }

  /** The settings of the profile in use, which must exist. The default profile always does. */
  async profile({ mayBeNew }: ProfileOptions = {}): Promise<Profile> {
    const { env } = this.#io.host;
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
    const { test, baseUrl } = this.#io.options;
    if (test && baseUrl !== undefined) throw usageError('--test and --base-url exclude each other');
    if (test) return new URL(TEST_BASE_URL);
    if (baseUrl !== undefined) return baseUrl;
    const text = this.#io.host.env['DOI_CLI_BASE_URL'];
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
          openKeychain: () => this.#io.host.openKeychain(this.settingsHost),
          warn: this.#io.messages.warn,
        }),
    );
    return this.#vault;
  }

  /** The credentials in the environment, and the account from the environment or the profile. */
  async fromEnvironment(): Promise<Available> {
    const { repository } = await this.profile();
    return fromEnvironment(this.#io.host.env, repository);
  }

  /** The credentials from the environment, else the store; undefined for anonymous reads. */
  async credentials(need: Need): Promise<SourcedCredentials | undefined> {
    if (this.#io.options.anonymous) {
      if (need !== 'reads')
        throw usageError('--anonymous is for reading DOIs only', 'leave it out');
      return undefined;
    }
    return findCredentials(need, {
      available: await this.fromEnvironment(),
      vault: () => this.vault(),
      baseUrl: async () => normalizeBaseUrl(await this.baseUrl()),
      note: this.#io.messages.note,
    });
  }

  /** The service with the credentials for `need`. */
  async open(
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
    const merged = { ...options, baseUrl, mailto: this.#io.options.mailto ?? mailto };
    const service = connect(this.#io, credentials, merged);
    this.#connections.push(service);
    return service;
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
