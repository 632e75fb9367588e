import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * A path with the home directory for `~`, which shells do not expand in `--out=~/file` and in many
 * settings.
 * @throws {Error} for `~name/`, the home directory of another user.
 */
export function expandHome(path: string, home = homedir()): string {
  const [, user, rest = ''] = /^~([^/\\]*)(?:[/\\](.*))?$/s.exec(path) ?? [];
  if (user === undefined) return path;
  if (user === '' && home !== '') return join(home, rest);
  // Without a slash it may be the name of a file: some editors begin theirs with ~.
  if (user !== '' && !/[/\\]/.test(path)) return path;
  throw new Error(`'${path}' begins with ~${user}, which only shells know: write the whole path`);
}
