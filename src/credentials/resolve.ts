import { CliError, usageError } from '../errors.ts';
import type { Place } from '../settings/settings.ts';

/** A credential and where it came from. */
export type Credentials =
  | { readonly kind: 'repository'; readonly id: string; readonly password: string; readonly source: Source }
  | { readonly kind: 'api-key'; readonly key: string; readonly source: Source };

type Source = 'environment' | Place;

/** What a command needs: to manage keys, to read DOIs, to write them, to use MDS, or to fetch the data file. */
export type Need = 'keys' | 'reads' | 'writes' | 'mds' | 'datafile';

export interface Available {
  /** The repository account that is meant, by the environment or the profile. */
  readonly account?: string | undefined;
  /** Why there are no repository credentials although some were meant. */
  readonly problem?: CliError;
  readonly repository?: Extract<Credentials, { kind: 'repository' }>;
  readonly apiKey?: Extract<Credentials, { kind: 'api-key' }>;
}

const SET_BOTH = 'set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD to the repository account and its password';
const LOG_IN = 'or store it once: doi-cli auth login';

/**
 * The credentials in the environment. An empty variable counts as unset: that is how CI systems pass a
 * secret that does not exist; `note` is told of it, because the run may then be less than was meant.
 * @throws {CliError} kind `usage` when a value cannot be sent with HTTP Basic.
 */
export function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  repositoryOfProfile: string | undefined,
  note: (text: string) => void,
): Available {
  const read = (name: string) => {
    const value = env[name];
    if (value === '') note(`note: ${name} is set but empty, so it is ignored`);
    return value === '' ? undefined : value;
  };
  const key = read('DOI_CLI_API_KEY');
  const password = read('DOI_CLI_PASSWORD');
  const fromEnv = read('DOI_CLI_REPOSITORY');
  const id = fromEnv ?? (password === undefined ? undefined : repositoryOfProfile);
  const halves = id !== undefined || password !== undefined;
  const problem = halves && (id === undefined || password === undefined) ? incomplete(id) : undefined;
  if (id?.includes(':')) {
    throw usageError('a repository account id cannot contain a colon', 'check DOI_CLI_REPOSITORY');
  }
  if (key?.includes(':')) throw usageError('an API key cannot contain a colon', 'check DOI_CLI_API_KEY');
  const account = fromEnv ?? repositoryOfProfile;
  return {
    ...(account === undefined ? {} : { account }),
    ...(problem === undefined ? {} : { problem }),
    ...(id !== undefined && password !== undefined
      ? { repository: { kind: 'repository', id, password, source: 'environment' } as const }
      : {}),
    ...(key !== undefined ? { apiKey: { kind: 'api-key', key, source: 'environment' } as const } : {}),
  };
}

function incomplete(id: string | undefined): CliError {
  return id === undefined
    ? new CliError('credentials', 'DOI_CLI_PASSWORD is set, but no repository account is', {
        hint: `${SET_BOTH}, ${LOG_IN}`,
      })
    : new CliError('credentials', `no password is set for the repository account ${id}`, {
        hint: `${SET_BOTH}, ${LOG_IN}, or unset it to read anonymously`,
      });
}

const PURPOSES = {
  writes: 'creating or changing DOIs',
  mds: 'the MDS API',
  datafile: 'the monthly data file',
} as const;

/** The best of these credentials for a need: for DOIs the API key goes first. */
export function best(need: Need, { repository, apiKey }: Available): Credentials | undefined {
  return need === 'keys' ? repository : (apiKey ?? repository);
}

/**
 * What it means that there are no credentials: an anonymous read (undefined), or an error. Keys are managed with
 * repository credentials only: an API key cannot create, view or revoke API keys (specification, section 5).
 * @throws {CliError} kind `credentials` when what is needed is missing: no request is sent then.
 */
export function withoutCredentials(need: Need, { problem, apiKey }: Available): undefined {
  // Half of what was meant must not turn into an anonymous read without a word.
  if (problem !== undefined && apiKey === undefined) throw problem;
  if (need === 'keys') {
    throw new CliError(
      'credentials',
      apiKey === undefined
        ? 'managing API keys needs repository credentials, and none are set'
        : 'an API key cannot create, list or revoke API keys: that needs repository credentials',
      { hint: `${SET_BOTH}, ${LOG_IN}` },
    );
  }
  if (need !== 'reads') {
    throw new CliError('credentials', `${PURPOSES[need]} needs credentials, and none are set`, {
      hint: `set DOI_CLI_API_KEY, or ${SET_BOTH}, ${LOG_IN}`,
    });
  }
}
