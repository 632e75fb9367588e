import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shell } from '../../test/e2e/program.ts';
import { emulate, PASSWORD, type TestEmulator } from '../../test/helpers/emulator.ts';
import { lacks } from '../../test/helpers/platform.ts';
import { blocks, PACKAGE, runSteps, stepsOf, tools } from '../../test/helpers/recipes.ts';
import { answer, serve } from '../../test/helpers/server.ts';

const CI = readFileSync('docs/ci.md', 'utf8');
const [harvest = '', rotation = '', gitlab = ''] = blocks(CI, 'yaml');
const [setUp = '', names = ''] = blocks(CI, 'sh');
const [script = ''] = blocks(CI, 'bash');

/** Names that try to become words, lines, columns, options, commands or other keys. */
const hostileNames = (evil: string, otherId: string): readonly string[] => [
  `old job\n--base-url=${evil},ci,x`,
  `x\n${otherId},ci,DC.aaaaaaaa`,
  `ci\n${otherId}`,
  `{"id":"${otherId}","attributes":{"name":"ci"}}`,
  `\n{"id":"${otherId}","attributes":{"name":"ci"}}`,
  `${otherId},ci,`,
  `${otherId}`,
  `",ci,"`,
  `'ci'`,
  `--base-url=${evil}`,
  `--keep=${otherId}`,
  '--yes',
  '-rf *',
  '$(touch pwned)',
  '`touch pwned`',
  'ci; touch pwned',
  'ci\ttouch pwned',
  'cron\nci',
  '::set-env name=PATH::/evil',
  'CI',
  'ci*',
];

/**
 * An account with a key to protect, keys with hostile names, and a service that would take what is
 * sent to it.
 */
async function attacked() {
  const emulator = await emulate();
  const { url, asked } = await serve(answer(200, { data: [] }));
  const production = await emulator.newKey('production');
  for (const name of hostileNames(url.origin, production.id)) await emulator.plantKey(name);
  return { emulator, asked, planted: await activeIds(emulator) };
}

async function activeIds({ run }: TestEmulator): Promise<string[]> {
  const { stdout } = await run(['keys', 'list', '--format', 'json']);
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
}

/** Nothing went elsewhere, nothing ran, and every key that is not the recipe's is active. */
async function isUnharmed(
  { emulator, asked, planted }: Awaited<ReturnType<typeof attacked>>,
  folder: string,
) {
  expect(asked).toEqual([]);
  expect(readdirSync(folder)).not.toContain('pwned');
  const active = await activeIds(emulator);
  expect(active).toEqual(expect.arrayContaining(planted));
  // One key of the recipe is left, too.
  expect(active).toHaveLength(planted.length + 1);
}

describe.skipIf(lacks('posixShell'))('the recipes of docs/ci.md', () => {
  it('neither take names apart nor run a package without a version', () => {
    const steps = [harvest, rotation, gitlab].flatMap(stepsOf).map((step) => step.script);
    const code = [...steps, setUp, script, names].join('\n').replace(/ \\\n +/g, ' ');
    expect(code).not.toMatch(/\b(awk|sed|cut|xargs|eval|printf)\b/);
    for (const [, words = ''] of code.matchAll(/\bnpx (.*)/g)) {
      expect(words.startsWith(`--yes --package=${PACKAGE} doi-cli `), words).toBe(true);
    }
    // Every value is in quotes, but for assignments and what GitHub fills in.
    for (const line of code.split('\n').filter((each) => /doi-cli|\bgh\b|curl/.test(each))) {
      expect(line.replace(/"[^"]*"|'[^']*'|\w+=\$\(|\$\{\{.*?\}\}/g, '')).not.toContain('$');
    }
  });

  it('give each step the secrets that it needs, and no other', () => {
    const account = ['DOI_CLI_REPOSITORY', 'DOI_CLI_PASSWORD'];
    expect(stepsOf(harvest).map(({ secrets }) => secrets)).toEqual([['DOI_CLI_API_KEY']]);
    expect(stepsOf(rotation).map(({ secrets }) => secrets)).toEqual([
      [...account, 'DOI_CLI_API_KEY'],
      ['GH_TOKEN'],
      account,
      account,
    ]);
    expect(`${harvest}${rotation}`.match(/secrets\./g)).toHaveLength(9);
  });

  it('for GitHub rotate among hostile names', async () => {
    const attack = await attacked();
    const { emulator } = attack;
    const folder = tools();
    const { key } = await emulator.newKey('ci');
    // A run that was killed has left it.
    await emulator.newKey('ci');
    const secrets = { ...emulator.env, DOI_CLI_API_KEY: key, GH_TOKEN: 'ghp-x' };
    const env = { DOI_CLI_BASE_URL: emulator.baseUrl };
    const steps = stepsOf(rotation).slice(0, 3);
    const { code, stdout, stderr } = await runSteps(folder, steps, env, secrets);
    expect(code, stderr).toBe(0);
    expect(stdout).not.toMatch(/^::(?!add-mask::DC\.\w{32}$)/m);
    await isUnharmed(attack, folder);
  });

  it.skipIf(lacks('curl'))('for GitLab rotate among hostile names', async () => {
    const attack = await attacked();
    const { emulator } = attack;
    const folder = tools();
    const { url, asked } = await serve(answer(200, {}));
    const { key } = await emulator.newKey('ci');
    await emulator.newKey('ci');
    const more = {
      CI_API_V4_URL: `${url.href}api/v4`,
      CI_PROJECT_ID: '7',
      ROTATION_TOKEN: 'glpat-x',
    };
    const env = { ...emulator.env, ...more, DOI_CLI_API_KEY: key };
    const { code, stderr } = await runSteps(folder, stepsOf(gitlab).slice(1, 2), env, {});
    expect(code, stderr).toBe(0);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toContain(PASSWORD);
    await isUnharmed(attack, folder);
  });

  it('for cron rotate among hostile names', async () => {
    const attack = await attacked();
    const { emulator } = attack;
    const folder = tools();
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'password.txt'), `${PASSWORD}\n`);
    writeFileSync(join(folder, 'rotate-key.sh'), script, { mode: 0o755 });
    const env = { DOI_CLI_BASE_URL: emulator.baseUrl, DOI_CLI_CONFIG_DIR: join(folder, 'config') };
    for (const line of [setUp, './rotate-key.sh']) {
      if (line !== setUp) await emulator.newKey('cron');
      const { code, stderr } = await shell(`cd '${folder}'; set -e\n${line}`, { env });
      expect(code, stderr).toBe(0);
      expect(stderr).not.toMatch(/DC\.\w{32}/);
      await isUnharmed(attack, folder);
    }
    expect(existsSync(join(folder, 'password.txt'))).toBe(false);
  });

  it.skipIf(lacks('jq', 'posixShell'))(
    'for other scripts name the keys of one name only',
    async () => {
      const attack = await attacked();
      const { emulator } = attack;
      const folder = tools();
      const { id } = await emulator.newKey('ci');
      const { code, stdout, stderr } = await shell(`set -eo pipefail; cd '${folder}'\n${names}`, {
        env: emulator.env,
        uses: ['jq'],
      });
      expect([code, stdout], stderr).toEqual([0, `doi-cli keys revoke --yes -- ${id}\n`]);
      await isUnharmed(attack, folder);
    },
  );
});
