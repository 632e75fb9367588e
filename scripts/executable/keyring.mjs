// Stands for @napi-rs/keyring in the single executable. The system loads a library only from a file, so this keeps one
// in the user's folder for caches, where Node keeps the compiled program, too.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { cacheDirectory } from '../../src/cli/compile-cache.ts';
import { foreignPart } from '../../src/disk/ownership.ts';

const library = { exports: {} };
process.dlopen(library, libraryFile(Buffer.from(getRawAsset('keyring.node'))));
export const { Entry } = library.exports;

/**
 * @param {Buffer} bytes
 * @throws {Error} where another user could put a library of theirs in its place
 */
function libraryFile(bytes) {
  const folder = cacheDirectory(process.env, process.platform);
  if (folder === undefined) throw new Error('there is no folder for caches');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const foreign = foreignPart(folder);
  if (foreign !== undefined) throw new Error(foreign.words);
  const path = join(folder, `keyring-${createHash('sha256').update(bytes).digest('hex')}.node`);
  if (isThere(path, bytes)) return path;
  const part = `${path}.${process.pid}.part`;
  try {
    writeFileSync(part, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
  return path;
}

/**
 * @param {string} path
 * @param {Buffer} bytes
 */
function isThere(path, bytes) {
  try {
    return readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}
