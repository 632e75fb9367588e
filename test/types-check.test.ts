import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { temporaryDirectory } from './helpers/temporary.ts';

const TYPES = { types: './index.d.ts', default: './index.js' };

/** What the release says about the types of a package with these files. */
function check(manifest: object, files: Readonly<Record<string, string>>) {
  const folder = temporaryDirectory();
  const whole = { name: 'a-library', version: '1.0.0', type: 'module', ...manifest };
  for (const [name, text] of Object.entries({ ...files, 'package.json': JSON.stringify(whole) })) {
    writeFileSync(join(folder, name), text);
  }
  execFileSync('npm', ['pack', '--silent'], {
    cwd: folder,
    // npm would keep compiled code in the folder for temporary files.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    shell: process.platform === 'win32',
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const { status, stderr } = spawnSync(process.execPath, ['scripts/types-check.mjs', join(folder, tarball)], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

const CODE = { 'index.js': 'export const a = 1;\n' };
const DECLARED = { ...CODE, 'index.d.ts': 'export declare const a: number;\n' };

it.each([
  ['no library', {}, CODE],
  ['types that fit', { exports: { '.': TYPES } }, DECLARED],
  ['types of one part', { exports: { '.': TYPES, './package.json': './package.json' } }, DECLARED],
])('a package with %s can be released', (_, manifest, files) => {
  expect(check(manifest, files)).toEqual({ status: 0, stderr: '' });
});

it.each([
  ['no types behind its promise', { exports: { '.': TYPES } }, CODE],
  [
    'types that import what is not there',
    { exports: { '.': TYPES } },
    { ...CODE, 'index.d.ts': "export * from './other';\n" },
  ],
  [
    'types of CommonJS',
    { exports: { '.': { types: './index.d.cts', default: './index.js' } } },
    { ...CODE, 'index.d.cts': 'export declare const a: number;\n' },
  ],
])('a package with %s cannot', (_, manifest, files) => {
  expect(check(manifest, files)).toEqual({ status: 1, stderr: expect.stringMatching(/types/) });
});
