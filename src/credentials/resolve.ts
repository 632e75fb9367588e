import { CliError, usageError } from '../errors.ts';
import { STORES, type StoredCredential, type StoreKind } from '../settings/settings.ts';
import type { Suggest } from '../text/shell-word.ts';
import type { Vault } from './vault.ts';

/** A credential and where it came from. */
export type SourcedCredentials =
  | {
      readonly kind: 'repository';
      readonly id: string;
      readonly password: string;
      readonly source: Source;
    }
  | {
      readonly kind: 'api-key';
      readonly key: string;
      /** The account of a stored key; undefined for a key from the environment. */
      readonly account?: string;
      readonly source: Source;
    };

/** `this-run`: typed or created in this run. */
type Source = 'environment' | 'this-run' | StoreKind;

/**
 * What a command does: manage keys, read or write DOIs, get credentials of the data file, or give
 * credentials to another program.
 */
export type Need = 'keys' | 'reads' | 'writes' | 'datafile' | 'exec';

const PURPOSES: Readonly<Record<Exclude<Need, 'reads'>, string>> = {
  keys: 'managing API keys',
  writes: 'creating or changing DOIs',
  datafile: 'the monthly data file',
  exec: 'a program that gets credentials',
};

type RepositoryCredentials = Extract<SourcedCredentials, { kind: 'repository' }>;
type ApiKeyCredentials = Extract<SourcedCredentials, { kind: 'api-key' }>;

/** The credentials and the account from the environment and the profile. */
export interface Available {
  /** The repository account from the environment, else the profile. */
  readonly account?: string | undefined;
  /** The error if the environment has only half of the repository credentials. */
  readonly problem?: CliError | undefined;
  readonly repository?: RepositoryCredentials | undefined;
  readonly apiKey?: ApiKeyCredentials | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLES = ['DOI_CLI_API_KEY', 'DOI_CLI_PASSWORD', 'DOI_CLI_REPOSITORY'] as const;

const SET_BOTH =
  'set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD to the repository account and its password';

/** Refuses blank variables: CI systems pass a missing secret as an empty variable. */
export function refuseBlank(env: Environment): void {
  const name = VARIABLES.find((variable) => env[variable]?.trim() === '');
  if (name === undefined) return;
  const value = name === 'DOI_CLI_REPOSITORY' ? 'the id' : 'the secret';
  const hint = `set it to ${value}, or unset it: the CI job may lack a secret of this name`;
  throw new CliError('credentials', `${name} is set, but empty`, { hint });
}

/** The credentials in the environment. A value that cannot be sent with HTTP Basic is an error. */
export function fromEnvironment(
  env: Environment,
  repositoryOfProfile: string | undefined,
): Available {
  refuseBlank(env);
  const [key, password, account] = VARIABLES.map((name) => env[name]);
  const id = account ?? (password === undefined ? undefined : repositoryOfProfile);
  if (id?.includes(':')) {
    throw usageError('a repository account id cannot contain a colon', 'check DOI_CLI_REPOSITORY');
  }
  if (key !== undefined && /[\s:${}]/.test(key)) {
    const hint = 'set it to the key alone: a variable of the CI system was perhaps not filled in';
    throw usageError("DOI_CLI_API_KEY is no API key: no key has blanks, ':', '$' or braces", hint);
  }
  const source = 'environment';
  const available: Available = {
    account: account ?? repositoryOfProfile,
    apiKey: key === undefined ? undefined : { kind: 'api-key', key, source },
  };
  if (id !== undefined && password !== undefined) {
    return { ...available, repository: { kind: 'repository', id, password, source } };
  }
  if (id === undefined && password === undefined) return available;
  const half =
    id === undefined
      ? 'DOI_CLI_PASSWORD is set, but no repository account is'
      : `no password is set for the repository account ${id}`;
  return { ...available, problem: new CliError('credentials', half, { hint: SET_BOTH }) };
}

interface CredentialSources {
  readonly available: Available;
  /** Opened only when the environment lacks the needed credentials. */
  readonly vault: () => Promise<Vault>;
  readonly baseUrl: () => Promise<string>;
  /** Reports that a password is used because a stored API key is gone. */
  readonly note: (text: string) => void;
}

/**
 * The credentials for a need: from the environment, else from the vault for this base URL and
 * account; undefined to read anonymously. An API key is preferred, because it suffices for
 * everything but managing keys (service.md, A5).
 */
export async function findCredentials(
  need: Need,
  sources: CredentialSources,
): Promise<SourcedCredentials | undefined> {
  const { repository, apiKey, problem } = sources.available;
  // An API key does not suffice (service.md, K13).
  const needsPassword = need === 'keys';
  const credentials =
    (needsPassword ? undefined : apiKey) ?? repository ?? (await fromVault(needsPassword, sources));
  if (credentials !== undefined) return credentials;
  // Half of a credential must not silently become an anonymous read.
  if (problem !== undefined && apiKey === undefined) throw problem;
  if (need === 'reads') return undefined;
  const needed = needsPassword ? 'repository credentials' : 'credentials';
  const why = apiKey === undefined ? 'and none are set' : 'which an API key cannot replace';
  throw new CliError('credentials', `${PURPOSES[need]} needs ${needed}, ${why}`, {
    hint: apiKey === undefined ? setOrStore(needsPassword) : SET_BOTH,
  });
}

function setOrStore(needsPassword: boolean): string {
  const variables = `${needsPassword ? '' : 'DOI_CLI_API_KEY, or '}DOI_CLI_REPOSITORY and`;
  return `set ${variables} DOI_CLI_PASSWORD, or store them: doi-cli auth login`;
}

async function fromVault(
  needsPassword: boolean,
  { available: { account }, vault: openVault, baseUrl: findBaseUrl, note }: CredentialSources,
): Promise<SourcedCredentials | undefined> {
  if (account === undefined) return undefined;
  const [vault, baseUrl] = [await openVault(), await findBaseUrl()];
  let missing: CliError | undefined;
  for (const kind of needsPassword
    ? (['repository'] as const)
    : (['api-key', 'repository'] as const)) {
    const entry = await vault.find({ baseUrl, kind, account });
    if (entry === undefined) continue;
    const credentials = await readStored(vault, { ...entry, account });
    if (credentials === undefined) {
      // A run was killed before it stored the secret, or another program erased it: try the next
      // kind.
      missing ??= missingSecretError(entry);
      continue;
    }
    if (missing !== undefined) {
      note(`${missing.message}, so its password is used; to store one: ${missing.hint}`);
    }
    return credentials;
  }
  if (missing !== undefined) throw missing;
  return undefined;
}

/** @returns undefined when no store has the secret any more. */
export async function readStored(
  vault: Vault,
  entry: StoredCredential,
): Promise<SourcedCredentials | undefined> {
  const stored = await vault.lookUp(entry);
  if (stored === undefined) return undefined;
  const { kind, account } = entry;
  const { secret, store: source } = stored;
  return kind === 'api-key'
    ? { kind, key: secret, account, source }
    : { kind, id: account, password: secret, source };
}

/** The error for a credential that the settings list but no store contains. */
export function missingSecretError({ kind, account, place }: StoredCredential): CliError {
  const isPassword = kind === 'repository';
  const what = isPassword ? 'password' : 'API key';
  const message = `${STORES[place].label} no longer has the ${what} of ${account}`;
  const hint = `doi-cli auth login --repository ${account}${isPassword ? '' : ' --api-key-stdin'}`;
  return new CliError('credentials', message, { hint });
}

/** The origin of a credential in messages; undefined if it was typed or created in this run. */
export function sourceText({ kind, source }: SourcedCredentials): string | undefined {
  if (source === 'this-run') return undefined;
  if (source !== 'environment') return STORES[source].label;
  return kind === 'repository' ? 'DOI_CLI_PASSWORD' : 'DOI_CLI_API_KEY';
}

/** The hint for a refused credential; undefined if it was typed or created in this run. */
export function repairOf(credentials: SourcedCredentials, suggest: Suggest): string | undefined {
  const { kind, source } = credentials;
  if (source === 'this-run') return undefined;
  if (source === 'environment') {
    return kind === 'repository'
      ? 'correct DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD'
      : 'set DOI_CLI_API_KEY to an active key, or unset it';
  }
  const { loginOptions } = STORES[source];
  if (kind === 'repository')
    return suggest('auth', 'login', '--repository', credentials.id, ...loginOptions);
  const of = credentials.account === undefined ? [] : ['--repository', credentials.account];
  return suggest('auth', 'login', '--api-key-stdin', ...of, ...loginOptions);
}
