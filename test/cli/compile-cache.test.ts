import { describe, expect, it } from 'vitest';
import { cacheDirectory } from '../../src/cli/compile-cache.ts';

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
