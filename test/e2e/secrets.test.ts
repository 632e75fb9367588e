import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../helpers/emulator.ts';
import { MemoryKeychain } from '../helpers/memory-keychain.ts';
import { run } from '../helpers/run.ts';
import { cleanEnv, program } from './program.ts';

const REPOSITORY = 'DEMO.REPO';
const PASSWORD = 'pa:ss wörd+/=%&"\'\\ 7Zq';

/** Every encoding in which a secret could leak. */
function spellings(secret: string, username?: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const plain = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64(secret),
  ];
  // Within longer text base64 has three alignments; the edges of each depend on the text around it.
  const inside = ['x', 'xx', 'xxx'].map((lead) => base64(`${lead}${secret}`).slice(6, -6));
  return [
    ...plain,
    ...inside,
    ...(username === undefined ? [base64(`${secret}:`)] : [base64(`${username}:${secret}`)]),
  ];
}

/** The paths and contents of all files below a folder. */
function contents(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path}\n${readFileSync(path, 'latin1')}`)
    .join('\n');
}

const RECORD = JSON.stringify({ prefix: '10.5072', titles: [{ title: 'A test' }] });

const COMMANDS: readonly (readonly [argv: readonly string[], stdin?: string])[] = [
  [['keys', 'list']],
  [['keys', 'list', '--include-revoked', '--format', 'json']],
  [['keys', 'list', '--format', 'ndjson']],
  [['keys', 'list', '--format', 'csv']],
  [['keys', 'revoke', 'seeded', '--yes']],
  [['keys', 'revoke', 'unknown', '--yes']],
  [['keys', 'audit', '--stale', '1d']],
  [['keys', 'identify'], 'THE KEY'],
  [['auth', 'status']],
  // Without a keychain these store nothing.
  [['auth', 'login', '--repository', REPOSITORY, '--password-stdin'], PASSWORD],
  [['auth', 'login', '--api-key-stdin'], 'THE KEY'],
  [['dois', 'list']],
  [['dois', 'list', '--all', '--page-size', '100']],
  [['dois', 'list', '--mine', '--format', 'csv']],
  [['dois', 'list', '--count']],
  // Escaped, because the service repeats a query that it cannot read, and a run with the key alone
  // knows no password.
  [['dois', 'list', '--query', `titles.title:${PASSWORD.replaceAll(/\W/g, '\\$&')}`]],
  [['dois', 'list', '--filter', `user-id=${PASSWORD}`, '--format', 'json']],
  [['dois', 'get', '10.5072/none']],
  [['dois', 'create', '--file', '-'], RECORD],
  [['dois', 'create', '--file', '-', '--event', 'publish', '--format', 'json'], RECORD],
  [['dois', 'create', '--file', '-'], `${RECORD}\n${RECORD}\n`],
];

/** Commands that send no request, so no fault changes them. */
const LOCAL: typeof COMMANDS = [
  [['keys', 'revoke', 'seeded']],
  [['keys', 'create', '--name', ' ']],
  [['dois', 'create', '--file', '-'], `{"prefix":"${PASSWORD}`],
  [['auth', 'logout', '--all']],
  [['config', 'list']],
  [['config', 'set', 'mailto', 'me@example.org']],
  [['config', 'get', 'mailto']],
  [['config', 'path']],
  [['--version']],
  [['--help']],
  [['frob']],
];

/** One fault of each kind; retries are few, so that the failures show. */
const FAULTS = ['', ...'403 reset truncate-gzip anonymous foreign-next'.split(' ')];

/** One of each way in which a command reads, sends or stores something. */
const BUILT = [
  'keys list',
  'keys revoke seeded --yes',
  'dois list --all --page-size 100',
  'keys identify',
  'auth status',
  'auth login --api-key-stdin',
  'dois create --file -',
  'config set mailto me@example.org',
  'frob',
];

interface Run {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands as each account, and searches their output and files for the secrets. */
async function searched(
  { baseUrl }: TestEmulator,
  key: string,
  runs: readonly (readonly [command: (typeof COMMANDS)[number], asAccount: boolean])[],
  atOnce: number,
  start: (argv: readonly string[], env: Record<string, string>, stdin: string) => Promise<Run>,
): Promise<void> {
  const secrets = [...spellings(PASSWORD, REPOSITORY), ...spellings(key)];
  const pending = runs.map(([[argv, stdin = ''], asAccount]) => async () => {
    const account: Record<string, string> = asAccount ? ACCOUNT : { DOI_CLI_API_KEY: key };
    const env = cleanEnv({ ...account, DOI_CLI_BASE_URL: baseUrl, DOI_CLI_DEBUG: '1' });
    // These meet no fault, and a run that is not done keeps the records that it has read.
    const timeout = LOCAL.some(([local]) => local === argv) ? '60s' : '400ms';
    const options = argv.length > 1 ? ['--verbose', '--retries', '1', '--timeout', timeout] : [];
    const { stdout, stderr } = await start(
      [...argv, ...options],
      env,
      stdin.replace('THE KEY', key),
    );
    const everything = stdout + stderr + contents(env['HOME'] ?? '');
    expect(everything.length, argv.join(' ')).toBeGreaterThan(0);
    const leaked = secrets.filter((secret) => everything.includes(secret));
    expect(leaked, `${argv.join(' ')}\n${everything}`).toEqual([]);
  });
  // They mostly wait, so several run at once.
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) await next();
    }),
  );
}

const ACCOUNT = { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: PASSWORD };

/** An emulator with a fault, and a key that was created before the fault began. */
async function underFault(fault: string) {
  const emulator = await emulate({ accounts: [{ id: REPOSITORY, password: PASSWORD }] });
  const create = ['keys', 'create', '--name', 'seeded', '--key-only'];
  const { stdout } = await emulator.run(create, { env: ACCOUNT });
  if (fault !== '') await emulator.control('faults', { faults: [fault] });
  return { emulator, key: stdout.trim() };
}

describe('the password and the API key', () => {
  it.each(FAULTS)('appear nowhere when every command runs under %j', async (fault) => {
    const { emulator, key } = await underFault(fault);
    const all = [...COMMANDS, ...(fault === '' ? LOCAL : [])];
    const both = all.flatMap((command) => [[command, true] as const, [command, false] as const]);
    await searched(emulator, key, both, 20, (argv, env, stdin) => {
      const keychain = new MemoryKeychain();
      keychain.failing = { get: 'missing', set: 'missing', delete: 'missing', check: 'missing' };
      const home = { DOI_CLI_CONFIG_DIR: join(env['HOME'] ?? '', 'config') };
      return run(argv, { env: { ...env, ...home }, stdin, keychain });
    });
  });

  it('appear nowhere when the built program runs', async () => {
    const { emulator, key } = await underFault('');
    const runs = [...COMMANDS, ...LOCAL]
      .filter(([argv]) => BUILT.includes(argv.join(' ')))
      .map((command, index) => [command, index % 2 === 0] as const);
    expect(runs.length).toBeGreaterThanOrEqual(BUILT.length);
    await searched(emulator, key, runs, 3, (argv, env, stdin) => program(argv, { env, stdin }));
  });

  it('of a new account appear in the one line that prints them', async () => {
    const { emulator } = await underFault('');
    const more = { DOI_CLI_BASE_URL: emulator.baseUrl, DOI_CLI_DEBUG: '1' };
    const env = cleanEnv({ ...ACCOUNT, ...more });
    for (const format of [[], ['--format', 'json'], ['--key-only']]) {
      const argv = ['keys', 'create', '--name', 'x', '--verbose', ...format];
      const { stdout, stderr } = await program(argv, { env });
      const [key = 'none'] = /DC\.[A-Za-z0-9]{32}/.exec(stdout) ?? [];
      expect(stdout.split('\n').filter((line) => line.includes(key))).toHaveLength(1);
      const elsewhere = stdout.replace(key, '') + stderr + contents(env['HOME'] ?? '');
      for (const secret of [...spellings(key), ...spellings(PASSWORD, REPOSITORY)])
        expect(elsewhere).not.toContain(secret);
    }
  });
});

it.each(['undici', '*'])(
  'are not printed by libraries: with NODE_DEBUG=%s, no request is sent',
  async (NODE_DEBUG) => {
    const { env, log } = await emulate();
    const { code, stderr } = await program(['keys', 'list'], { env: { ...env, NODE_DEBUG } });
    expect(code).toBe(2);
    expect(stderr).toContain('hint: unset NODE_DEBUG; --verbose shows');
    expect(await log()).toEqual([]);
  },
);
