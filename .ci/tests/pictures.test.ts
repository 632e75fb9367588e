import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { lacks } from '../../test/helpers/platform.ts';

// The pictures are made on Linux. Elsewhere, messages of the system have other words.
it.skipIf(lacks('linux'))('the pictures of the README show what the program prints', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [
    'scripts/pictures.mjs',
    '--check',
  ]);
  expect(stderr).toBe('');
});

it('the README shows every picture, and no other', () => {
  const shown = [
    ...readFileSync('README.md', 'utf8').matchAll(/\]\(docs\/pictures\/([\w-]+\.svg)\)/g),
  ];
  expect(shown.map(([, name]) => name).sort()).toEqual(readdirSync('docs/pictures').sort());
});
