import { usageError } from '../errors.ts';
import { configDirectory, type Profile, profileOf, readSettings } from '../settings/settings.ts';
import type { GlobalOptions, Host } from './host.ts';

/** The name of the profile in use. */
export function profileName({ profile }: GlobalOptions, env: Host['env']): string {
  return profile ?? (env['DOI_CLI_PROFILE'] || 'default');
}

/**
 * The settings of a profile.
 * @param options.mayBeNew accepts a profile that does not exist yet.
 * @throws {CliError} kind `usage` when there is no such profile. The default profile always exists.
 */
export async function readProfile(
  env: Host['env'],
  name: string,
  options: { readonly mayBeNew?: boolean },
): Promise<Profile> {
  const profile = profileOf(await readSettings(env), name);
  if (profile === undefined && name !== 'default' && !options.mayBeNew) {
    throw usageError(
      `there is no profile '${name}' in ${configDirectory(env)}`,
      `doi-cli auth login --profile ${name}`,
    );
  }
  return profile ?? {};
}

/**
 * Checks a value from a profile or from the environment as the option of the same name is checked.
 * @throws {CliError} kind `usage`, whose message names the source.
 */
export function parseFrom<T>(source: string, value: string, parse: (text: string) => T): T {
  try {
    return parse(value);
  } catch (error) {
    throw usageError(`${source}: ${(error as Error).message}`);
  }
}
