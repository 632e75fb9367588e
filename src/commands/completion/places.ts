import { existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { usageError } from '../../errors.ts';
import { quoted } from '../../text/shell-word.ts';
import type { Shell } from './shells.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The end of a line that `completion install` adds, by which `uninstall` knows it. */
export const MARK = ' # doi-cli completion';

/** Where a shell finds its script. */
interface Place {
  readonly file: string;
  /** A line that the shell reads when it starts, where it would not look for the file by itself. */
  readonly startup: { readonly file: string; readonly line: string } | undefined;
}

/** Where bash-completion 2 is, which loads scripts from the user's folder by itself. */
const BASH_COMPLETION = ['/usr/share', '/usr/local/share', '/opt/homebrew/share', '/opt/local/share'].map(
  (share) => join(share, 'bash-completion', 'bash_completion'),
);

/** @throws {CliError} kind `usage` when the user has no home directory. */
export function placeOf(shell: Shell, env: Environment): Place {
  const home = env['HOME'] || homedir();
  if (!isAbsolute(home)) throw usageError('this user has no home directory', `doi-cli completion ${shell}`);
  const data = env['XDG_DATA_HOME'] || join(home, '.local', 'share');
  switch (shell) {
    case 'fish': {
      const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
      return { file: join(config, 'fish', 'completions', 'doi-cli.fish'), startup: undefined };
    }
    case 'bash': {
      const own = env['BASH_COMPLETION_USER_DIR']?.split(':')[0] || join(data, 'bash-completion');
      const file = join(own, 'completions', 'doi-cli');
      const line = `${sourced(file)}${MARK}`;
      // Terminals of macOS start login shells, which read no .bashrc.
      const startup = join(home, platform() === 'darwin' ? '.bash_profile' : '.bashrc');
      const isLoaded = BASH_COMPLETION.some((path) => existsSync(path));
      return { file, startup: isLoaded ? undefined : { file: startup, line } };
    }
    case 'zsh': {
      const file = join(data, 'zsh', 'site-functions', '_doi-cli');
      // The script needs the completion system, which not every .zshrc starts.
      const line = `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }; ${sourced(file)}${MARK}`;
      return { file, startup: { file: join(env['ZDOTDIR'] || home, '.zshrc'), line } };
    }
  }
}

/** Reads a script if it is there. @throws {CliError} kind `usage` for a path that would be several lines. */
function sourced(path: string): string {
  if (/\p{Cc}/u.test(path)) throw usageError('the path of the home directory has control characters');
  const word = quoted(path);
  return `[ ! -r ${word} ] || source ${word}`;
}
