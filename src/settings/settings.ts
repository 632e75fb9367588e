import { lstatSync, statSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../disk/folders.ts';
import type { LockingHost } from '../disk/lock/lock.ts';
import { requireOwn } from '../disk/ownership.ts';
import { requireRegularFile } from '../disk/regular-file.ts';
import { systemReason } from '../disk/system-error.ts';
import { CliError, errorCode, usageError } from '../errors.ts';
import { parsePrefix } from '../text/doi.ts';
import { parseMailto, parseRepository } from '../text/parsers.ts';
import { parseApiUrl } from '../text/url.ts';
import {
  loadConf,
  type Profile,
  type SettingsFile,
  STORES,
  type StoredCredential,
  type StoreKind,
} from './conf.ts';

export { type Profile, STORES, type StoredCredential, type StoreKind };

/** The settings that users can see. */
export type SettingName = Exclude<keyof Profile, 'base-url-before-login'>;

/** Each setting with the parser that checks its value. */
export const SETTINGS: Readonly<Record<SettingName, (text: string) => unknown>> = {
  'base-url': parseApiUrl,
  repository: parseRepository,
  mailto: parseMailto,
  prefix: parsePrefix,
};

export interface Settings {
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly stored: readonly StoredCredential[];
}

/** A base URL as it is stored with credentials: without a slash at the end. */
export function normalizeBaseUrl(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the settings. A user without a name, as in containers, must choose one. */
export function configDirectory(env: Environment): string {
  const directory = knownConfigDirectory(env);
  if (directory !== undefined) return directory;
  throw usageError(
    'this user has no home directory for settings',
    'set DOI_CLI_CONFIG_DIR to a folder',
  );
}

/** As {@link configDirectory}; undefined if there is none, so that nothing can be stored. */
export function knownConfigDirectory(env: Environment): string | undefined {
  if (env['DOI_CLI_CONFIG_DIR']) return env['DOI_CLI_CONFIG_DIR'];
  switch (platform()) {
    case 'win32': {
      const roaming = env['APPDATA'] || inHome('AppData', 'Roaming');
      return roaming && join(roaming, 'doi-cli', 'Config');
    }
    case 'darwin':
      return inHome('Library', 'Preferences', 'doi-cli');
    default: {
      const base = env['XDG_CONFIG_HOME'] || inHome('.config');
      return base && join(base, 'doi-cli');
    }
  }
}

function inHome(...names: readonly string[]): string | undefined {
  try {
    const home = homedir();
    // An empty HOME would mean the working directory, where another user may have put settings.
    return isAbsolute(home) ? join(home, ...names) : undefined;
  } catch {
    // Node throws for a user without a name and HOME.
    return undefined;
  }
}

/** The settings file, whether or not it exists yet. */
export function configFile(env: Environment): string {
  return join(configDirectory(env), 'config.json');
}

/** All settings. @throws {CliError} when another user could change a base URL or a credential. */
export async function readSettings(env: Environment): Promise<Settings> {
  // conf would create the folder.
  const exists =
    knownConfigDirectory(env) !== undefined && (await lstat(configFile(env)).catch(() => false));
  if (!exists) return { profiles: {}, stored: [] };
  const { profiles = {}, stored = [] } = await withConf(env, ({ path, store }) => {
    // conf would treat a dangling link as missing settings.
    statSync(path);
    return store;
  });
  requireOwnSettings(env, { profiles, stored });
  return { profiles, stored };
}

/**
 * Refuses settings that another user could change, if they decide where passwords and keys are
 * sent.
 */
function requireOwnSettings(env: Environment, { profiles, stored }: Settings): void {
  if (stored.length === 0 && !Object.values(profiles).some((profile) => profile['base-url']))
    return;
  const file = configFile(env);
  requireOwn(file, `the settings in ${file} are not used`);
}

/** The environment, and what the lock on the settings needs. */
export interface SettingsHost extends LockingHost {
  readonly env: Environment;
}

/** Changes the settings. Only the owner can read the file, and a folder created here. */
export async function changeSettings(
  host: SettingsHost,
  change: (settings: Settings) => Settings,
): Promise<void> {
  const { env } = host;
  const file = configFile(env);
  try {
    // conf would create a folder that all users can read.
    await makeFolder(configDirectory(env), 0o700);
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new Error('it is a link, and links are not followed');
    }
    // Most commands change no settings.
    const { withFileLock } = await import('../disk/lock/lock.ts');
    await withFileLock(host, file, async () => {
      const [conf, store] = await withConf(env, (conf) => [conf, conf.store] as const);
      const { profiles = {}, stored = [] } = store;
      const changed = change({ profiles, stored });
      requireOwnSettings(env, changed);
      const kept = Object.entries(changed.profiles).filter(
        ([, profile]) => Object.keys(profile).length > 0,
      );
      // Keep members that only a newer version knows.
      conf.store = { ...store, profiles: Object.fromEntries(kept), stored: [...changed.stored] };
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    // A file that is mounted by itself, as containers do, cannot be replaced.
    const isMounted = /^(EBUSY|EXDEV)$/.test(errorCode(error) ?? '');
    const hint = isMounted
      ? `mount the folder ${configDirectory(env)} instead of the file`
      : undefined;
    const message = `cannot write ${file}: ${systemReason(error)}`;
    throw new CliError('output', message, { hint, cause: error });
  }
}

/** A profile by name; safe for names such as `constructor`. */
export function profileOf({ profiles }: Settings, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The settings with changes to one profile; undefined removes a setting. */
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

async function withConf<T>(env: Environment, read: (conf: SettingsFile) => T): Promise<T> {
  const file = configFile(env);
  const open = await loadConf(configDirectory(env));
  try {
    // conf would wait forever for the writer of a FIFO.
    requireRegularFile(file);
    return read(open());
  } catch (error) {
    // The parser's message quotes the file.
    const reason = error instanceof SyntaxError ? 'the file is not JSON' : systemReason(error);
    if (/^(EACCES|EPERM|EROFS)$/.test(errorCode(error) ?? '')) {
      throw new CliError('output', `cannot open ${file}: ${reason}`, { cause: error });
    }
    throw new CliError('usage', `the settings in ${file} are not valid: ${reason}`, {
      hint: 'correct the file',
      cause: error,
    });
  }
}
