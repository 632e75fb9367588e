import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { foreignPart } from '../../src/disk/ownership.ts';

/**
 * The folder for files that may be removed at any time.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} platform
 * @returns {string | undefined} undefined if the user has no folder: a relative path means the
 * working directory, where other users may have put files
 */
export function cacheDirectory(env, platform) {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  const below = (/** @type {string | undefined} */ folder, /** @type {string} */ name) =>
    folder !== undefined && isAbsolute(folder) ? join(folder, name) : undefined;
  if (platform === 'win32') return below(env.LOCALAPPDATA, 'doi-cli\\Cache');
  if (platform === 'darwin') return below(env.HOME, 'Library/Caches/doi-cli');
  return below(env.XDG_CACHE_HOME, 'doi-cli') ?? below(env.HOME, '.cache/doi-cli');
}

/**
 * Keeps a library as a file: the system loads it only from one.
 *
 * @param {string} folder is created if it is missing
 * @param {Buffer} bytes
 * @param {(from: string, to: string) => void} [rename]
 * @returns {string} its path, which is another one for other bytes
 * @throws {Error} where another user could put a library of theirs in its place
 */
export function libraryFile(folder, bytes, rename = renameSync) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const foreign = foreignPart(folder);
  if (foreign !== undefined) throw new Error(foreign.words);
  const path = join(folder, `keyring-${createHash('sha256').update(bytes).digest('hex')}.node`);
  const isThere = () => existsSync(path) && readFileSync(path).equals(bytes);
  if (isThere()) return path;
  // Several processes may do this at once; in several containers, they may have the same id.
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, bytes, { mode: 0o600, flag: 'wx' });
    rename(part, path);
  } catch (error) {
    // Windows replaces no library that is in use: another process was faster.
    if (!isThere()) throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return path;
}
