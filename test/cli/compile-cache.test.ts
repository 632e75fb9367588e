import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheDirectory, keepCompiled } from '../../src/cli/compile-cache.ts';
import { lacks } from '../helpers/platform.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

describe('the folder of the compiled program', () => {
  it.each([
    ['linux', { HOME: '/home/ada' }, '/home/ada/.cache/doi-cli'],
    ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: '/scratch/ada' }, '/scratch/ada/doi-cli'],
    ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: 'cache' }, '/home/ada/.cache/doi-cli'],
    ['darwin', { HOME: '/Users/ada' }, '/Users/ada/Library/Caches/doi-cli'],
    [
      'win32',
      { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' },
      'C:\\Users\\ada\\AppData\\Local\\doi-cli\\Cache',
    ],
  ])('is the one of the platform: %s %j', (platform, env, folder) => {
    expect(cacheDirectory(env, platform)).toBe(folder);
  });

  it.each([
    ['linux', {}],
    ['linux', { HOME: '' }],
    ['linux', { HOME: 'relative' }],
    ['darwin', {}],
    ['win32', {}],
  ])('is none where others might write: %s %j', (platform, env) => {
    expect(cacheDirectory(env, platform)).toBeUndefined();
  });
});

describe.skipIf(lacks('permissions', 'links'))('a folder for the compiled program', () => {
  /** The folder that is used, with this home. */
  function usedIn(HOME: string, others: Record<string, string> = {}): string | undefined {
    let used: string | undefined;
    keepCompiled({ HOME, ...others }, 'linux', (directory) => {
      used = directory;
    });
    return used;
  }

  it('is made for its user alone', () => {
    const home = temporaryDirectory();
    expect(usedIn(home)).toBe(join(home, '.cache/doi-cli'));
    expect(statSync(join(home, '.cache/doi-cli')).mode & 0o777).toBe(0o700);
    expect(usedIn(home)).toBe(join(home, '.cache/doi-cli'));
  });

  it('is not used where others can write', () => {
    for (const open of ['.cache/doi-cli', '.cache', '.']) {
      const home = temporaryDirectory();
      mkdirSync(join(home, '.cache/doi-cli'), { recursive: true });
      chmodSync(join(home, open), 0o777);
      expect(usedIn(home)).toBeUndefined();
    }
    const home = temporaryDirectory();
    mkdirSync(join(home, 'open'));
    chmodSync(join(home, 'open'), 0o777);
    symlinkSync('open', join(home, '.cache'));
    expect(usedIn(home)).toBeUndefined();
  });

  it.skipIf(lacks('root'))('is not used where it is of another user, as with sudo', () => {
    for (const foreign of ['.cache/doi-cli', '.cache', '.']) {
      const home = temporaryDirectory();
      mkdirSync(join(home, '.cache/doi-cli'), { recursive: true });
      chownSync(join(home, foreign), 54_321, 54_321);
      expect(usedIn(home)).toBeUndefined();
    }
  });

  it('is the folder of NODE_COMPILE_CACHE where that is set', () => {
    expect(usedIn('/nowhere', { NODE_COMPILE_CACHE: '/elsewhere' })).toBe('/elsewhere');
  });

  it('is none where it cannot be made', () => {
    expect(usedIn('/dev/null')).toBeUndefined();
  });
});
