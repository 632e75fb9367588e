import { describe, expect, it } from 'vitest';
import { foreignPart, type PathPart } from '../../src/disk/ownership.ts';
import { lacks } from '../helpers/platform.ts';

const ME = 1000;
const OTHER = 1001;
const dir = (uid: number, mode = 0o755, gid = uid): PathPart => ({ uid, gid, mode });
const link = (uid: number, to: string): PathPart => ({ uid, gid: uid, mode: 0o777, link: to });

const HOME = { '/home': dir(0), '/home/me': dir(ME, 0o700) };
const FILE = '/home/me/.config/doi-cli/config.json';

/** The part of FILE that another user can change, in a file system of these parts. */
const foreign = (parts: Record<string, PathPart>, path = FILE) =>
  foreignPart(path, ME, (part) => ({ ...HOME, ...parts })[part])?.path;

describe.skipIf(lacks('permissions'))('a path is another user’s to change', () => {
  it('not where everything is one’s own or root’s', () => {
    expect(foreign({ '/home/me/.config': dir(ME), [FILE]: dir(ME, 0o600) })).toBeUndefined();
    expect(foreign({})).toBeUndefined();
  });
  it('not for a link of one’s own, absolute or relative, as programs for dotfiles make them', () => {
    const dotfiles = { '/home/me/dotfiles': dir(ME), '/home/me/dotfiles/config': dir(ME, 0o775) };
    for (const to of ['/home/me/dotfiles/config', 'dotfiles/config', '../me/./dotfiles/config/']) {
      expect(foreign({ ...dotfiles, '/home/me/.config': link(ME, to) })).toBeUndefined();
    }
  });
  it('where a link leads to somebody else’s folder, or is theirs', () => {
    const theirs = { '/srv': dir(0), '/srv/x': dir(OTHER) };
    expect(foreign({ ...theirs, '/home/me/.config': link(ME, '/srv/x') })).toBe('/srv/x');
    const planted = { '/tmp': dir(0, 0o1777), '/tmp/doi-cli': link(OTHER, '/home/me/.config') };
    expect(foreign({ ...planted, '/home/me/.config': dir(ME) }, '/tmp/doi-cli/config.json')).toBe(
      '/tmp/doi-cli',
    );
  });
  it('where others can write, but for a folder like /tmp', () => {
    expect(foreign({ '/home/me/.config': dir(ME, 0o777) })).toBe('/home/me/.config');
    expect(foreign({ '/home/me/.config': dir(ME, 0o775, 50) })).toBe('/home/me/.config');
    // The group of a single user.
    expect(foreign({ '/home/me/.config': dir(ME, 0o775) })).toBeUndefined();
    const tmp = { '/tmp': dir(0, 0o1777), '/tmp/x': dir(ME, 0o700) };
    expect(foreign(tmp, '/tmp/x/config.json')).toBeUndefined();
    expect(foreign({ ...tmp, '/tmp/y': dir(OTHER) }, '/tmp/y/config.json')).toBe('/tmp/y');
  });
  it('not where a container maps this user only, and another number stands for root', () => {
    const unmapped = 65_534;
    const parts: Record<string, PathPart> = {
      ...HOME,
      '/home': dir(unmapped),
      [FILE]: dir(ME, 0o600),
    };
    const look = (part: string) => parts[part];
    expect(foreignPart(FILE, ME, look, [0, unmapped])).toBeUndefined();
    expect(foreignPart(FILE, ME, look, [0])?.path).toBe('/home');
    parts['/home'] = dir(unmapped, 0o777);
    expect(foreignPart(FILE, ME, look, [0, unmapped])?.path).toBe('/home');
  });
  it('where links go round in circles', () => {
    expect(foreign({ '/home/me/.config': link(ME, '.config') })).toBe('/home/me/.config');
  });
});
