import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
// A namespace import, because Windows has no geteuid to import by name.
import * as system from 'node:process';
import { CliError } from '../errors.ts';

/** A part of a path that another user of this machine can change. */
interface ForeignPart {
  readonly path: string;
  /** The problem, with the path. */
  readonly words: string;
  readonly hint: string;
}

export interface PathPart {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  /** Its target, if it is a link. */
  readonly link?: string;
}

/**
 * The user ids of root: 0, and in a container that does not map root, the overflow id, which owns
 * `/`.
 */
const rootUids = (): readonly number[] => {
  try {
    const isMapped = /^\s*0\s/m.test(readFileSync('/proc/self/uid_map', 'utf8'));
    return isMapped ? [0] : [0, Number(readFileSync('/proc/sys/kernel/overflowuid', 'utf8'))];
  } catch {
    return [0];
  }
};

/** More links than any system follows. */
const MAX_LINKS = 40;
const STICKY = 0o1000;

/**
 * The first part of a path, with links resolved, that users other than this one and root can change
 * or replace. A folder like /tmp, where only owners can replace their files, is fine. On Windows,
 * which has other access rules, users have no id.
 * @param uid,look,roots for tests.
 */
export function foreignPart(
  path: string,
  uid = system.geteuid?.(),
  look: (path: string) => PathPart | undefined = lookAt,
  roots = rootUids(),
): ForeignPart | undefined {
  if (uid === undefined) return undefined;
  const names = namesIn(resolve(path));
  let current = '/';
  for (let links = 0; names.length > 0; ) {
    const next = join(current, names.shift() ?? '');
    const part = look(next);
    if (part === undefined) return undefined;
    if ((part.uid !== uid && !roots.includes(part.uid)) || links > MAX_LINKS) {
      const hint = 'set DOI_CLI_CONFIG_DIR to a folder of your own';
      return { path: next, words: `${next} belongs to another user`, hint };
    }
    if (part.link !== undefined) {
      links += 1;
      names.unshift(...namesIn(part.link));
      current = part.link.startsWith('/') ? '/' : dirname(next);
      continue;
    }
    // A group with the user's own id is private to the user.
    const byGroup = part.mode & 0o020 && part.gid !== 0 && part.gid !== uid;
    if ((byGroup || part.mode & 0o002) && !(part.mode & STICKY)) {
      return { path: next, words: `others can write in ${next}`, hint: `chmod go-w ${next}` };
    }
    current = next;
  }
  return undefined;
}

/**
 * Refuses a path that another user could change or replace. @param consequence the end of the
 * error.
 */
export function requireOwn(path: string, consequence: string): void {
  const foreign = foreignPart(path);
  if (foreign === undefined) return;
  throw new CliError('credentials', `${foreign.words}, so ${consequence}`, { hint: foreign.hint });
}

function lookAt(path: string): PathPart | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const { uid, gid, mode } = stats;
  return { uid, gid, mode, ...(stats.isSymbolicLink() ? { link: readlinkSync(path) } : {}) };
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
