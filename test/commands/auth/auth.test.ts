import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acquireLock } from '../../../src/disk/lock/lock.ts';
import { stopReason } from '../../../src/errors.ts';
import type { Sink } from '../../../src/ui/sink.ts';
import { emulate, PASSWORD, REPOSITORY } from '../../helpers/emulator.ts';
import { withKeychain } from '../../helpers/memory-keychain.ts';
import { lacks } from '../../helpers/platform.ts';
import { bufferSink, run } from '../../helpers/run.ts';
import { runs } from '../../helpers/runs.ts';

const withModes = it.skipIf(lacks('permissions', 'links'));
const withLinks = it.skipIf(lacks('links'));

const ENTRY = (baseUrl: string, kind: string, account = REPOSITORY) =>
  `${baseUrl}|${kind}|${account.toLowerCase()}`;

const LOGIN = ['auth', 'login', '--repository', REPOSITORY, '--password-stdin'];
/** A login of another account, which sends nothing. */
const OTHER = 'auth login --repository A.B --password-stdin --skip-verify'.split(' ');

/** A run that is refused, and one that says something. */
const refused = (stderr: RegExp) => ({ code: 4, stderr });
const said = (stderr: RegExp | string) => ({ code: 0, stderr });

/** A user with a keychain and settings, and only the base URL in the environment. */
async function user() {
  const emulator = await emulate();
  const { run, folder, keychain } = withKeychain(emulator.anonymous);
  return {
    ...{ ...emulator, run, folder, keychain },
    login: (password = PASSWORD, ...more: string[]) =>
      run([...LOGIN, ...more], { stdin: `${password}\n` }),
    settings: () => {
      const file = join(folder, 'config.json');
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
    },
    file: () => join(folder, 'insecure-credentials.json'),
  };
}

describe('auth login', () => {
  it('proves repository credentials, keeps them, and makes them those of the profile', async () => {
    const { baseUrl, keychain, login, settings, run, log } = await user();
    expect(await login()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: /Logged in to http.* as DEMO\.REPO/,
    });
    expect(await log()).toMatchObject([
      { method: 'GET', path: '/credentials/api-keys', status: 200 },
    ]);
    expect([...keychain.secrets]).toEqual([[ENTRY(baseUrl, 'repository'), PASSWORD]]);
    expect(settings()).toEqual({
      profiles: {
        default: { 'base-url': baseUrl, 'base-url-before-login': '', repository: REPOSITORY },
      },
      stored: [{ baseUrl, kind: 'repository', account: REPOSITORY, place: 'keychain' }],
    });
    expect((await run(['config', 'list'])).stdout).toBe(
      `default.base-url=${baseUrl}\ndefault.repository=${REPOSITORY}\n`,
    );
    expect(JSON.parse((await run(['config', 'list', '--format', 'json'])).stdout)).toEqual({
      default: { 'base-url': baseUrl, repository: REPOSITORY },
    });
    expect(await run(['keys', 'list'])).toMatchObject({ code: 0 });
    // Without the variable the profile has the base URL.
    expect((await run(['keys', 'list'], { env: { DOI_CLI_BASE_URL: undefined } })).code).toBe(0);
    // The case of the account does not matter.
    expect((await run(['keys', 'list'], { env: { DOI_CLI_REPOSITORY: 'demo.repo' } })).code).toBe(
      0,
    );
  });
  it('proves an API key by a read that names the account, and keeps it under that', async () => {
    const { baseUrl, keychain, run, newKey, settings } = await user();
    const { key } = await newKey('ci');
    const { code, stderr } = await run(['auth', 'login', '--api-key-stdin'], { stdin: key });
    expect([code, stderr]).toEqual([0, /as demo\.repo with an API key/]);
    expect([...keychain.secrets]).toEqual([[ENTRY(baseUrl, 'api-key'), key]]);
    expect(settings()).toMatchObject({ profiles: { default: { repository: 'demo.repo' } } });
    expect(await run(['dois', 'list', '--mine', '--count'])).toMatchObject({ code: 0 });
    expect(await run(['keys', 'list'])).toMatchObject(refused(/needs repository credentials/));
  });
  it.each([
    ['a wrong password', ['--repository', REPOSITORY, '--password-stdin'], 'wrong', 4],
    [
      'an account that does not exist',
      ['--repository', 'NO.BODY', '--password-stdin'],
      PASSWORD,
      4,
    ],
    ['an unknown key', ['--api-key-stdin'], `DC.${'x'.repeat(32)}`, 4],
    ['a password for a key', ['--api-key-stdin'], PASSWORD, 4],
    ['nothing', ['--repository', REPOSITORY, '--password-stdin'], '', 4],
    ['a newline', ['--api-key-stdin'], '\n', 4],
    ['two lines', ['--repository', REPOSITORY, '--password-stdin'], 'a\n\n', 2],
    ['a NUL', ['--repository', REPOSITORY, '--password-stdin'], 'a\0b', 2],
    ['a colon in the account', ['--repository', 'A:B', '--password-stdin'], 'x', 2],
    ['no account', ['--password-stdin'], 'x', 2],
    ['a key with a colon', ['--api-key-stdin'], 'a:b', 2],
    ['an unverified one', ['--api-key-stdin', '--skip-verify', '--repository', 'A.B'], 'a:b', 2],
    ['a key unverified and unnamed', ['--api-key-stdin', '--skip-verify'], 'x', 2],
    ['two secrets', ['--api-key-stdin', '--password-stdin'], 'x', 2],
    ['anonymity', ['--api-key-stdin', '--anonymous'], 'x', 2],
    ['no way to ask', ['--repository', REPOSITORY], '', 2],
    ['a secret as an option', ['--password', 'x'], '', 2],
  ])('keeps nothing given %s', async (_, args, stdin, code) => {
    const { keychain, run, settings, log } = await user();
    expect(await run(['auth', 'login', ...args], { stdin })).toMatchObject({ code, stdout: '' });
    expect([keychain.secrets.size, settings()]).toEqual([0, undefined]);
    if (code === 2) expect(await log()).toEqual([]);
  });
  it('takes the password of a member, which may not list keys, and shows it as accepted', async () => {
    const { run, control } = await user();
    await control('accounts', { id: 'DEMO', password: 'member' });
    const login = (password: string) =>
      run(['auth', 'login', '--repository', 'DEMO', '--password-stdin'], { stdin: password });
    const wrong = await login('wrong');
    expect([wrong.code, wrong.stderr]).toEqual([4, /is not stored/]);
    expect((await login('member')).code).toBe(0);
    const status = await run(['auth', 'status', '--format', 'json']);
    expect([status.code, JSON.parse(status.stdout)]).toMatchObject([
      0,
      [{ account: 'DEMO', accepted: true }],
    ]);
    expect((await run(['dois', 'list', '--mine', '--count'])).stdout).toMatch(/^\d+\n$/);
  });

  it('keeps nothing when the key is of another account, or the service cannot be asked', async () => {
    const { keychain, run, newKey, login, control } = await user();
    const { key } = await newKey('ci');
    const other = await run(['auth', 'login', '--api-key-stdin', '--repository', 'MY.REPO'], {
      stdin: key,
    });
    expect(other).toMatchObject(refused(/belongs to the account demo\.repo, not MY\.REPO/));
    await control('faults', { faults: ['502'] });
    expect(await login()).toMatchObject({ code: 5 });
    expect(keychain.secrets.size).toBe(0);
  });
  it('takes a replaced password, and keeps the old one when the new one is wrong', async () => {
    const { keychain, login, control } = await user();
    await login();
    expect(await login('wrong')).toMatchObject(refused(/was not accepted, and is not stored/));
    expect([...keychain.secrets.values()]).toEqual([PASSWORD]);
    await control(`accounts/${REPOSITORY}/password`, { password: 'new' });
    expect(await login('new')).toMatchObject({ code: 0 });
    expect([...keychain.secrets.values()]).toEqual(['new']);
  });
  it('believes what it is told with --skip-verify, and sends nothing', async () => {
    const { keychain, login, run, log } = await user();
    expect(await login('anything', '--skip-verify')).toMatchObject(said(/not verified/));
    const key = ['auth', 'login', '--api-key-stdin', '--skip-verify', '--repository', 'A.B'];
    expect((await run(key, { stdin: 'a-key\n' })).code).toBe(0);
    expect([...keychain.secrets.values()]).toEqual(['anything', 'a-key']);
    expect(await log()).toEqual([]);
  });
  it('takes the credential from the environment when nothing else is said', async () => {
    const { keychain, run, newKey } = await user();
    const env = { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: PASSWORD };
    expect(await run(['auth', 'login'], { env })).toMatchObject({
      code: 0,
      stderr: /DOI_CLI_PASSWORD is set in the environment and used instead of stored credentials/,
    });
    const { key } = await newKey('ci');
    expect((await run(['auth', 'login'], { env: { DOI_CLI_API_KEY: key } })).code).toBe(0);
    expect([...keychain.secrets.values()]).toEqual([PASSWORD, key]);
  });
  // cli/store-credential.test.ts has what is said of the environment and of the profile.
  it('takes any password that Basic authentication can carry', async () => {
    const { keychain, run, control } = await user();
    let number = 0;
    const character = fc.oneof(
      fc.constantFrom(':', ' ', '"', '\\', '\r', '\t', 'é', '密', '🔑', '%', '\ufeff'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    const passwords = fc
      .array(character, { minLength: 1, maxLength: 40 })
      .map((parts) => parts.join(''))
      .filter((text) => !/\p{Surrogate}/u.test(text) && !/[\n\0]/.test(text));
    const examples = [
      ['a:b: c'],
      [' '],
      ['x'.repeat(1000)],
      ['pässwörd 密码 '],
      ['\ufeffbom'],
      ['cr\r'],
    ];
    await fc.assert(
      fc.asyncProperty(passwords, async (password) => {
        number += 1;
        const id = `SOME.R${number}`;
        await control('accounts', { id, password });
        const argv = ['auth', 'login', '--repository', id, '--password-stdin'];
        const stdin = `${password}${number % 2 === 0 || password.endsWith('\r') ? '\r\n' : '\n'}`;
        expect(await run(argv, { stdin })).toMatchObject({ code: 0 });
        expect([...keychain.secrets.values()].at(-1)).toBe(password);
        expect((await run(['keys', 'list'], { env: { DOI_CLI_REPOSITORY: id } })).code).toBe(0);
      }),
      { numRuns: examples.length + runs(12), examples: examples as [string][] },
    );
  });
  it('refuses bytes that are not UTF-8', async () => {
    const { run } = await user();
    const stdin = Buffer.from([0x70, 0xff, 0x71]);
    expect(await run(LOGIN, { stdin })).toMatchObject({ code: 2, stderr: /not UTF-8/ });
  });
});

describe('the settings and the keychain', () => {
  it.each(['locked', 'refused', 'missing', 'hanging'] as const)(
    'stay as they are when the keychain is %s before anything is asked',
    async (failure) => {
      const { keychain, login, settings, log } = await user();
      keychain.failing = { check: failure };
      const { code, stderr } = await login();
      expect([code, await log(), settings()]).toEqual([4, [], undefined]);
      expect(stderr).toMatch(/hint: .*DOI_CLI_REPOSITORY.*auth login --insecure-file/);
    },
  );
  it('are changed by one run at a time, also after one that was killed', async () => {
    const { run, folder } = await user();
    const set = (value: string) => run(['config', 'set', 'repository', value]);
    const setting = () => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as object;
    await set('A.B');
    const lock = join(folder, 'config.json.lock');
    expect(existsSync(lock)).toBe(false);
    const held = await acquireLock(lock);
    const owner = readFileSync(lock, 'utf8');
    const waiting = set('C.D');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(setting()).toMatchObject({ profiles: { default: { repository: 'A.B' } } });
    await held.release();
    expect(await waiting).toMatchObject({ code: 0 });
    expect(setting()).toMatchObject({ profiles: { default: { repository: 'C.D' } } });
    // The run that held the lock was killed.
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(owner), pid: 2 ** 30 }));
    expect(await set('E.F')).toMatchObject({ code: 0 });
    expect([setting(), existsSync(lock)]).toMatchObject([
      { profiles: { default: { repository: 'E.F' } } },
      false,
    ]);
  });
  it.each([
    ['config.json', 'config set repository C.D'],
    ['insecure-credentials.json', 'auth login --password-stdin --insecure-file'],
    ['insecure-credentials.json', 'keys create --name ci --save'],
  ])(
    'are as before when another host has the lock of %s, and %s is interrupted',
    async (name, line) => {
      const { run, folder, login } = await user();
      expect(await login(PASSWORD, '--insecure-file')).toMatchObject({ code: 0 });
      const owner = { host: 'node7', pid: 7, startedAt: '', space: 'node7', processStart: null };
      writeFileSync(
        join(folder, `${name}.lock`),
        JSON.stringify({ ...owner, token: 'a'.repeat(16) }),
      );
      const files = () =>
        readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
      const before = files();
      const stop = new AbortController();
      let asked = 0;
      const { text, write } = bufferSink();
      const stderr: Sink = {
        async write(...parts) {
          await write(...parts);
          if (!text().includes('whether process 7 on node7 is still')) return;
          asked ||= performance.now();
          stop.abort(stopReason('SIGINT'));
        },
      };
      const options = { stdin: PASSWORD, signal: stop.signal, stderr };
      expect(await run(line.split(' '), options)).toMatchObject({ code: 130 });
      expect(performance.now() - asked).toBeLessThan(30_000);
      expect(files()).toEqual(before);
    },
  );
  withLinks('do not wait for a lock that is a link to nowhere', async () => {
    const { run, folder } = await user();
    await run(['config', 'set', 'repository', 'A.B']);
    symlinkSync('nowhere', join(folder, 'config.json.lock'));
    expect(await run(['config', 'set', 'repository', 'C.D'])).toMatchObject({
      code: 2,
      stderr: /config\.json\.lock is not a lock file\nhint: /,
    });
  });
  withModes('have modes that keep others out, and do not follow links', async () => {
    const { login, folder, run, newKey, file } = await user();
    await login();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);
    await run(['auth', 'login', '--api-key-stdin', '--insecure-file'], {
      stdin: (await newKey('ci')).key,
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const target = join(folder, 'elsewhere.json');
    for (const name of ['config.json', 'insecure-credentials.json']) {
      rmSync(join(folder, name), { force: true });
      writeFileSync(target, '{}');
      symlinkSync(target, join(folder, name));
      const { code, stderr } = await run([...OTHER, '--insecure-file'], { stdin: 'x' });
      expect([code === 0, stderr]).toEqual([false, /is a link/]);
      expect([readFileSync(target, 'utf8'), readlinkSync(join(folder, name))]).toEqual([
        '{}',
        target,
      ]);
      rmSync(join(folder, name));
    }
  });
});

describe('auth login --insecure-file', () => {
  it('loses no secret of runs side by side', async () => {
    const { run, file } = await user();
    const accounts = Array.from({ length: 8 }, (_, index) => `ACCOUNT.NO${index}`);
    const each = (command: (account: string) => string[]) =>
      Promise.all(accounts.map((account) => run(command(account), { stdin: 'secret' })));
    const store = ['--password-stdin', '--insecure-file', '--skip-verify'];
    for (const { code } of await each((account) => [
      ...['auth', 'login', '--repository', account, '--profile', account, ...store],
    ])) {
      expect(code).toBe(0);
    }
    expect(Object.keys(JSON.parse(readFileSync(file(), 'utf8')) as object)).toHaveLength(
      accounts.length,
    );
    for (const { code } of await each((account) => ['auth', 'logout', '--profile', account]))
      expect(code).toBe(0);
    expect([existsSync(file()), existsSync(`${file()}.lock`)]).toEqual([false, false]);
  });
  it('keeps a secret without a keychain, and shows it as such', async () => {
    const { keychain, login, run, file, baseUrl } = await user();
    expect(await login(PASSWORD, '--insecure-file')).toMatchObject(said(/not encrypted/));
    expect(keychain.asked).toEqual([]);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      [ENTRY(baseUrl, 'repository')]: PASSWORD,
    });
    expect(await run(['keys', 'list'])).toMatchObject({ code: 0 });
    expect(await run(['auth', 'status'])).toMatchObject({
      code: 0,
      stdout: /repository +insecure-file +yes/,
    });
    expect(keychain.asked).toEqual([]);
    expect(await run(['auth', 'logout'])).toMatchObject({ code: 0 });
    expect(existsSync(file())).toBe(false);
  });
  withModes('that cannot be read does not make a rotation lose the stored key', async () => {
    const { login, run, file, keychain, baseUrl } = await user();
    await login();
    await run(['keys', 'create', '--name', 'ci', '--save']);
    writeFileSync(file(), '{}');
    chmodSync(file(), 0o644);
    const rotated = await run(['keys', 'rotate', 'ci', '--save', '--yes', '--key-only']);
    expect(rotated.code, rotated.stderr).toBe(0);
    expect(keychain.secrets.get(ENTRY(baseUrl, 'api-key'))).toBe(rotated.stdout.trim());
    expect(await run(['dois', 'list', '--count', '--mine'])).toMatchObject({ code: 0 });
  });
  withModes('is not used while others could read or replace it', async () => {
    const { login, run, file, folder } = await user();
    await login(PASSWORD, '--insecure-file');
    chmodSync(file(), 0o644);
    expect(await run(['keys', 'list'])).toMatchObject({
      code: 4,
      stderr: /others can read.*\nhint: chmod 600/,
    });
    chmodSync(file(), 0o600);
    chmodSync(folder, 0o777);
    expect(await login(PASSWORD, '--insecure-file')).toMatchObject(refused(/others can write/));
    chmodSync(folder, 0o700);
    writeFileSync(file(), 'x'.repeat(10));
    expect(await run(['keys', 'list'])).toMatchObject({ code: 4, stderr: /not valid JSON/ });
  });
});

describe('a folder that another user could change', () => {
  withModes('keeps no secret, and no settings that say where a password goes', async () => {
    const { login, run, folder, keychain } = await user();
    expect(await run(['config', 'set', 'mailto', 'me@example.org'])).toMatchObject({ code: 0 });
    const parent = dirname(folder);
    chmodSync(parent, 0o777);
    const words = new RegExp(`${parent}, so .*\nhint: chmod go-w ${parent}`);
    expect(await login(PASSWORD, '--insecure-file')).toMatchObject({ code: 4, stderr: words });
    expect(await login()).toMatchObject({ code: 4, stderr: words });
    expect(keychain.secrets.size).toBe(0);
    // A setting that decides nothing about secrets can still be read.
    expect(await run(['config', 'get', 'mailto'])).toMatchObject({ code: 0 });
    chmodSync(parent, 0o700);
    await login();
    chmodSync(parent, 0o777);
    expect(await run(['keys', 'list'])).toMatchObject({ code: 4, stderr: words });
  });
  withLinks('is not one’s own folder behind a link', async () => {
    const { login, run, folder, file } = await user();
    const target = `${folder}-behind`;
    mkdirSync(target);
    symlinkSync(target, folder);
    expect(await login(PASSWORD, '--insecure-file')).toMatchObject({ code: 0 });
    expect(await run(['keys', 'list'])).toMatchObject({ code: 0 });
    expect(existsSync(file())).toBe(true);
  });
  it.skipIf(lacks('root'))('is one of theirs, or behind a link of theirs', async () => {
    const { login, folder } = await user();
    mkdirSync(folder);
    chownSync(folder, 4711, 4711);
    for (const more of [[], ['--insecure-file']]) {
      expect(await login(PASSWORD, ...more)).toMatchObject({
        code: 4,
        stderr: /belongs to another user, so .*\nhint: set DOI_CLI_CONFIG_DIR/,
      });
    }
    rmSync(folder, { recursive: true });
    mkdirSync(`${folder}-behind`);
    symlinkSync(`${folder}-behind`, folder);
    lchownSync(folder, 4711, 4711);
    expect(await login(PASSWORD, '--insecure-file')).toMatchObject({ code: 4 });
  });
});

describe('which credential is used', () => {
  it('nothing is asked of the keychain where nothing is stored for the account, or none is needed', async () => {
    const { keychain, login, run } = await user();
    await login();
    keychain.asked.length = 0;
    await run(['config', 'set', 'repository', 'MY.REPO']);
    expect(await run(['dois', 'list', '--count'])).toMatchObject({ code: 0 });
    const stderr = /none are set.*\nhint: .*auth login/;
    expect(await run(['keys', 'list'])).toMatchObject({ code: 4, stderr });
    await run(['config', 'set', 'repository', REPOSITORY]);
    for (const words of ['config list', 'auth --help', 'dois list --count --anonymous'])
      expect(await run(words.split(' '))).toMatchObject({ code: 0 });
    expect(keychain.asked).toEqual([]);
  });
  it('masks what came out of the keychain', async () => {
    const { login, run } = await user();
    await login();
    const { stderr } = await run(['dois', 'list', '--verbose', '--query', PASSWORD]);
    expect(stderr).toContain('GET');
    expect(stderr).not.toMatch(/correct.{1,3}horse/);
  });
});

describe('auth status', () => {
  it('tells of every credential where it comes from and whether it is accepted', async () => {
    const { baseUrl, login, run, newKey } = await user();
    await login();
    const { key } = await newKey('ci');
    await run(['auth', 'login', '--api-key-stdin'], { stdin: key });
    const env = { DOI_CLI_API_KEY: key, DOI_CLI_REPOSITORY: 'MY.REPO', DOI_CLI_PASSWORD: 'wrong' };
    const { code, stdout } = await run(['auth', 'status', '--format', 'json'], { env });
    expect(code).toBe(4);
    const password = { baseUrl, kind: 'repository', keyPrefix: null };
    const apiKey = { baseUrl, kind: 'api-key', keyPrefix: key.slice(0, 11), account: 'demo.repo' };
    const accepted = { accepted: true, message: null };
    const denied = { accepted: false, message: /401/ };
    expect(JSON.parse(stdout)).toMatchObject([
      { ...apiKey, source: 'environment', ...accepted },
      { ...password, account: 'MY.REPO', source: 'environment', ...denied },
      { ...password, account: REPOSITORY, source: 'keychain', ...accepted },
      { ...apiKey, source: 'keychain', ...accepted },
    ]);
    expect(await run(['auth', 'status'])).toMatchObject({
      code: 0,
      stdout:
        /^BASE URL +ACCOUNT +KIND +SOURCE +ACCEPTED\n.*DEMO\.REPO +repository +keychain +yes\n/,
    });
    expect(stdout).not.toContain(key);
  });
  it('tells a service that cannot be asked, and a keychain that cannot, from a refusal', async () => {
    const { keychain, login, run, control } = await user();
    await login();
    await control('faults', { faults: ['502'] });
    const down = await run(['auth', 'status', '--format', 'json']);
    expect([down.code, JSON.parse(down.stdout)]).toMatchObject([5, [{ accepted: null }]]);
    keychain.failing = { get: 'hanging' };
    const hanging = await run(['auth', 'status', '--format', 'json']);
    expect([hanging.code, JSON.parse(hanging.stdout)]).toMatchObject([
      4,
      [{ accepted: null, message: /does not answer/ }],
    ]);
  });
  it('shows other services only when none is chosen', async () => {
    const { login, run } = await user();
    await login();
    await run([...OTHER, '--test'], { stdin: 'x' });
    const { stdout } = await run(['auth', 'status', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([{ account: REPOSITORY }]);
  });
  it('is 4 when there are none, or half of one', async () => {
    const { run } = await user();
    const half = await run(['auth', 'status'], { env: { DOI_CLI_REPOSITORY: REPOSITORY } });
    expect(half).toMatchObject(refused(/no password is set for the repository account DEMO\.REPO/));
    expect(await run(['auth', 'status', '--format', 'json'])).toMatchObject({
      code: 4,
      stdout: '[]\n',
    });
  });
});

describe('auth logout', () => {
  it('brings back the base URL that a login has changed', async () => {
    const { login, run, baseUrl } = await user();
    const unset = { env: { DOI_CLI_BASE_URL: undefined } };
    const url = async () => (await run(['config', 'get', 'base-url'], unset)).stdout.trim();
    await login();
    expect(await url()).toBe(baseUrl);
    expect(await run(['auth', 'logout'], unset)).toMatchObject({
      code: 0,
      stderr: /the profile default uses https:\/\/api\.datacite\.org again/,
    });
    expect([await url(), (await run(['config', 'list'])).stdout]).toEqual(['', '']);
    // The base URL before the first of several logins comes back.
    await run(['config', 'set', 'base-url', 'https://api.test.datacite.org']);
    await login();
    await run(OTHER, { env: { DOI_CLI_BASE_URL: 'https://example.org' }, stdin: 'x' });
    expect(await url()).toBe('https://example.org');
    await run(['auth', 'logout', '--all']);
    expect(await url()).toBe('https://api.test.datacite.org');
  });
  it('leaves a base URL that was set, also after a login', async () => {
    const { login, run, baseUrl } = await user();
    await run(['config', 'set', 'base-url', baseUrl]);
    await login();
    await run(['auth', 'logout']);
    expect((await run(['config', 'get', 'base-url'])).stdout).toBe(`${baseUrl}\n`);
    await run(['config', 'unset', 'base-url']);
    await login();
    await run(['config', 'set', 'base-url', baseUrl]);
    await run(['auth', 'logout']);
    expect((await run(['config', 'list'])).stdout).toBe(`default.base-url=${baseUrl}\n`);
  });
  it('says where somebody is logged in still when the service changes back', async () => {
    const { login, run, baseUrl, settings } = await user();
    const argv = [...LOGIN, '--skip-verify'];
    const unset = { env: { DOI_CLI_BASE_URL: undefined } };
    await run(argv, { ...unset, stdin: 'x' });
    await login();
    await run(['auth', 'logout'], unset);
    expect(settings()).toMatchObject({
      profiles: { default: { repository: REPOSITORY } },
      stored: [{ baseUrl: 'https://api.datacite.org', account: REPOSITORY }],
    });
    expect(JSON.stringify(settings())).not.toContain(baseUrl);
  });
  it('erases nothing where the profile does not exist, whatever the environment names', async () => {
    const { run, login, keychain } = await user();
    await login();
    const env = { DOI_CLI_REPOSITORY: REPOSITORY };
    expect(await run(['auth', 'logout', '--profile', 'slip'], { env })).toMatchObject({ code: 2 });
    expect(keychain.secrets.size).toBe(1);
  });
  it('erases what is stored for the account, and leaves the rest', async () => {
    const { keychain, login, run, newKey, settings, baseUrl } = await user();
    await login();
    const { key } = await newKey('ci');
    await run(['auth', 'login', '--api-key-stdin'], { stdin: key });
    await run([...OTHER, '--profile', 'b'], { stdin: 'x' });
    const { code, stderr } = await run(['auth', 'logout']);
    expect([code, stderr]).toEqual([0, /Erased the password of DEMO\.REPO.*\nErased an API key/]);
    expect([...keychain.secrets.keys()]).toEqual([ENTRY(baseUrl, 'repository', 'A.B')]);
    expect(settings()).toEqual({
      profiles: { b: { 'base-url': baseUrl, 'base-url-before-login': '', repository: 'A.B' } },
      stored: [{ baseUrl, kind: 'repository', account: 'A.B', place: 'keychain' }],
    });
    expect(await run(['keys', 'list'])).toMatchObject({ code: 4 });
    expect(await run(['auth', 'logout', '--all'])).toMatchObject({ code: 0 });
    expect([keychain.secrets.size, settings()]).toMatchObject([0, { stored: [] }]);
    expect(await run(['auth', 'logout'])).toMatchObject({ code: 0, stderr: /nothing is stored/ });
  });
  it('erases only the API key with --api-key, and says so where there is none', async () => {
    const { keychain, login, run, newKey, settings, baseUrl } = await user();
    await login();
    const before = settings();
    const { key } = await newKey('ci');
    await run(['auth', 'login', '--api-key-stdin'], { stdin: key });
    expect(await run(['auth', 'logout', '--api-key'])).toMatchObject({
      code: 0,
      stderr: /^Erased an API key of demo\.repo/i,
    });
    expect([...keychain.secrets]).toEqual([[ENTRY(baseUrl, 'repository'), PASSWORD]]);
    // The profile has the spelling of the last login.
    expect(JSON.stringify(settings()).toLowerCase()).toBe(JSON.stringify(before).toLowerCase());
    const asked = keychain.asked.length;
    expect(await run(['auth', 'logout', '--api-key'])).toMatchObject({
      code: 0,
      stderr: 'no API key is stored, so there is nothing to erase\n',
    });
    expect(keychain.asked.length).toBe(asked);
    expect(await run(['keys', 'list'])).toMatchObject({ code: 0 });
  });
  it('erases only the API key of the account that is named', async () => {
    const { keychain, run, baseUrl } = await user();
    for (const account of ['A.B', 'C.D']) {
      const argv = ['auth', 'login', '--api-key-stdin', '--skip-verify', '--repository', account];
      await run([...argv, '--profile', account], { stdin: `DC.${'a'.repeat(32)}` });
    }
    expect((await run(['auth', 'logout', '--api-key', '--repository', 'a.b'])).code).toBe(0);
    expect([...keychain.secrets.keys()]).toEqual([ENTRY(baseUrl, 'api-key', 'C.D')]);
  });
  it('says so when the environment goes on giving credentials, or names another account', async () => {
    const { login, run } = await user();
    await login();
    const named = await run(['auth', 'logout'], { env: { DOI_CLI_REPOSITORY: 'MY.REPO' } });
    expect(named.stderr).toMatch(/nothing is stored for MY\.REPO \(DOI_CLI_REPOSITORY\)/);
    const given = await run(['auth', 'logout'], { env: { DOI_CLI_API_KEY: 'a-key' } });
    expect(given.stderr).toMatch(/DOI_CLI_API_KEY is set in the environment/);
  });
  it('starts nothing in a container where nothing is stored', async () => {
    expect(await run(['auth', 'logout', '--all'])).toMatchObject(said(/nothing is stored/));
  });
});
