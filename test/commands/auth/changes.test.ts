import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY } from '../../helpers/emulator.ts';
import { jsonLines } from '../../helpers/json-lines.ts';
import { withKeychain } from '../../helpers/memory-keychain.ts';

/** A user with a keychain and settings, and only the base URL in the environment. */
async function user() {
  const emulator = await emulate();
  return { ...emulator, ...withKeychain(emulator.anonymous) };
}

const LOGIN = ['auth', 'login', '--repository', REPOSITORY, '--password-stdin'];
const JSON_OUT = ['--format', 'json'];

describe('--format json of what changes something', () => {
  it('says what a login has stored, and what a logout has erased', async () => {
    const { run, baseUrl, newKey } = await user();
    const { key, prefix } = await newKey('ci');
    const account = REPOSITORY;
    const stored = await run([...LOGIN, ...JSON_OUT], { stdin: PASSWORD });
    const password = { baseUrl, account, kind: 'repository', source: 'keychain' };
    expect(jsonLines(stored.stdout)).toEqual([
      { outcome: 'stored', ...password, keyPrefix: null, verified: true },
    ]);
    const named = ['auth', 'login', '--api-key-stdin', '--repository', REPOSITORY, '--skip-verify'];
    const withKey = await run([...named, '--insecure-file', ...JSON_OUT], { stdin: key });
    const apiKey = { baseUrl, account, kind: 'api-key', source: 'insecure-file' };
    expect(jsonLines(withKey.stdout)).toEqual([
      { outcome: 'stored', ...apiKey, keyPrefix: prefix, verified: false },
    ]);
    const erased = await run(['auth', 'logout', ...JSON_OUT]);
    expect(jsonLines(erased.stdout)).toEqual([
      { outcome: 'erased', ...password },
      { outcome: 'erased', ...apiKey },
    ]);
    expect(await run(['auth', 'logout', ...JSON_OUT])).toMatchObject({ code: 0, stdout: '' });
    for (const { stdout, stderr } of [stored, withKey, erased]) {
      expect(stdout + stderr).not.toContain(key);
      expect(stdout + stderr).not.toContain(PASSWORD);
    }
  });
  it('of a logout that fails for several prints one error', async () => {
    const { run, keychain, newKey } = await user();
    const { key } = await newKey('ci');
    await run(LOGIN, { stdin: PASSWORD });
    await run(['auth', 'login', '--api-key-stdin'], { stdin: key });
    keychain.failing = { delete: 'locked' };
    const { code, stdout, stderr } = await run(['auth', 'logout', ...JSON_OUT]);
    const problems = [{ message: /locked/ }];
    expect([code, stdout, JSON.parse(stderr)]).toMatchObject([
      4,
      '',
      { error: { kind: 'credentials', problems } },
    ]);
    const text = await run(['auth', 'logout']);
    expect(text.stderr.match(/^error: /gm)).toHaveLength(2);
  });
  it('says what a setting is now, and what it was', async () => {
    const { run } = await user();
    const set = (value: string) => run(['config', 'set', 'mailto', value, ...JSON_OUT]);
    const change = { outcome: 'set', profile: 'default', name: 'mailto' };
    expect(jsonLines((await set('a@example.org')).stdout)).toEqual([
      { ...change, value: 'a@example.org', previous: null },
    ]);
    expect(jsonLines((await set('b@example.org')).stdout)).toEqual([
      { ...change, value: 'b@example.org', previous: 'a@example.org' },
    ]);
    const unset = await run(['config', 'unset', 'mailto', ...JSON_OUT]);
    expect(jsonLines(unset.stdout)).toEqual([
      { ...change, outcome: 'unset', value: null, previous: 'b@example.org' },
    ]);
  });
});

describe('auth status', () => {
  it('does not accept the password of an account whose reads are refused (service.md, K16)', async () => {
    const { run, control } = await user();
    await run(LOGIN, { stdin: PASSWORD });
    expect(await run(['auth', 'status'])).toMatchObject({ code: 0 });
    await control(`accounts/${REPOSITORY}/deactivate`, {});
    const { code, stdout } = await run(['auth', 'status', ...JSON_OUT]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      4,
      [
        {
          kind: 'repository',
          accepted: false,
          message: /^the password is right, but/,
        },
      ],
    ]);
  });
});

describe('auth login and the environment', () => {
  it('on a terminal stores no password of the environment that nobody typed', async () => {
    const { run, keychain, log } = await user();
    const env = { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: PASSWORD };
    const terminal = { stdin: true, stderr: true, columns: 200 };
    const refused = await run(['auth', 'login'], { env, terminal, stdin: 'x\n' });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      /DOI_CLI_PASSWORD is set in the environment.*\nhint: unset DOI_CLI_PASSWORD/,
    ]);
    expect([keychain.secrets.size, await log()]).toEqual([0, []]);
    // A pipe says which password is meant, and a script has no one to ask.
    expect(await run(LOGIN, { env, terminal: { stderr: true }, stdin: PASSWORD })).toMatchObject({
      code: 0,
    });
    expect(await run(['auth', 'login'], { env })).toMatchObject({ code: 0 });
  });
  it('changes the profile, which can be changed back', async () => {
    const { run } = await user();
    await run(LOGIN, { stdin: PASSWORD });
    const value = 'https://api.datacite.org';
    expect((await run(['config', 'set', 'base-url', value])).code).toBe(0);
    const get = ['config', 'get', 'base-url'];
    expect((await run(get)).stdout).toBe(`${value}\n`);
    expect(JSON.parse((await run([...get, ...JSON_OUT])).stdout)).toEqual({
      profile: 'default',
      name: 'base-url',
      value,
    });
  });
});
