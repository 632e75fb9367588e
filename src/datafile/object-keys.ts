import { join } from 'node:path';
import { CliError } from '../errors.ts';

/** The lock of a download's directory. */
export const LOCK_NAME = '.doi-cli.lock';

// Our own files in a directory: the lock, the files around it, and partial files. Some file systems
// ignore case.
const RESERVED = /^\.doi-cli\.lock|^\..+\.part$/isu;
// On Windows, backslashes and colons mean separators, drives and streams; dots and blanks at the
// end are ignored.
const UNSAFE = /^$|[. ]$|[\\:\p{Cc}\p{Cs}]/u;

/**
 * The path of an object's file.
 * @throws {CliError} kind `rejected` for a key that leaves the directory, is not a valid file name,
 *   or collides with our own files.
 */
export function pathForKey(dir: string, key: string): string {
  const segments = key.split('/');
  if (
    segments.some(
      (name) => UNSAFE.test(name) || RESERVED.test(name) || Buffer.byteLength(name) > 200,
    )
  ) {
    const message = `the key '${key}' is not a safe file name; nothing was downloaded`;
    throw new CliError('rejected', message, { hint: 'leave it out with --include' });
  }
  return join(dir, ...segments);
}

/**
 * A function that tests whether a key matches any pattern; without patterns, every key does. `*`
 * stands for any characters. A pattern without a slash matches file names; a pattern that ends in a
 * slash matches all files below.
 */
export function keyMatcher(patterns: readonly string[]): (key: string) => boolean {
  const whole = patterns.map((pattern) => (pattern.endsWith('/') ? `${pattern}*` : pattern));
  return (key) =>
    whole.length === 0 ||
    whole.some((pattern) =>
      matches(pattern, pattern.includes('/') ? key : key.slice(key.lastIndexOf('/') + 1)),
    );
}

/**
 * Matches in linear time: a regular expression could try every way to divide the text among the
 * stars.
 */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return text === pattern;
  let at = first.length;
  for (const piece of pieces) {
    const index = text.indexOf(piece, at);
    if (index < 0) return false;
    at = index + piece.length;
  }
  return text.startsWith(first) && text.endsWith(last) && text.length - last.length >= at;
}
