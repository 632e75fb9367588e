import { homedir, platform } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { usageError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder of the settings: `DOI_CLI_CONFIG_DIR`, or else the platform's usual folder.
 * @throws {CliError} kind `usage` when there is neither, as for a user without a name in a container.
 */
export function configDirectory(env: Environment): string {
  const directory = knownConfigDirectory(env);
  if (directory !== undefined) return directory;
  throw usageError(
    'this user has no home directory, and so no folder for settings',
    'set DOI_CLI_CONFIG_DIR to a folder of this user',
  );
}

/** As {@link configDirectory}; undefined when there is none, and so nothing is stored. */
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
    // An empty HOME would mean the working directory, whose settings anybody may have written.
    return isAbsolute(home) ? join(home, ...names) : undefined;
  } catch {
    // Node throws for a user without a name and HOME.
    return undefined;
  }
}
