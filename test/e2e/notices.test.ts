import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { built } from '../helpers/built.ts';

it('names what npm does not: the parsers inside of packages, and what is installed beside them', () => {
  const notices = readFileSync(built('dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
  expect(notices).toMatch(/^llhttp [\d.]+ \(MIT\)\n\n.+\n\n.*Fedor Indutny/m);
  const { components } = JSON.parse(readFileSync(built('dist/sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version?: string; scope?: string }[];
  };
  expect(components).toContainEqual(expect.objectContaining({ name: 'llhttp' }));
  expect(notices).toContain('DataCite Metadata Schema 4.7');
  expect(components.filter(({ version = '' }) => !/^\d/.test(version))).toEqual([]);
  expect(components.filter(({ scope }) => scope !== undefined)).toMatchObject([
    { name: 'libxml2-wasm', scope: 'required' },
    { name: '@napi-rs/keyring', scope: 'optional' },
  ]);
});

it('contains the words of each licence, and the names and notices that they belong to', () => {
  const notices = readFileSync(built('dist/THIRD-PARTY-NOTICES.txt'), 'utf8').replace(/\s+/g, ' ');
  for (const name of ['commander', 'undici', 'conf', 'ora', 'emoji-regex', 'isexe']) {
    const folder = join('node_modules', name);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(notices).toContain(` ${name} ${version} (`);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) ?? '';
    const [notice = '', terms] = readFileSync(join(folder, file), 'utf8')
      .trim()
      .replace(/\s+/g, ' ')
      .split(/(?=Permission)/);
    expect(notices).toContain(notice.trim());
    expect(notices).toContain(terms);
  }
});

it('holds the libraries that Renovate updates in a group of their own, and no others', () => {
  const { components } = JSON.parse(readFileSync(built('dist/sbom.cdx.json'), 'utf8')) as {
    components: { group?: string; name: string }[];
  };
  const bundled = components.map(({ group, name }) =>
    group === undefined ? name : `${group}/${name}`,
  );
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const direct = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const { packageRules } = JSON.parse(readFileSync('renovate.json', 'utf8')) as {
    packageRules: { groupName?: string; matchPackageNames?: string[] }[];
  };
  const shipped = packageRules.find(({ groupName }) => groupName === 'shipped libraries');
  expect(shipped?.matchPackageNames).toEqual(
    direct.filter((name) => bundled.includes(name)).sort(),
  );
});
