import { join } from 'node:path';
import { CliError } from '../errors.ts';

/**
 * Where an object goes in a directory: below it, under its key.
 * @throws {CliError} kind `rejected` for a key that leads elsewhere, or is no name for a file.
 */
export function pathFor(dir: string, key: string): string {
  const segments = key.split('/');
  const unsafe = segments.some(
    // Backslashes and colons are separators, drives and streams on Windows.
    (segment) =>
      segment === '' || /^\.{1,2}$|[\\:\p{Cc}\p{Cs}]/u.test(segment) || Buffer.byteLength(segment) > 200,
  );
  if (unsafe) {
    throw new CliError('rejected', `the key '${key}' is no safe name for a file; nothing was downloaded`, {
      hint: 'leave it out with --include',
    });
  }
  return join(dir, ...segments);
}

/**
 * Whether a key is meant by one of several patterns: `*` and `?` stay within a folder, `**` does not. A pattern without
 * a slash is about the file's name alone, and one that ends in a slash about all that is below.
 */
export function matcher(patterns: readonly string[]): (key: string) => boolean {
  const tests = patterns.map((pattern) => {
    const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
    const source = whole.replaceAll(/\*\*\/?|[*?]|[^*?]+/g, (piece) => {
      if (piece === '**/') return '(?:.*/)?';
      if (piece === '**') return '.*';
      if (piece === '*') return '[^/]*';
      return piece === '?' ? '[^/]' : piece.replaceAll(/[\\^$.+()[\]{}|]/g, '\\$&');
    });
    const test = new RegExp(`^${source}$`, 'su');
    return (key: string) => test.test(whole.includes('/') ? key : key.slice(key.lastIndexOf('/') + 1));
  });
  return (key) => tests.length === 0 || tests.some((test) => test(key));
}
