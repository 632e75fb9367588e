// The recipes for other package managers, as far as they can be checked without them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeRecipes } from '../../scripts/packaging.mjs';
import { lacks } from '../../test/helpers/platform.ts';
import { sharedDirectory } from '../../test/helpers/temporary.ts';
import { syntaxErrors } from '../../test/pipelines/syntax.ts';

const { version, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const PACKAGE = `doi-cli-${version}.tgz`;
const WINDOWS = `doi-cli-${version}-win32-x64`;
const SUMS = new Map([
  [PACKAGE, 'a'.repeat(64)],
  [`${WINDOWS}.tar.gz`, 'b'.repeat(64)],
]);
const REGISTRY = `https://registry.npmjs.org/doi-cli/-/${PACKAGE}`;

const folder = sharedDirectory();

/** The text of a recipe. */
function written(name: string, sums = SUMS): string {
  writeRecipes(folder, sums);
  return readFileSync(join(folder, name), 'utf8');
}

/** Whether a value has exactly these members. */
const fits = (value: unknown, members: Readonly<Record<string, object>>) =>
  new Ajv().compile({
    type: 'object',
    properties: members,
    required: Object.keys(members),
    additionalProperties: false,
  })(value);

describe.each(['doi-cli.rb', 'recipe.yaml', 'doi-cli.json'])('the recipe %s', (name) => {
  it('names the version and the checksum, and has nothing to fill in but the owner', () => {
    const recipe = written(name);
    expect(recipe.match(/[A-Z]+_SHA256|VERSION/g)).toBeNull();
    expect(recipe).toContain(version);
    expect(recipe).toContain((name === 'doi-cli.json' ? 'b' : 'a').repeat(64));
  });

  it('keeps a place for a checksum that is not known yet', () => {
    expect(written(name, new Map())).toMatch(/(PACKAGE|WINDOWS)_SHA256/);
  });
});

describe('the formula for Homebrew', () => {
  it.skipIf(lacks('ciPackages'))('has no syntax error', async () => {
    const formula = written('doi-cli.rb');
    expect(await syntaxErrors(formula, 'ruby')).toEqual([]);
    expect(await syntaxErrors(formula.replace(/end\n$/, ''), 'ruby')).not.toEqual([]);
  });

  it('has what an audit asks for', () => {
    const formula = written('doi-cli.rb');
    expect(formula).toMatch(/^class DoiCli < Formula$/m);
    expect(formula).toContain(`  url "${REGISTRY}"\n`);
    // At most 80 characters, without the name and a full stop.
    expect(formula).toMatch(/^ {2}desc "(?!doi-cli)[A-Z][^"]{9,78}[^."]"$/m);
    for (const part of ['homepage', 'sha256', 'license', 'depends_on', 'def install', 'test do'])
      expect(formula).toMatch(new RegExp(`^  ${part}\\b`, 'm'));
  });
});

it('the recipe for conda-forge has the fields of its format', () => {
  const recipe = parse(written('recipe.yaml'));
  const text = { type: 'string', minLength: 1 };
  const members = {
    schema_version: { const: 1 },
    package: { const: { name: 'doi-cli', version } },
    source: { const: { url: REGISTRY, sha256: SUMS.get(PACKAGE) } },
    build: { type: 'object', required: ['number', 'noarch', 'script'] },
    requirements: { const: { build: ['nodejs'], run: [`nodejs ${engines.node}`] } },
    tests: { type: 'array', minItems: 1 },
    about: {
      type: 'object',
      required: ['homepage', 'license', 'license_file', 'summary'],
      properties: { homepage: text, license: { const: 'MIT' }, summary: text },
    },
    extra: { type: 'object', required: ['recipe-maintainers'] },
  };
  expect(fits(recipe, members)).toBe(true);
  expect(fits({ ...recipe, sources: [] }, members)).toBe(false);
});

it('the manifest for Scoop names the archive and the executable of a release', () => {
  const { '##': _, ...scoop } = JSON.parse(written('doi-cli.json'));
  const text = { type: 'string', minLength: 1 };
  const url = expect.stringMatching(
    new RegExp(`/releases/download/v${version}/${WINDOWS}.tar.gz$`),
  );
  expect(scoop.architecture).toEqual({
    '64bit': { url, hash: SUMS.get(`${WINDOWS}.tar.gz`), extract_dir: WINDOWS },
  });
  const members = {
    version: { const: version },
    description: text,
    homepage: text,
    license: { const: 'MIT' },
    architecture: { type: 'object' },
    bin: { const: 'doi-cli.exe' },
  };
  expect(fits(scoop, members)).toBe(true);
});
