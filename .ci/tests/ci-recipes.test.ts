// The recipes of docs/ci.md, as a CI service or cron runs them; recipes.test.ts attacks them.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shell } from '../../test/e2e/program.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../test/helpers/emulator.ts';
import { lacks } from '../../test/helpers/platform.ts';
import { blocks, runSteps, type Step, stepsOf, tools } from '../../test/helpers/recipes.ts';
import { serve } from '../../test/helpers/server.ts';

const CI = readFileSync('docs/ci.md', 'utf8');
const secretIn = (folder: string) => readFileSync(join(folder, 'secret'), 'utf8').trim();

async function activeKeys({ run }: TestEmulator): Promise<{ name: string; keyPrefix: string }[]> {
  const { stdout } = await run(['keys', 'list', '--format', 'json']);
  const keys = JSON.parse(stdout) as { attributes: { name: string; keyPrefix: string } }[];
  return keys.map(({ attributes: { name, keyPrefix } }) => ({ name, keyPrefix }));
}

async function works({ anonymous }: TestEmulator, key: string): Promise<boolean> {
  return (
    (await anonymous(['dois', 'list', '--count'], { env: { DOI_CLI_API_KEY: key } })).code === 0
  );
}

/** Whether a key is the only active key, and works. */
async function isTheActiveKey(emulator: TestEmulator, key: string): Promise<boolean> {
  const [active, ...others] = await activeKeys(emulator);
  return (
    others.length === 0 && key.startsWith(active?.keyPrefix ?? '-') && (await works(emulator, key))
  );
}

describe.skipIf(lacks('posixShell'))('the recipes of docs/ci.md', () => {
  const [harvest = '', rotation = '', gitlab = ''] = blocks(CI, 'yaml');

  /** Runs steps as an account with one key, `ci`. */
  async function job(
    steps: readonly Step[],
    more: Record<string, string> = {},
    {
      emulator,
      folder = tools(),
      key,
    }: { emulator?: TestEmulator; folder?: string; key?: string } = {},
  ) {
    const made = emulator ?? (await emulate());
    const used = key ?? (await made.newKey('ci')).key;
    const secrets = { ...made.env, DOI_CLI_API_KEY: used, GH_TOKEN: 'ghp-x', ...more };
    const env = { DOI_CLI_BASE_URL: made.baseUrl, ...more };
    return { ...(await runSteps(folder, steps, env, secrets)), folder, key: used, emulator: made };
  }
  /** Gives a new key no time to be used. */
  const impatient = (step: Step): Step => ({
    ...step,
    script: step.script.replace('--exit-code', '--exit-code --grace 0s'),
  });
  /** GitLab gives a job all variables. */
  const withAll = ({ script }: Step): Step[] => [
    { script, secrets: ['DOI_CLI_REPOSITORY', 'DOI_CLI_PASSWORD', 'DOI_CLI_API_KEY'] },
  ];

  it('for GitHub harvests', async () => {
    const steps = stepsOf(harvest);
    expect(steps).toHaveLength(1);
    const { code, stderr, folder } = await job(steps);
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(folder, 'dois.ndjson'), 'utf8')).toMatch(/^\{"id"/);
  });
  it('for GitHub rotates, and finds stale keys', async () => {
    const [create, deliver, prune, audit, ...rest] = stepsOf(rotation) as [Step, Step, Step, Step];
    expect(rest).toEqual([]);
    const { code, stderr, stdout, folder, key, emulator } = await job([create, deliver, prune]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^::add-mask::DC\.\S+\nRevoked/);
    expect(secretIn(folder)).not.toBe(key);
    expect(await isTheActiveKey(emulator, secretIn(folder))).toBe(true);
    expect(existsSync(join(folder, 'runner', 'key'))).toBe(false);
    expect(await job([audit], {}, { emulator, key })).toMatchObject({ code: 0 });
    await emulator.newKey('never used');
    expect(await job([impatient(audit)], {}, { emulator, key })).toMatchObject({ code: 1 });
  });
  it('for GitHub goes on after deliveries to a service that is away, or that does not answer', async () => {
    const emulator = await emulate();
    const rotate = stepsOf(rotation).slice(0, 3);
    const folder = tools();
    const { key } = await emulator.newKey('ci');
    writeFileSync(join(folder, 'secret'), key);
    await emulator.newKey('another');
    const run = () => job(rotate, {}, { emulator, folder, key: secretIn(folder) });
    for (const how of ['unreachable', 'silent']) {
      writeFileSync(join(folder, how), '');
      expect((await run()).code).not.toBe(0);
      // The stored secret works, whether it is the old key or the new one.
      expect(secretIn(folder) === key).toBe(how === 'unreachable');
      expect(await works(emulator, secretIn(folder))).toBe(true);
      rmSync(join(folder, how));
    }
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    expect(await activeKeys(emulator)).toEqual([
      { name: 'ci', keyPrefix: secretIn(folder).slice(0, 11) },
      { name: 'another', keyPrefix: expect.any(String) },
    ]);
    expect(await works(emulator, secretIn(folder))).toBe(true);
  });
  it('for GitHub leaves the secret alone when the rotation fails', async () => {
    const emulator = await emulate();
    const folder = tools();
    const { key } = await emulator.newKey('ci');
    writeFileSync(join(folder, 'secret'), key);
    await emulator.control('faults', { faults: ['anonymous'] });
    const { code } = await job(stepsOf(rotation).slice(0, 3), {}, { emulator, folder, key });
    expect(code).not.toBe(0);
    await emulator.control('faults', { faults: [] });
    expect(secretIn(folder)).toBe(key);
    expect(await isTheActiveKey(emulator, key)).toBe(true);
  });
  it.skipIf(lacks('curl'))('for GitLab harvests, rotates and audits', async () => {
    const [first, rotate, audit, ...rest] = stepsOf(gitlab).map(withAll) as [
      Step[],
      Step[],
      Step[],
    ];
    expect(rest).toEqual([]);
    expect((await job(first)).code).toBe(0);
    const { url, asked } = await serve(
      (response) => response.writeHead(500).end('{}'),
      (response) => response.writeHead(200).end('{}'),
    );
    const gitlabEnv = {
      CI_API_V4_URL: `${url.href}api/v4`,
      CI_PROJECT_ID: '7',
      ROTATION_TOKEN: 'glpat-x',
    };
    const failed = await job(rotate, gitlabEnv);
    expect([failed.code === 0, await works(failed.emulator, failed.key)]).toEqual([false, true]);
    const { code, stderr, emulator } = await job(rotate, gitlabEnv, failed);
    expect(code, stderr).toBe(0);
    expect(asked).toMatchObject([
      { method: 'PUT' },
      {
        method: 'PUT',
        url: '/api/v4/projects/7/variables/DOI_CLI_API_KEY',
        headers: { 'private-token': 'glpat-x' },
      },
    ]);
    const [key = ''] = /DC\.[A-Za-z0-9]{32}/.exec(asked[1]?.body ?? '') ?? [];
    expect(await isTheActiveKey(emulator, key)).toBe(true);
    await emulator.newKey('never used');
    expect((await job(audit.map(impatient), {}, { emulator, key })).code).toBe(1);
  });
  it('for cron set up, harvest, rotate and audit', async () => {
    const emulator = await emulate();
    const folder = tools();
    mkdirSync(join(folder, 'config'));
    writeFileSync(join(folder, 'password.txt'), `${PASSWORD}\n`);
    const [setUp = ''] = blocks(CI, 'sh');
    const lines = blocks(CI, 'crontab').join('').trim().split('\n');
    expect(lines).toHaveLength(3);
    const env = { DOI_CLI_BASE_URL: emulator.baseUrl, DOI_CLI_CONFIG_DIR: join(folder, 'config') };
    const inFolder = (line: string) =>
      shell(`cd '${folder}'; HOME='${folder}'; set -e\n${line}`, { env });
    const [script = ''] = blocks(CI, 'bash');
    writeFileSync(join(folder, 'rotate-key.sh'), script, { mode: 0o755 });
    const made = await inFolder(setUp);
    expect(made.code, made.stderr).toBe(0);
    expect(setUp).toContain(REPOSITORY);
    expect(made.stdout + made.stderr).not.toMatch(/DC\.[A-Za-z0-9]{32}/);
    // A creation whose answer was lost leaves such a key.
    await emulator.newKey('cron');
    for (const line of lines) {
      const command = line.split(/\s+/).slice(5).join(' ');
      const { code, stdout, stderr } = await inFolder(command);
      expect(code, `${command}\n${stderr}`).toBe(0);
      expect(stdout.replace(/^Revoked .*\n/gm, '')).toBe('');
      // cron mails the output.
      expect(stderr).not.toMatch(/DC\.[A-Za-z0-9]{32}/);
    }
    expect(await activeKeys(emulator)).toHaveLength(1);
    expect(existsSync(join(folder, 'dois.ndjson'))).toBe(true);
    expect(existsSync(join(folder, 'password.txt'))).toBe(false);
  });
});
