import type { Readable } from 'node:stream';
import type { Http } from './api/http.ts';
import type { Identity } from './api/identity.ts';
import type { Pace, Rate } from './api/pace.ts';
import { configDirectory, type Profile, readProfiles } from './config.ts';
import { type Credentials, choose, fromEnvironment, type Need } from './credentials/resolve.ts';
import { usageError } from './errors.ts';
import { Redactor } from './redact.ts';
import { Messages } from './ui/messages.ts';
import { type Sink, terminalSink } from './ui/sink.ts';
import { parseBaseUrl, parseMailto } from './values.ts';
import { VERSION } from './version.ts';

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

export const DEFAULT_BASE_URL = 'https://api.datacite.org';
export const TEST_BASE_URL = 'https://api.test.datacite.org';

/** The service, ready to be asked, and whom it takes us for. */
export interface Service {
  readonly http: Http;
  readonly identity: Identity;
  readonly credentials: Credentials | undefined;
  /** The rate budget that all requests share, where one was asked for. */
  readonly pace?: Pace | undefined;
}

/** One run: the host, the global options, and whatever commands need, made when first asked for. */
export class Context {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly redactor: Redactor;
  readonly messages: Messages;
  #services: Http[] = [];

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

  /** The name of the profile in use. */
  get profileName(): string {
    return this.options.profile ?? (this.host.env['DOI_CLI_PROFILE'] || 'default');
  }

  /**
   * The settings of the profile in use.
   * @throws {CliError} kind `usage` when a profile was asked for that does not exist.
   */
  async profile(): Promise<Profile> {
    const name = this.profileName;
    const profiles = await readProfiles(this.host.env);
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (profile === undefined && name !== 'default') {
      throw usageError(
        `there is no profile '${name}' in ${configDirectory(this.host.env)}`,
        `doi-cli config set base-url https://api.datacite.org --profile ${name}`,
      );
    }
    return profile ?? {};
  }

  /**
   * The base URL: option, environment, profile, production, in this order.
   * @throws {CliError} kind `usage` when it is not a URL that credentials may be sent to.
   */
  async baseUrl(): Promise<URL> {
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
    const setting = (await this.profile())['base-url'];
    if (setting) return checked('the base-url of the profile', setting, parseBaseUrl);
    return new URL(DEFAULT_BASE_URL);
  }

  /**
   * The service with the credentials that `need` calls for.
   * @param rate paces all requests: a rate, or the service's own limit for whoever asks.
   * @throws {CliError} kind `credentials` when they are missing, before any request.
   */
  async service(need: Need, rate?: Rate | 'service'): Promise<Service> {
    if (this.options.anonymous && need !== 'reads') {
      throw usageError('--anonymous is for reading DOIs only', 'leave it out');
    }
    const [baseUrl, profile] = [await this.baseUrl(), await this.profile()];
    const credentials = this.options.anonymous
      ? undefined
      : choose(
          need,
          fromEnvironment(this.host.env, profile.repository, (text) => this.messages.note(text)),
        );
    const [username, password] = basicOf(credentials);
    if (username !== undefined) this.redactor.addCredential(username, password);
    if (credentials?.kind === 'api-key') this.redactor.addSecret(credentials.key);
    if (credentials?.kind === 'repository') this.redactor.addSecret(credentials.password);

    const [{ Http, basicAuthorization }, { Identity }, { Pace, serviceRate }] = await Promise.all([
      import('./api/http.ts'),
      import('./api/identity.ts'),
      import('./api/pace.ts'),
    ]);
    const mailto = this.#mailto(profile.mailto);
    const ownRate = serviceRate({
      authenticated: credentials !== undefined,
      mailto: mailto !== undefined,
      testSystem: baseUrl.href.startsWith(TEST_BASE_URL),
    });
    const pace = rate && new Pace(rate === 'service' ? ownRate : rate, this.host);
    const { now, random, sleep, signal } = this.host;
    const http = new Http({
      baseUrl,
      authorization: username === undefined ? undefined : basicAuthorization(username, password),
      userAgent: mailto === undefined ? `doi-cli/${VERSION}` : `doi-cli/${VERSION} (mailto:${mailto})`,
      ...(pace ? { pace } : {}),
      timeoutMs: this.options.timeout,
      retries: this.options.retries,
      signal,
      now,
      random,
      sleep,
      trace: (line) => this.messages.trace(line),
      onRetry: (reason, delayMs) => this.#retrying(reason, delayMs),
    });
    this.#services.push(http);
    return { http, identity: new Identity(described(credentials)), credentials, pace };
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    await Promise.all(this.#services.map((http) => http.close()));
  }

  #mailto(ofProfile: string | undefined): string | undefined {
    if (this.options.mailto !== undefined) return this.options.mailto;
    return ofProfile && checked('the mailto of the profile', ofProfile, parseMailto);
  }

  #retrying(reason: string, delayMs: number): void {
    const text = `${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s`;
    // Short waits are everyday; somebody who waits long wants to know for what.
    if (delayMs >= 5000 && !this.options.verbose) this.messages.progress(text);
    else this.messages.trace(text);
  }
}

function basicOf(credentials: Credentials | undefined): [string, string] | [undefined, ''] {
  if (credentials === undefined) return [undefined, ''];
  // A key is the user name, with an empty password (specification, section 5).
  return credentials.kind === 'api-key' ? [credentials.key, ''] : [credentials.id, credentials.password];
}

function described(credentials: Credentials | undefined) {
  if (credentials === undefined) return undefined;
  return credentials.kind === 'api-key'
    ? { what: 'the API key', account: undefined }
    : { what: `the credentials of ${credentials.id}`, account: credentials.id };
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
