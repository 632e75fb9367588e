import { storeText } from '../settings/settings.ts';
import { shownPrefix } from '../text/parsers.ts';
import type { Credentials } from './resolve.ts';

/** A credential in messages: its kind, account and source, and the service that it is for. Never the secret. */
export function describeCredentials(credentials: Credentials, baseUrl: string): string {
  if (credentials.kind === 'repository') {
    return `the credentials of ${credentials.id} (password${from(credentials, 'DOI_CLI_PASSWORD')}, for ${baseUrl})`;
  }
  const { key, account } = credentials;
  const prefix = shownPrefix(key);
  const whose = account === undefined ? '' : `of ${account}, `;
  const source = from(credentials, 'DOI_CLI_API_KEY').trimStart();
  return `the API key${prefix === null ? '' : ` ${prefix}`} (${whose}${source === '' ? '' : `${source}, `}for ${baseUrl})`;
}

function from({ source }: Credentials, variable: string): string {
  switch (source) {
    case 'environment':
      return ` from ${variable}`;
    case 'given':
      return '';
    default:
      return ` from ${storeText(source)}`;
  }
}

/**
 * What repairs a credential that the service refuses; undefined for one that was just typed.
 * @param suggest writes a command for the same service and profile.
 */
export function repairOf(
  credentials: Credentials,
  suggest: (...words: readonly string[]) => string,
): string | undefined {
  const { source } = credentials;
  if (source === 'given') return undefined;
  const file = source === 'insecure-file' ? ['--insecure-file'] : [];
  if (credentials.kind === 'repository') {
    return source === 'environment'
      ? 'correct DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD'
      : suggest('auth', 'login', '--repository', credentials.id, ...file);
  }
  if (source === 'environment') {
    return `set DOI_CLI_API_KEY to an active key, or unset it; the active ones: ${suggest('keys', 'list')}`;
  }
  const of = credentials.account === undefined ? [] : ['--repository', credentials.account];
  const login = suggest('auth', 'login', '--api-key-stdin', ...of, ...file);
  return `${suggest('auth', 'logout', '--api-key', ...of)} erases this key; ${login} stores another`;
}
