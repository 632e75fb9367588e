import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { foreignPart } from '../disk/ownership.ts';
import { CliError, errorCode } from '../errors.ts';
import { parseBaseUrl, parseMailto, parsePrefix, parseRepository } from '../text/parsers.ts';
import { withFileLock } from './settings-lock.ts';

/** The settings of one profile. No secret is ever among them. */
export interface Profile {
  readonly 'base-url'?: string;
  readonly repository?: string;
  readonly mailto?: string;
  /** Where new DOIs are made that name no prefix. */
  readonly prefix?: string;
  /** What `base-url` was before a login changed it, '' for nothing; absent where it is the user's own. */
  readonly 'base-url-before-login'?: string;
}

/** The settings that users know of. */
export type SettingName = Exclude<keyof Profile, 'base-url-before-login'>;

/** The settings that exist, each with the check of its value. */
export const SETTINGS: Readonly<Record<SettingName, (text: string) => unknown>> = {
  'base-url': parseBaseUrl,
  repository: parseRepository,
  mailto: parseMailto,
  prefix: parsePrefix,
};

/** The two stores of secrets. */
export type StoreKind = 'keychain' | 'insecure-file';

/** What the settings know of a stored credential; the secret itself is not here. */
export interface StoredCredential {
  /** In the spelling of {@link normalizeBaseUrl}. */
  readonly baseUrl: string;
  readonly kind: 'repository' | 'api-key';
  /** The repository account, as it was typed or as the service named it. */
  readonly account: string;
  /** The store of its secret. */
  readonly place: StoreKind;
  /** The store that may still have an older secret of the same credential. */
  readonly olderIn?: StoreKind;
}

/** All that is in the settings file. */
export interface Settings {
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly stored: readonly StoredCredential[];
}

/** A base URL in the one spelling under which credentials are kept for it. */
export function normalizeBaseUrl(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

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
 * All settings.
 * @throws {CliError} kind `usage` when the file is not valid, kind `credentials` when another user could change what
 *   matters in it.
 */
export async function readSettings(env: Environment): Promise<Settings> {
  // Loading conf takes as long as starting node: not for the many who have no settings.
  if (!existsSync(configFile(env))) return { profiles: {}, stored: [] };
  const { profiles = {}, stored = [] } = openStore(await loadConf(), env).store;
  mustBeOwn(env, { profiles, stored });
  return { profiles, stored };
}

/**
 * Refuses settings that another user could change, where that matters: a base URL decides who gets a password, and what
 * is stored where a secret goes.
 */
function mustBeOwn(env: Environment, { profiles, stored }: Settings): void {
  if (stored.length === 0 && !Object.values(profiles).some((profile) => profile['base-url'])) return;
  const file = configFile(env);
  const foreign = foreignPart(file);
  if (foreign === undefined) return;
  const words = `${foreign.words}, so the settings in ${file} are not used`;
  throw new CliError('credentials', words, { hint: foreign.hint });
}

/**
 * Changes the settings; the file is for its owner only, and so is the folder if it has to be made.
 * @throws {CliError} kind `usage` when the file is not valid, kind `output` when it cannot be written.
 */
export async function changeSettings(
  env: Environment,
  change: (settings: Settings) => Settings,
): Promise<void> {
  const file = configFile(env);
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new Error('it is a link, and links are not followed');
    }
    // conf would make it for everybody to read.
    mkdirSync(configDirectory(env), { recursive: true, mode: 0o700 });
    const Conf = await loadConf();
    await withFileLock(file, () => {
      const store = openStore(Conf, env);
      const { profiles = {}, stored = [] } = store.store;
      const changed = change({ profiles, stored });
      mustBeOwn(env, changed);
      const kept = Object.entries(changed.profiles).filter(([, profile]) => Object.keys(profile).length > 0);
      store.store = { profiles: Object.fromEntries(kept), stored: [...changed.stored] };
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('output', `cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** A profile by its name, which may be that of a member that every object has. */
export function profileOf({ profiles }: Settings, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The settings with some of one profile's changed; undefined removes one. */
export function withProfile(
  settings: Settings,
  name: string,
  changes: { readonly [Name in keyof Profile]?: string | undefined },
): Settings {
  const merged = Object.entries({ ...profileOf(settings, name), ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...settings, profiles: { ...settings.profiles, [name]: Object.fromEntries(merged) } };
}

const loadConf = async () => (await import('conf')).default;

function openStore(Conf: Awaited<ReturnType<typeof loadConf>>, env: Environment) {
  try {
    return new Conf<{ profiles?: Record<string, Profile>; stored?: StoredCredential[] }>({
      cwd: configDirectory(env),
      configName: CONFIG_NAME,
      // No defaults: conf would write them when the settings are only read.
      schema: SCHEMA,
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

const TEXT = { type: 'string' } as const;
const STORE_KIND = { enum: ['keychain', 'insecure-file'] } as const;

const SCHEMA = {
  profiles: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        'base-url': TEXT,
        repository: TEXT,
        mailto: TEXT,
        prefix: TEXT,
        'base-url-before-login': TEXT,
      },
      additionalProperties: false,
    },
  },
  stored: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        baseUrl: TEXT,
        kind: { enum: ['repository', 'api-key'] },
        account: TEXT,
        place: STORE_KIND,
        olderIn: STORE_KIND,
      },
      required: ['baseUrl', 'kind', 'account', 'place'],
      additionalProperties: false,
    },
  },
} as const;
