import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/emulator.ts';
import { parseFault } from '../../src/emulator/faults.ts';
import { cleanEnv, program } from './program.ts';

const REPOSITORY = 'DEMO.REPO';
const PASSWORD = 'pa:ss wörd+/=%&"\'\\ 7Zq';

/** Every spelling in which a secret could be found again. */
function spellings(secret: string, username?: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const plain = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64(secret)];
  // Inside of longer text, base64 has three alignments: what is certain of each is without its edges.
  const inside = ['x', 'xx', 'xxx'].map((lead) => base64(`${lead}${secret}`).slice(6, -6));
  return [
    ...plain,
    ...inside,
    ...(username === undefined ? [base64(`${secret}:`)] : [base64(`${username}:${secret}`)]),
  ];
}

/** All files below a folder, with their contents. */
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
  // Where there is no keychain, nothing is stored either.
  [['auth', 'login', '--repository', REPOSITORY, '--password-stdin'], PASSWORD],
  [['auth', 'login', '--api-key-stdin'], 'THE KEY'],
  [['dois', 'list']],
  [['dois', 'list', '--all', '--page-size', '100']],
  [['dois', 'list', '--mine', '--format', 'csv']],
  [['dois', 'list', '--count']],
  [['dois', 'list', '--query', `titles:${PASSWORD}`]],
  [['dois', 'list', '--filter', `subject=${PASSWORD}`, '--format', 'json']],
  [['dois', 'get', '10.5072/none']],
  [['dois', 'create', '--file', '-'], RECORD],
  [['mds', 'doi', 'put', '10.5072/none', '--url', 'https://example.org/']],
  [['datafile', 'list']],
  [['dois', 'create', '--file', '-', '--event', 'publish', '--format', 'json'], RECORD],
  [['dois', 'create', '--file', '-'], `${RECORD}\n${RECORD}\n`],
];

/** Commands that send nothing, whatever the weather. */
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

/** What may go wrong with each command; retries are few, so that the failure shows. */
const WEATHER = [
  '',
  '500',
  '502',
  '403',
  '429=0',
  'reset',
  'truncate',
  'truncate-gzip',
  'stall',
  'anonymous',
  'foreign-next',
];

describe('the password and the API key', () => {
  it.each(WEATHER)('appear nowhere when every command runs under %j', { timeout: 120_000 }, async (fault) => {
    const emulator = await startEmulator({
      records: 300,
      accounts: [{ id: REPOSITORY, password: PASSWORD }],
    });
    const key = await seedKey(emulator);
    const secrets = [...spellings(PASSWORD, REPOSITORY), ...spellings(key)];
    if (fault !== '') await setFault(emulator, fault);
    try {
      const accounts = [
        { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: PASSWORD },
        { DOI_CLI_API_KEY: key },
      ];
      const runs = [...COMMANDS, ...(fault === '' ? LOCAL : [])].flatMap(([argv, stdin = '']) =>
        accounts.map((account) => async () => {
          const env = cleanEnv({
            ...account,
            DOI_CLI_BASE_URL: emulator.baseUrl,
            DOI_CLI_MDS_URL: emulator.mdsUrl,
            DOI_CLI_DATAFILE_ENDPOINT: emulator.datafileEndpoint,
            DOI_CLI_DEBUG: '1',
          });
          const options = argv.length > 1 ? ['--verbose', '--retries', '1', '--timeout', '400ms'] : [];
          const result = await program([...argv, ...options], { env, stdin: stdin.replace('THE KEY', key) });
          const everything = result.stdout + result.stderr + contents(env['HOME'] ?? '');
          expect(everything.length, argv.join(' ')).toBeGreaterThan(0);
          const leaked = secrets.filter((secret) => everything.includes(secret));
          expect(leaked, `${argv.join(' ')}\n${everything}`).toEqual([]);
        }),
      );
      // Most of their time is waiting, so they run side by side.
      await Promise.all(
        [0, 1, 2, 3, 4, 5].map(async () => {
          for (let next = runs.shift(); next !== undefined; next = runs.shift()) await next();
        }),
      );
    } finally {
      await emulator.close();
    }
  });

  it('of a new account appear in the one line that prints them', async () => {
    const emulator = await startEmulator({ records: 0, accounts: [{ id: REPOSITORY, password: PASSWORD }] });
    try {
      const env = cleanEnv({
        DOI_CLI_REPOSITORY: REPOSITORY,
        DOI_CLI_PASSWORD: PASSWORD,
        DOI_CLI_BASE_URL: emulator.baseUrl,
        DOI_CLI_DEBUG: '1',
      });
      for (const format of [[], ['--format', 'json'], ['--key-only']]) {
        const { stdout, stderr } = await program(['keys', 'create', '--name', 'x', '--verbose', ...format], {
          env,
        });
        const [key = 'none'] = /DC\.[A-Za-z0-9]{32}/.exec(stdout) ?? [];
        expect(stdout.split('\n').filter((line) => line.includes(key))).toHaveLength(1);
        const elsewhere = stdout.replace(key, '') + stderr + contents(env['HOME'] ?? '');
        for (const secret of [...spellings(key), ...spellings(PASSWORD, REPOSITORY)]) {
          expect(elsewhere).not.toContain(secret);
        }
      }
    } finally {
      await emulator.close();
    }
  });
});

async function seedKey({ baseUrl }: Emulator): Promise<string> {
  const response = await fetch(`${baseUrl}/credentials/api-keys`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${REPOSITORY}:${PASSWORD}`).toString('base64')}`,
      'content-type': 'application/vnd.api+json',
    },
    body: JSON.stringify({ data: { type: 'apiKeys', attributes: { name: 'seeded' } } }),
  });
  const { data } = (await response.json()) as { data: { attributes: { key: string } } };
  return data.attributes.key;
}

async function setFault({ baseUrl }: Emulator, fault: string): Promise<void> {
  parseFault(fault);
  const response = await fetch(`${baseUrl}/_emulator/faults`, {
    method: 'POST',
    body: JSON.stringify({ faults: [fault] }),
  });
  expect(response.status).toBe(200);
}
