// The image's definition, and its one command in an empty folder: there may be no program here that
// builds images.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { execute } from '../../test/e2e/program.ts';
import { ciRequire } from '../../test/helpers/ci-packages.ts';
import { lacks } from '../../test/helpers/platform.ts';
import { temporaryDirectory } from '../../test/helpers/temporary.ts';

const TEXT = readFileSync('Containerfile', 'utf8');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The instructions of one kind, without their name. */
const all = (kind: string) =>
  [...TEXT.matchAll(new RegExp(`^${kind} (.*)$`, 'gm'))].map(([, rest = '']) => rest);

describe('the container image', () => {
  it.skipIf(lacks('ciPackages'))('is defined without a mistake that a linter knows', () => {
    const { validate } = ciRequire('dockerfile-utils');
    expect(validate(TEXT)).toEqual([]);
    expect(validate(TEXT.replace('WORKDIR', 'WORKDIRECTORY'))).not.toEqual([]);
  });

  it('has a base with a version, and neither root nor anything of this folder but the package', () => {
    for (const base of all('FROM'))
      expect(base).toMatch(/^docker\.io\/library\/node:24-\w+-slim( AS \w+)?$/);
    expect(all('USER')).toEqual(['1000:1000']);
    expect(all('COPY')).toEqual([
      'doi-cli-*.tgz /tmp/',
      '--from=package /opt/doi-cli/ /usr/local/',
    ]);
    expect(readFileSync('.dockerignore', 'utf8')).toBe('*\n!doi-cli-*.tgz\n');
    expect(all('(ADD|ARG|ENV)')).toEqual([]);
  });

  it('is tagged in its documents with the version of the package', () => {
    expect(TEXT).toContain(`doi-cli:${version} `);
    expect(readFileSync('docs/harvest-cluster.md', 'utf8')).toContain(`doi-cli:${version}\n`);
    expect(readFileSync('docs/emulator.md', 'utf8')).toContain(` doi-cli:${version} \\\n`);
  });

  it.skipIf(lacks('posixShell'))('installs a program that runs, without the keychain', async () => {
    const folder = temporaryDirectory();
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    // npm would keep compiled code in the folder for temporary files.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
    execFileSync('npm', pack, { env });
    const [command = '', ...others] = all('RUN');
    expect(others).toEqual([]);
    const here = command.replace(/ \/(opt\/doi-cli|tmp)\b/g, (_, place) =>
      place === 'tmp' ? ` ${folder}` : ` ${join(folder, 'opt')}`,
    );
    execFileSync('sh', ['-c', here], { env, stdio: 'pipe' });
    expect(await execute(join(folder, 'opt', 'bin', 'doi-cli'), ['--version'])).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
    const modules = join(folder, 'opt', 'lib', 'node_modules', 'doi-cli', 'node_modules');
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['libxml2-wasm']);
  });
});
