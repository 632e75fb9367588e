import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheDirectory, libraryFile } from '../../scripts/executable/library-file.mjs';
import { temporaryDirectory } from '../../test/helpers/temporary.ts';

const BYTES = Buffer.from('the library');
const inUse = Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' });

/** As Windows fails while another process uses the file that it has put there. */
const failingWith = (content: Buffer | string) => (_: string, path: string) => {
  fs.writeFileSync(path, content);
  throw inUse;
};

it('takes the library that another process has put there at the same time', () => {
  const folder = join(temporaryDirectory(), 'cache');
  const path = libraryFile(folder, BYTES, failingWith(BYTES));
  expect(fs.readFileSync(path)).toEqual(BYTES);
  expect(fs.readdirSync(folder)).toHaveLength(1);
});

it('takes no other file in its place, and leaves none of its own', () => {
  const folder = temporaryDirectory();
  expect(() => libraryFile(folder, BYTES, failingWith('something else'))).toThrow(inUse);
  expect(fs.readdirSync(folder)).toEqual([expect.stringMatching(/^keyring-[0-9a-f]{64}\.node$/)]);
});

it.each([
  ['linux', { HOME: '/home/ada' }, '/home/ada/.cache/doi-cli'],
  ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: '/scratch/ada' }, '/scratch/ada/doi-cli'],
  ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: 'cache' }, '/home/ada/.cache/doi-cli'],
  ['darwin', { HOME: '/Users/ada' }, '/Users/ada/Library/Caches/doi-cli'],
  ['win32', { LOCALAPPDATA: 'C:\\Users\\ada' }, 'C:\\Users\\ada\\doi-cli\\Cache'],
  ['linux', {}, undefined],
  ['linux', { HOME: 'relative' }, undefined],
  ['darwin', {}, undefined],
  ['win32', {}, undefined],
])('keeps it in the folder for caches of the platform: %s %j', (platform, env, folder) => {
  expect(cacheDirectory(env, platform)).toBe(folder);
});

it('keeps libraries of several versions apart', () => {
  const folder = temporaryDirectory();
  const paths = [libraryFile(folder, BYTES), libraryFile(folder, Buffer.from('the next one'))];
  expect(paths.map((path) => fs.readFileSync(path, 'utf8'))).toEqual([
    'the library',
    'the next one',
  ]);
  expect(libraryFile(folder, BYTES)).toBe(paths[0]);
});
