import { join } from 'node:path';
import { CliError } from '../errors.ts';

/** The lock of a download's directory. */
export const LOCK_NAME = '.doi-cli.lock';

// Our own files in a directory: its lock with what surrounds it, and partial files. Some file systems take
// upper and lower case for the same.
const OWN = /^\.doi-cli\.lock|^\..+\.part$/isu;

/**
 * The path of an object's file: the key below a directory.
 * @throws {CliError} kind `rejected` for a key that leads out of the directory, cannot name a file, or names
 *   one of our own.
 */
export function pathForKey(dir: string, key: string): string {
  const segments = key.split('/');
  const unsafe = segments.some(
    // On Windows, backslashes and colons mean separators, drives and streams; dots and blanks at the end count
    // for nothing.
    (segment) =>
      segment === '' ||
      /^\.{1,2}$|[. ]$|[\\:\p{Cc}\p{Cs}]/u.test(segment) ||
      OWN.test(segment) ||
      Buffer.byteLength(segment) > 200,
  );
  if (unsafe) {
    throw new CliError('rejected', `the key '${key}' is not a safe file name; nothing was downloaded`, {
      hint: 'leave it out with --include',
    });
  }
  return join(dir, ...segments);
}

/**
 * A test whether a key matches one of several glob patterns, or any key if there are none. `*` and `?` stay
 * within a folder, `**` does not. A pattern without a slash matches file names; one that ends in a slash
 * matches all files below.
 */
export function keyMatcher(patterns: readonly string[]): (key: string) => boolean {
  const tests = patterns.map((pattern) => {
    const glob = pattern.endsWith('/') ? `${pattern}**` : pattern;
    const test = globTest(glob);
    return (key: string) => test(glob.includes('/') ? key : key.slice(key.lastIndexOf('/') + 1));
  });
  return (key) => tests.length === 0 || tests.some((test) => test(key));
}

/** Begins `**` and a slash, which may be left out together. */
const OPTIONAL = '(**/)';
const OPTIONAL_STEPS = 3;

/**
 * A test of a whole text against a glob pattern, in time in proportion to the length of both: a regular
 * expression of several stars may try every way to divide a long key among them.
 */
function globTest(glob: string): (text: string) => boolean {
  const steps = [...glob.matchAll(/\*\*\/?|./gsu)].flatMap(([piece]) =>
    piece === '**/' ? [OPTIONAL, '**', '/'] : [piece],
  );
  return (text) => {
    // The steps that may come next.
    let open = opened(steps, [0]);
    for (const character of text) {
      const next: number[] = [];
      for (const at of open) {
        const step = steps[at];
        if (step === '**' || (step === '*' && character !== '/')) next.push(at);
        else if (step === character || (step === '?' && character !== '/')) next.push(at + 1);
      }
      open = opened(steps, next);
    }
    return open.has(steps.length);
  };
}

/** These steps, and those that may come next because the ones before match nothing. */
function opened(steps: readonly string[], first: readonly number[]): ReadonlySet<number> {
  const open = new Set(first);
  for (const at of open) {
    const step = steps[at];
    if (step === '*' || step === '**' || step === OPTIONAL) open.add(at + 1);
    if (step === OPTIONAL) open.add(at + OPTIONAL_STEPS);
  }
  return open;
}
