import { accessSync, constants, mkdtempSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { directoryOfFile } from '../helpers/temporary.ts';

/**
 * What every shell line may call: the utilities of POSIX, and those of GNU that the documents use.
 */
const UTILITIES = [
  ...'awk basename bash cat chmod cmp comm cp cut date dd diff dirname'.split(' '),
  ...'echo env expr false find grep gzip head id kill ln ls mkdir mkfifo'.split(' '),
  ...'mktemp mv nohup od printf ps pwd readlink rm rmdir sed seq sh sha256sum'.split(' '),
  ...'sleep sort split stat stty tail tee test timeout touch tr true tty'.split(' '),
  ...['uname', 'uniq', 'wc', 'xargs', 'zcat'],
];

const known = new Map<string, string>();

/**
 * A folder with links to Node.js, the utilities and the named programs of this machine, for `PATH`.
 * A line that is run with it reaches no other program of the machine, so that a stand-in cannot be
 * missed.
 *
 * @param names further programs, which a test skips itself without
 */
export function toolbox(...names: readonly string[]): string {
  const key = [directoryOfFile(), ...names].join(' ');
  const made = known.get(key);
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(directoryOfFile(), 'tools-'));
  symlinkSync(process.execPath, join(folder, 'node'));
  for (const name of [...UTILITIES, ...names]) {
    const file = findProgram(name);
    if (file !== undefined) symlinkSync(file, join(folder, name));
  }
  known.set(key, folder);
  return folder;
}

function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
