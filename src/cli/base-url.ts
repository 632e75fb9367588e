import { DEFAULT_BASE_URL, isTestSystem, TEST_BASE_URL } from '../api/service.ts';
import { usageError } from '../errors.ts';
import { normalizeBaseUrl, type Profile } from '../settings/settings.ts';
import { parseBaseUrl, parseFrom } from '../text/parsers.ts';
import type { GlobalOptions, Host } from '../ui/host.ts';

const MDS_URLS: Readonly<Record<string, string>> = {
  [DEFAULT_BASE_URL]: 'https://mds.datacite.org',
  [TEST_BASE_URL]: 'https://mds.test.datacite.org',
};

/** The base URL of an option or the environment. @throws {CliError} where credentials may not go there. */
export function namedBaseUrl({ baseUrl, test }: GlobalOptions, env: Host['env']): URL | undefined {
  if (test && baseUrl !== undefined) throw usageError('--test and --base-url exclude each other');
  if (test) return new URL(TEST_BASE_URL);
  // An empty variable is often a CI variable that does not exist. Production must not be the fallback.
  return baseUrl ?? urlFromEnv(env, 'DOI_CLI_BASE_URL', 'unset it for the production service');
}

/** The base URL of a profile, or else the production service. */
export function baseUrlOfProfile({ 'base-url': setting }: Profile): URL {
  return setting
    ? parseFrom('the base-url of the profile', setting, parseBaseUrl)
    : new URL(DEFAULT_BASE_URL);
}

/** The URL that a variable of the environment names; an empty variable is an error. */
export function urlFromEnv(env: Host['env'], variable: string, hint: string): URL | undefined {
  const text = env[variable];
  if (text === '') throw usageError(`${variable} is set but empty`, hint);
  return text === undefined ? undefined : parseFrom(variable, text, parseBaseUrl);
}

/** The MDS API of the service with this base URL; undefined where it is not known. */
export function mdsUrlFor(baseUrl: URL): URL | undefined {
  const mds = MDS_URLS[normalizeBaseUrl(baseUrl)];
  return mds === undefined ? undefined : new URL(mds);
}

/** The web address at which a DOI of the service with this base URL resolves (service.md, O8). */
export function webAddressOf(baseUrl: URL, doi: string): string {
  const resolver = isTestSystem(baseUrl) ? 'https://handle.test.datacite.org' : 'https://doi.org';
  return `${resolver}/${doi.split('/').map(encodeURIComponent).join('/')}`;
}
