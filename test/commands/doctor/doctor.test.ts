import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../../src/errors.ts';
import { emulate, PASSWORD, REPOSITORY } from '../../helpers/emulator.ts';
import { MemoryKeychain } from '../../helpers/memory-keychain.ts';
import { lacks } from '../../helpers/platform.ts';
import { type RunOptions, run } from '../../helpers/run.ts';
import { answer, closedPort, serve } from '../../helpers/server.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const withModes = it.skipIf(lacks('permissions'));

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string | null;
}

const LOGIN = ['auth', 'login', '--repository', REPOSITORY, '--password-stdin'];

/** A user with a keychain and a folder for settings. */
function patient(options: RunOptions = {}) {
  const keychain = new MemoryKeychain();
  const folder = join(temporaryDirectory(), 'config');
  const withOwn = (argv: readonly string[], more: RunOptions = {}) =>
    run(argv, {
      keychain,
      ...options,
      ...more,
      env: { DOI_CLI_CONFIG_DIR: folder, ...options.env, ...more.env },
    });
  const doctor = async (...argv: string[]) => {
    const { code, stdout, stderr } = await withOwn(['doctor', '--format', 'json', ...argv]);
    const findings = JSON.parse(stdout) as Finding[];
    const wrong = findings.filter(({ status }) => status !== 'ok');
    return {
      code,
      stderr,
      findings,
      wrong,
      of: (check: string) => findings.filter((f) => f.check === check),
    };
  };
  return { keychain, folder, run: withOwn, doctor };
}

describe('doctor', () => {
  it('names the number of profiles', async () => {
    const { doctor, run: own } = patient();
    for (const name of ['one', 'two'])
      await own(['config', 'set', 'prefix', '10.5072', '--profile', name]);
    const { findings } = await doctor('--profile', 'two');
    const profile = findings.find(({ check }) => check === 'profile');
    expect(profile?.message).toMatch(/^the profile two, one of 2, uses http/);
  });
  it('finds nothing wrong where all is well, and says what it looked at', async () => {
    const emulator = await emulate();
    const { doctor, run: own } = patient({ env: { DOI_CLI_BASE_URL: emulator.baseUrl } });
    await own(LOGIN, { stdin: PASSWORD });
    const { key, prefix } = await emulator.newKey('ci');
    await own(['auth', 'login', '--api-key-stdin'], { stdin: key });
    const before = (await emulator.log()).length;
    const { code, stderr, findings, wrong } = await doctor();
    expect([code, stderr, wrong]).toEqual([0, '', []]);
    expect(findings.map(({ check, message }) => [check, message])).toEqual([
      ['node', 'Node.js 20.18.1'],
      ['config-folder', /can be written$/],
      ['profile', `the profile default uses ${emulator.baseUrl} as ${REPOSITORY}`],
      ['keychain', 'the keychain works'],
      ['proxy', 'none'],
      ['service', /^127\.0\.0\.1:\d+ works$/],
      ['clock', 'agrees with the clock of the service'],
      ['credentials', `the password of ${REPOSITORY} from the keychain is accepted`],
      ['credentials', expect.stringContaining(`the API key ${prefix} of `)],
    ]);
    // It changes nothing.
    expect((await emulator.log()).slice(before).every(({ method }) => method === 'GET')).toBe(true);
    const text = await own(['doctor']);
    expect(text.stdout).toMatch(/^ok {7}node {11}Node\.js 20\.18\.1\n/);
    expect(text.stdout + JSON.stringify(findings)).not.toContain(key);
    expect(text.stdout + JSON.stringify(findings)).not.toContain(PASSWORD);
  });
  it('takes a reader without credentials for a healthy one', async () => {
    const { baseUrl } = await emulate();
    const { doctor, folder } = patient({ env: { DOI_CLI_BASE_URL: baseUrl } });
    const { code, of } = await doctor();
    const [{ message } = {}] = of('config-folder');
    expect([code, message]).toEqual([0, `${folder} does not exist yet, and can be made`]);
    expect(of('credentials')).toMatchObject([{ status: 'ok', hint: /doi-cli auth login/ }]);
  });
  it('sends no credentials with --anonymous', async () => {
    const { env } = await emulate();
    const { url, asked } = await serve((response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('OK'),
    );
    const { doctor } = patient({ env: { ...env, DOI_CLI_BASE_URL: url.href } });
    const { code, of } = await doctor('--anonymous');
    expect([code, of('credentials')]).toMatchObject([0, [{ message: /none are sent/ }]]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
  it('looks at the version of Node.js that package.json asks for', async () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      engines: { node: string };
    };
    const oldest = engines.node.replace('>=', '');
    const { baseUrl } = await emulate();
    const at = (nodeVersion: string) =>
      patient({ env: { DOI_CLI_BASE_URL: baseUrl }, nodeVersion }).doctor();
    expect((await at(`v${oldest}`)).code).toBe(0);
    for (const version of ['v18.20.0', 'v20.18.0', 'v20.9.9']) {
      const wrong = [{ check: 'node', message: new RegExp(oldest) }];
      expect(await at(version)).toMatchObject({ code: 1, wrong });
    }
    expect((await at('v100.0.0')).code).toBe(0);
  });
});

describe('doctor, with a network that does not work', () => {
  it.each([
    ['a closed port', async () => (await closedPort()).origin, /connection was refused/],
    ['an unknown host', async () => 'https://nowhere.invalid', /nowhere\.invalid.*the host name/],
  ])('says why nothing answers, and asks for no credential: %s', async (_, makeUrl, words) => {
    const { doctor, keychain, run: own } = patient({ env: { DOI_CLI_BASE_URL: await makeUrl() } });
    await own([...LOGIN, '--skip-verify'], { stdin: PASSWORD });
    keychain.asked.length = 0;
    expect(await doctor()).toMatchObject({
      code: 5,
      wrong: [
        { check: 'service', status: 'problem', message: words, hint: expect.any(String) },
        { check: 'credentials', status: 'warning', message: /^not checked/ },
      ],
    });
    expect(keychain.asked).toEqual(['check']);
  });
  it.each([
    [
      'another service',
      answer(200, 'It works!', { 'content-type': 'text/plain' }),
      /it is not the service/,
    ],
    ['a web page', answer(200, '<html>', { 'content-type': 'text/html' }), /web page/],
    ['an error', answer(404, {}), /HTTP 404/],
  ])('takes nothing else for the service: %s', async (_, said, words) => {
    const { url } = await serve(said);
    const { code, wrong } = await patient({ env: { DOI_CLI_BASE_URL: url.href } }).doctor();
    expect(code).not.toBe(0);
    expect(wrong[0]).toMatchObject({ check: 'service', message: words });
  });
  it.each([
    [3600_000, 1, 'problem', '60 min ahead of the clock of the service'],
    [-3600_000, 1, 'problem', '60 min behind the clock of the service'],
    [300_000, 0, 'warning', '5 min ahead of the clock of the service'],
    [20_000, 0, 'ok', 'agrees with the clock of the service'],
  ])('compares the clock: %d ms', async (ms, exitCode, status, message) => {
    const { baseUrl } = await emulate();
    const { doctor } = patient({ env: { DOI_CLI_BASE_URL: baseUrl }, now: () => Date.now() + ms });
    const { code, of } = await doctor();
    expect([code, of('clock')]).toMatchObject([exitCode, [{ status, message }]]);
  });
  it('says that there is no time to compare with', async () => {
    const { url } = await serve((response) => {
      response.sendDate = false;
      response.writeHead(200, { 'content-type': 'text/plain' }).end('OK');
    });
    const { code, of } = await patient({ env: { DOI_CLI_BASE_URL: url.href } }).doctor();
    expect([code, of('clock')]).toMatchObject([0, [{ status: 'warning', message: /no time/ }]]);
  });
  it('names the proxy and the variable that names it, without its password', async () => {
    const proxy = (await closedPort()).origin.replace('//', '//me:pr0xy-secret@');
    const env = { DOI_CLI_BASE_URL: 'https://nowhere.invalid', HTTPS_PROXY: proxy };
    const { code, of, findings } = await patient({ env }).doctor();
    const { host } = new URL(proxy);
    expect([code, of('proxy')]).toMatchObject([
      5,
      [{ message: `http://${host}, from HTTPS_PROXY` }],
    ]);
    expect(of('service')[0]).toMatchObject({ status: 'problem' });
    expect(JSON.stringify(findings)).not.toContain('pr0xy-secret');
    const wrong = await patient({
      env: { ...env, HTTPS_PROXY: 'socks5://x:pr0xy-secret@y' },
    }).doctor();
    expect([wrong.code, wrong.of('proxy')[0]]).toMatchObject([1, { status: 'problem' }]);
    expect(JSON.stringify(wrong.findings)).not.toContain('pr0xy-secret');
    const left = await patient({ env: { ...env, NO_PROXY: 'invalid' } }).doctor();
    expect(left.of('proxy')[0]?.message).toBe(
      'none: HTTPS_PROXY is set, but NO_PROXY excludes this service',
    );
  });
});

describe('doctor, interrupted', () => {
  it('ends while it waits for the heartbeat', async () => {
    const stop = new AbortController();
    const { url } = await serve(() => stop.abort(stopReason('SIGINT')));
    const { run: own } = patient({ env: { DOI_CLI_BASE_URL: url.href }, signal: stop.signal });
    expect((await own(['doctor'])).code).toBe(130);
  });
  it('ends before it connects', async () => {
    for (const url of ['https://nowhere.invalid', (await closedPort()).origin]) {
      const signal = AbortSignal.abort(stopReason('SIGINT'));
      const { run: own } = patient({ env: { DOI_CLI_BASE_URL: url }, signal });
      expect((await own(['doctor'])).code).toBe(130);
    }
  });
});

describe('doctor, with something wrong here', () => {
  it.each(['locked', 'missing', 'refused', 'hanging'] as const)(
    'calls a keychain that is %s a problem only where something is stored in it',
    async (failure) => {
      const { baseUrl } = await emulate();
      const { doctor, keychain, run: own } = patient({ env: { DOI_CLI_BASE_URL: baseUrl } });
      keychain.failing = { check: failure, get: failure };
      const hint = /--insecure-file/;
      expect(await doctor()).toMatchObject({
        code: 0,
        wrong: [{ check: 'keychain', status: 'warning', hint }],
      });
      keychain.failing = {};
      await own(LOGIN, { stdin: PASSWORD });
      keychain.failing = { check: failure, get: failure };
      expect(await doctor()).toMatchObject({
        code: 4,
        wrong: [
          { check: 'keychain', status: 'problem' },
          { check: 'credentials', status: 'problem', message: /cannot be checked/ },
        ],
      });
    },
  );
  it('says which credentials are refused, and what repairs them', async () => {
    const { baseUrl } = await emulate();
    const account = { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: 'wrong horse' };
    const env = { DOI_CLI_BASE_URL: baseUrl, ...account };
    const { code, wrong } = await patient({ env }).doctor();
    const message = /^the password of DEMO\.REPO from the environment is refused: /;
    const hint = 'correct DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD';
    expect([code, wrong]).toMatchObject([4, [{ check: 'credentials', message, hint }]]);
    expect(JSON.stringify(wrong)).not.toContain('wrong horse');
    const half = await patient({ env: { ...env, DOI_CLI_PASSWORD: undefined } }).doctor();
    expect(half).toMatchObject({ code: 4, wrong: [{ message: /no password is set/ }] });
  });
  it('reports settings that cannot be read, a profile that does not exist, and a wrong base URL', async () => {
    const { folder, doctor, run: own } = patient({ env: { DOI_CLI_BASE_URL: '' } });
    expect((await doctor()).wrong).toMatchObject([
      { check: 'profile', message: /DOI_CLI_BASE_URL is set but empty/ },
    ]);
    const problem = (message: RegExp) => ({ code: 1, wrong: [{ check: 'profile', message }] });
    const missing = problem(/there is no profile 'nope'/);
    expect(await doctor('--profile', 'nope')).toMatchObject(missing);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'config.json'), '{', { mode: 0o600 });
    expect(await doctor()).toMatchObject(problem(/the file is not JSON/));
    expect((await own(['doctor'])).stdout).toMatch(/^problem {2}profile {8}the settings in /m);
  });
  withModes(
    'warns of a folder that others can write in, and of one that cannot be made',
    async () => {
      const { baseUrl } = await emulate();
      const { folder, doctor } = patient({ env: { DOI_CLI_BASE_URL: baseUrl } });
      mkdirSync(folder);
      chmodSync(folder, 0o777);
      expect((await doctor()).of('config-folder')).toMatchObject([
        { status: 'warning', hint: `chmod 700 ${folder}` },
      ]);
      const file = join(temporaryDirectory(), 'file');
      writeFileSync(file, '');
      const env = { DOI_CLI_BASE_URL: baseUrl, DOI_CLI_CONFIG_DIR: join(file, 'config') };
      expect((await patient({ env }).doctor()).of('config-folder')).toMatchObject([
        { status: 'warning' },
      ]);
    },
  );
  it('breaks lines at words on a terminal', async () => {
    const { run: own } = patient({
      env: { DOI_CLI_BASE_URL: 'http://127.0.0.1:9' },
      terminal: { stdout: true, columns: 60 },
    });
    const { stdout } = await own(['doctor']);
    expect(stdout).toMatch(/\nproblem +service +\S.*\n {24}\S/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });
  it('colours the words on a terminal, unless it must not', async () => {
    const { baseUrl } = await emulate();
    const { run: own } = patient({
      env: { DOI_CLI_BASE_URL: baseUrl, NO_COLOR: '' },
      terminal: { stdout: true },
    });
    expect((await own(['doctor'])).stdout).toContain('\u001b[32mok');
    expect((await own(['doctor', '--no-color'])).stdout).not.toContain('\u001b');
  });
});

it.each([
  'doctor',
  'dois get 10.5072/a',
  'dois list --count',
  'keys list',
  'dois create --prefix 10.5072 --title A',
])('%s says that a base URL is not the root of the API', async (line) => {
  const { baseUrl, run } = await emulate();
  const env = { DOI_CLI_BASE_URL: `${baseUrl}/gateway/` };
  const { code, stdout, stderr } = await run(line.split(' '), { env });
  expect(stdout + stderr).toMatch(/the base URL \S+\/gateway\/ is not the root of the API/);
  expect(code).toBe(line === 'doctor' ? 1 : 2);
});
