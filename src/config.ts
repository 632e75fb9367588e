import { existsSync } from 'node:fs';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { CliError, errorCode } from './errors.ts';
import { parseBaseUrl, parseMailto, parseRepository } from './values.ts';

/** The settings of one profile. No secret is ever among them. */
export interface Profile {
  readonly 'base-url'?: string;
  readonly repository?: string;
  readonly mailto?: string;
}

export type SettingName = keyof Profile;

/** The settings that exist, each with the check of its value. */
export const SETTINGS: Readonly<Record<SettingName, (text: string) => unknown>> = {
  'base-url': parseBaseUrl,
  repository: parseRepository,
  mailto: parseMailto,
};

type Environment = Readonly<Record<string, string | undefined>>;

const CONFIG_NAME = 'config';

/** The folder of the settings: `DOI_CLI_CONFIG_DIR`, else the platform's own place. */
export function configDirectory(env: Environment): string {
  return env['DOI_CLI_CONFIG_DIR'] || envPaths('doi-cli', { suffix: '' }).config;
}

/** The settings file, whether or not it exists yet. */
export function configFile(env: Environment): string {
  return join(configDirectory(env), `${CONFIG_NAME}.json`);
}

/**
 * All profiles by name.
 * @throws {CliError} kind `usage` when the file is not valid.
 */
export async function readProfiles(env: Environment): Promise<Readonly<Record<string, Profile>>> {
  // Loading conf takes as long as starting node: not for the many who have no settings.
  if (!existsSync(configFile(env))) return {};
  return (await openStore(env)).store.profiles ?? {};
}

/**
 * Changes one setting of a profile; `undefined` removes it.
 * @throws {CliError} kind `usage` when the file is not valid, kind `output` when it cannot be written.
 */
export async function writeSetting(
  env: Environment,
  profile: string,
  name: SettingName,
  value: string | undefined,
): Promise<void> {
  const store = await openStore(env);
  const profiles = { ...store.store.profiles };
  const { [name]: _, ...others } = profiles[profile] ?? {};
  const changed: Profile = value === undefined ? others : { ...others, [name]: value };
  if (Object.keys(changed).length > 0) profiles[profile] = changed;
  else delete profiles[profile];
  try {
    store.set('profiles', profiles);
  } catch (error) {
    throw new CliError('output', `cannot write ${configFile(env)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function openStore(env: Environment) {
  const { default: Conf } = await import('conf');
  try {
    return new Conf<{ profiles?: Record<string, Profile> }>({
      cwd: configDirectory(env),
      configName: CONFIG_NAME,
      schema: {
        profiles: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: {
              'base-url': { type: 'string' },
              repository: { type: 'string' },
              mailto: { type: 'string' },
            },
            additionalProperties: false,
          },
        },
      },
      configFileMode: 0o600,
      // Dots in profile names are not paths.
      accessPropertiesByDotNotation: false,
    });
  } catch (error) {
    if (/^(EACCES|EPERM|EROFS)$/.test(errorCode(error) ?? '')) {
      throw new CliError('output', `cannot open ${configFile(env)}: ${(error as Error).message}`, {
        cause: error,
      });
    }
    throw new CliError(
      'usage',
      `the settings in ${configFile(env)} are not valid: ${(error as Error).message}`,
      {
        hint: 'correct the file or remove it',
        cause: error,
      },
    );
  }
}
