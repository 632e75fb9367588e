import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeychainError } from '../../src/credentials/keychain.ts';
import { emulate, REPOSITORY } from '../helpers/emulator.ts';
import { MemoryKeychain } from '../helpers/memory-keychain.ts';
import type { RunOptions } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const BAD_KEY = `DC.${'Zz9'.repeat(10)}ab`;
const LOGIN = ['auth', 'login', '--repository', REPOSITORY, '--skip-verify'];

/** A user whose credentials the service refuses: from the environment, the keychain or the file. */
async function refused(source: 'environment' | 'keychain' | 'file', kind: 'password' | 'key') {
  const emulator = await emulate();
  const keychain = new MemoryKeychain();
  const own = { DOI_CLI_CONFIG_DIR: join(temporaryDirectory(), 'config') };
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    emulator.anonymous(argv, { keychain, ...options, env: { ...own, ...options.env } });
  const secret = kind === 'key' ? BAD_KEY : 'wrong horse';
  const environment: Record<string, string> =
    kind === 'key'
      ? { DOI_CLI_API_KEY: secret }
      : { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: secret };
  const file = source === 'file' ? ['--insecure-file'] : [];
  const login = [...LOGIN, kind === 'key' ? '--api-key-stdin' : '--password-stdin', ...file];
  if (source !== 'environment') await run(login, { stdin: secret });
  const env = source === 'environment' ? environment : {};
  return { ...emulator, secret, run: (argv: readonly string[]) => run(argv, { env }) };
}

const SUBJECTS = {
  password: `the credentials of ${REPOSITORY} (password`,
  key: `the API key ${BAD_KEY.slice(0, 11)} (`,
};
const CASES = [
  ['environment', 'password', ' from DOI_CLI_PASSWORD', 'correct DOI_CLI_REPOSITORY and'],
  ['keychain', 'password', ' from the keychain', 'doi-cli auth login --repository DEMO.REPO'],
  ['file', 'password', ' from the file of credentials', '--repository DEMO.REPO --insecure-file'],
  [
    'environment',
    'key',
    'from DOI_CLI_API_KEY',
    'set DOI_CLI_API_KEY to an active key, or unset it',
  ],
  ['keychain', 'key', 'of demo.repo, from the keychain', 'auth login --api-key-stdin --repository'],
  ['file', 'key', 'of demo.repo, from the file of credentials', '--insecure-file'],
] as const;

describe('an error of refused credentials', () => {
  it.each(CASES)(
    'names what was refused, and what repairs it: %s, %s',
    async (source, kind, origin, repair) => {
      const what = `${SUBJECTS[kind]}${origin}, for`;
      const { run, baseUrl, secret } = await refused(source, kind);
      const commands = [
        ['dois', 'list', '--count'],
        ['dois', 'create', '--prefix', '10.5072', '--title', 'T'],
        ['datafile', 'credentials', '--format', 'env'],
      ];
      const ofKeys = [
        ['keys', 'list'],
        ['keys', 'create', '--name', 'x'],
      ];
      for (const argv of kind === 'password' ? [...commands, ...ofKeys] : commands) {
        const { code, stdout, stderr } = await run(argv);
        expect([code, stdout, argv], stderr).toEqual([4, '', argv]);
        expect(stderr.toLowerCase()).toContain(`${what} ${baseUrl})`.toLowerCase());
        expect(/^hint: .*$/m.exec(stderr)?.[0].toLowerCase()).toContain(repair.toLowerCase());
        expect(stderr).not.toContain(secret);
      }
    },
  );
  it('names what was not allowed, and what to check', async () => {
    const { run, newKey, control } = await emulate();
    await newKey('ci');
    await control(`accounts/${REPOSITORY}/deactivate`, {});
    const { code, stderr } = await run(['keys', 'create', '--name', 'x']);
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /HTTP 403\): the service does not allow it with the credentials of DEMO\.REPO \(/,
      ),
    ]);
    expect(stderr).toMatch(/hint: check that the account is active/);
  });
  it('of a login says no more than what was typed', async () => {
    const { anonymous } = await emulate();
    const argv = ['auth', 'login', '--repository', REPOSITORY, '--password-stdin'];
    const env = { DOI_CLI_CONFIG_DIR: join(temporaryDirectory(), 'config') };
    const options = { keychain: new MemoryKeychain(), env, stdin: 'wrong horse' };
    const { code, stderr } = await anonymous(argv, options);
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /^error: the password of DEMO\.REPO was not accepted, and is not stored: /,
      ),
    ]);
    expect(stderr).not.toMatch(/DOI_CLI_PASSWORD|from the|wrong horse/);
    expect(stderr).toMatch(
      /: http:\S+ answered with HTTP 401\nhint: doi-cli auth login --repository DEMO\.REPO\n/,
    );
  });
  it('of a keychain that cannot be read never becomes an anonymous read', async () => {
    const { anonymous, log } = await emulate();
    const keychain = new MemoryKeychain();
    const env = { DOI_CLI_CONFIG_DIR: join(temporaryDirectory(), 'config') };
    const options = { keychain, env };
    await anonymous([...LOGIN, '--password-stdin'], { ...options, stdin: 'x' });
    keychain.failing = { get: 'missing' };
    const read = await anonymous(['dois', 'list', '--count'], options);
    expect([read.code, read.stdout, await log()]).toEqual([4, '', []]);
    expect(read.stderr).toMatch(/no keychain to use here.*\nhint: .*--insecure-file$/m);
    expect(await anonymous(['dois', 'list', '--count', '--anonymous'], options)).toMatchObject({
      code: 0,
    });
  });
  it.each([
    [
      'Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled',
      /\(no Secret Service/,
    ],
    ['its helper process ended with exit code 1', /\(its helper process ended with exit code 1\)/],
  ])('of a keychain has our words, not those of D-Bus: %s', (reason, words) => {
    const { message } = new KeychainError('missing', reason);
    expect(message).toMatch(words);
    expect(message).not.toMatch(/DBus/);
  });
  it('of --mine without credentials is one of credentials', async () => {
    const { anonymous, log } = await emulate();
    expect(await anonymous(['dois', 'list', '--mine'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/\nhint: .*doi-cli auth login\n/),
    });
    expect(await anonymous(['dois', 'list', '--mine', '--anonymous'])).toMatchObject({ code: 2 });
    expect(await log()).toEqual([]);
  });
});
