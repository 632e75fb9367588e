import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { processes } from '../helpers/processes.ts';
import { realKeychain } from '../helpers/real-keychain.ts';
import { run } from '../helpers/run.ts';
import { type KeychainEnv, startMuteBus, startSecretService } from '../helpers/secret-service.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';
import { onTerminal } from './terminal.ts';

const WITHOUT_KEYCHAIN = lacks('secretService', 'terminal', 'procfs');

const CTRL_C = '\u0003';
const LOGIN = ['auth', 'login', '--repository', REPOSITORY, '--password-stdin'];

/** The environment of a user with a keychain and an emulated service. */
async function person(keychain: Readonly<Record<string, string>>) {
  const emulator = await emulate();
  const env = {
    ...keychain,
    DOI_CLI_BASE_URL: emulator.baseUrl,
    DOI_CLI_CONFIG_DIR: join(temporaryDirectory(), 'config'),
  };
  return { ...emulator, env };
}

/** The keychain's processes that talk to this D-Bus. */
function childrenOn({ DBUS_SESSION_BUS_ADDRESS: address = '' }: Readonly<Record<string, string>>) {
  return processes('keychain-child').filter(({ environment }) => environment.includes(address));
}

describe.skipIf(WITHOUT_KEYCHAIN)('with a real Secret Service, the built program', () => {
  const ends: (() => void | Promise<void>)[] = [];
  let unlocked: KeychainEnv;
  beforeAll(async () => {
    unlocked = await startSecretService('unlocked', (end) => ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  /** Checks in this process that the credential works: only the login needs the built program. */
  const canListKeys = async (env: Readonly<Record<string, string>>) =>
    (await run(['keys', 'list'], { env, keychain: realKeychain(unlocked) })).code === 0;

  it('logs in on a terminal without showing the password, and out again', async () => {
    const { env } = await person(unlocked);
    const login = await onTerminal(['auth', 'login'], {
      env,
      type: [
        ['Repository account id:', `${REPOSITORY}\r`],
        ['Password:', `${PASSWORD}\r`],
      ],
    });
    expect(login).toMatchObject({
      code: 0,
      screen: /Logged in to .* as DEMO\.REPO/,
    });
    expect(login.screen).not.toContain(PASSWORD);
    expect(await program(['keys', 'list'], { env })).toMatchObject({ code: 0 });
    expect(await program(['auth', 'status'], { env })).toMatchObject({
      code: 0,
      stdout: /DEMO\.REPO +repository +keychain +yes/,
    });
    expect(await program(['auth', 'logout'], { env })).toMatchObject({ code: 0 });
    expect(await program(['auth', 'status'], { env })).toMatchObject({ code: 4, stdout: '' });
  });
  it('takes a long password with characters of every kind on a terminal', async () => {
    const { env, control } = await person(unlocked);
    const password = `a:b ${'wörd密🔑'.repeat(150)}`;
    await control('accounts', { id: 'LONG.PW', password });
    const { code, screen } = await onTerminal(['auth', 'login', '--repository', 'LONG.PW'], {
      env,
      type: [['Password:', `${password}\r`]],
    });
    expect([code, screen]).toEqual([0, /as LONG\.PW/]);
    expect(screen).not.toContain('wörd');
    expect(await canListKeys(env)).toBe(true);
  });
  it('asks for a key without showing it', async () => {
    const { env, newKey } = await person(unlocked);
    const { key } = await newKey('ci');
    const { code, screen } = await onTerminal(['auth', 'login', '--api-key-stdin'], {
      env,
      type: [['API key:', `${key}\r`]],
    });
    expect([code, screen]).toEqual([0, /with an API key/]);
    expect(screen).not.toContain(key);
    expect(await program(['dois', 'list', '--mine', '--count'], { env })).toMatchObject({
      code: 0,
    });
  });
  it('keeps no secret in any file', async () => {
    const { env, newKey } = await person(unlocked);
    const { key } = await newKey('ci');
    expect(await program(LOGIN, { env, stdin: PASSWORD })).toMatchObject({ code: 0 });
    expect(await program(['auth', 'login', '--api-key-stdin'], { env, stdin: key })).toMatchObject({
      code: 0,
    });
    const folder = env.DOI_CLI_CONFIG_DIR;
    const files = readdirSync(folder);
    expect(files).toEqual(['config.json']);
    const text = readFileSync(join(folder, 'config.json'), 'utf8');
    expect(text).toContain(REPOSITORY);
    for (const secret of [PASSWORD, key, key.slice(0, 11)]) expect(text).not.toContain(secret);
  });
});

describe.skipIf(lacks('linux', 'procfs', 'posixShell'))('the built program', () => {
  it('names the environment variables without a keychain, and works with a file', async () => {
    const { env } = await person({});
    expect(await program(LOGIN, { env, stdin: PASSWORD })).toMatchObject({
      code: 4,
      stderr:
        /no keychain to use.*\nhint: set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD.*--insecure-file/,
    });
    const { code, stderr } = await program([...LOGIN, '--insecure-file'], { env, stdin: PASSWORD });
    expect([code, stderr]).toEqual([0, /not encrypted/]);
    expect(await program(['keys', 'list'], { env })).toMatchObject({ code: 0 });
  });
  it('gives up on a D-Bus that never answers, and leaves no process behind', async () => {
    const { env } = await person(await startMuteBus());
    const { code, stderr } = await program(LOGIN, { env, stdin: PASSWORD });
    expect([code, stderr]).toEqual([4, /the keychain does not answer.*5 s/]);
    expect(childrenOn(env)).toEqual([]);
  });
  it('leaves no process behind either when it is killed while the keychain hangs', async () => {
    const { env } = await person(await startMuteBus());
    const killed = await program(LOGIN, {
      env,
      stdin: PASSWORD,
      during: (child) =>
        void expect
          .poll(() => childrenOn(env).length)
          .toBe(1)
          .then(() => child.kill('SIGKILL')),
    });
    expect(killed.signal).toBe('SIGKILL');
    await expect.poll(() => childrenOn(env)).toEqual([]);
  });
  it.each(['Password:', 'Repository account id:'])(
    'ends at Ctrl-C after "%s" with the terminal as it was',
    async (question) => {
      const { env } = await person({});
      const answers: [string, string][] = [['id:', `${REPOSITORY}\r`]];
      const type: [string, string][] = question.startsWith('Pass')
        ? [...answers, [question, `half${CTRL_C}`]]
        : [[question, CTRL_C]];
      const { code, screen } = await onTerminal([], {
        shell:
          'before=$(stty -g); "$1" "$0" auth login --insecure-file; code=$?; ' +
          '[ "$(stty -g)" = "$before" ] && echo as before; exit $code',
        env: { ...env, NO_COLOR: '1' },
        type,
      });
      expect([code, screen]).toEqual([130, /\r\nerror: interrupted[\s\S]*as before/]);
      expect(screen).not.toContain('half');
    },
  );
  it('asks nothing with --no-input, and reads no password from a terminal then', async () => {
    const { env } = await person({});
    for (const more of [[], ['--password-stdin']]) {
      const { code, screen } = await onTerminal(
        ['auth', 'login', '--repository', REPOSITORY, '--no-input', '--insecure-file', ...more],
        { env: { ...env, NO_COLOR: '1' } },
      );
      expect([code, screen]).toEqual([2, /error: /]);
    }
  });
});
