import { mkdirSync } from 'node:fs';
import module from 'node:module';
import { foreignPart } from '../disk/ownership.ts';

type Environment = Readonly<Record<string, string | undefined>>;

// Node has it from 22.1 on.
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown };

/**
 * Lets Node keep the compiled program in the user's folder for caches, so that later starts are faster. Node's own
 * place for it, the folder for temporary files, is not safe: another user could put code there first.
 * @param enable for tests.
 */
export function keepCompiled(env: Environment, platform: string, enable = enableCompileCache): void {
  if (enable === undefined) return;
  const own = cacheDirectory(env, platform);
  const directory = env['NODE_COMPILE_CACHE'] || (own !== undefined && isSafe(own) ? own : undefined);
  if (directory !== undefined) enable(directory);
}

/**
 * Whether nobody else can put code into a folder, which it makes where there is none. With `sudo`, the home may be
 * that of another user.
 */
function isSafe(folder: string): boolean {
  try {
    if (foreignPart(folder) !== undefined) return false;
    // Node makes folders in it, with the rights that the umask leaves.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

/** The folder for files that may be removed at any time; undefined for a user without a home. */
export function cacheDirectory(env: Environment, platform: string): string | undefined {
  // By the XDG Base Directory Specification, a relative path counts as none.
  const xdg = isAbsolute(env['XDG_CACHE_HOME']) ? env['XDG_CACHE_HOME'] : undefined;
  if (platform === 'win32') return below(env['LOCALAPPDATA'], 'doi-cli\\Cache');
  if (platform === 'darwin') return below(env['HOME'], 'Library/Caches/doi-cli');
  return below(xdg, 'doi-cli') ?? below(env['HOME'], '.cache/doi-cli');
}

function below(folder: string | undefined, name: string): string | undefined {
  return isAbsolute(folder) ? `${folder}${name.includes('\\') ? '\\' : '/'}${name}` : undefined;
}

/** An empty or relative path would mean the working directory, where anybody may have put files. */
function isAbsolute(path: string | undefined): path is string {
  return path !== undefined && /^(\/|[A-Za-z]:\\|\\\\)/.test(path);
}
