import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { against } from '../helpers/against.ts';
import { emulate, REPOSITORY } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { type Answer, answer } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const basic = (password: string) => Buffer.from(`${REPOSITORY}:${password}`).toString('base64');

/** Runs a command as an account with this password against a server with these answers. */
async function as(password: string, argv: readonly string[], ...answers: readonly Answer[]) {
  const env = { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: password, DOI_CLI_DEBUG: '1' };
  return against(argv, answers, { env });
}

describe('words of the service with a secret in them', () => {
  const PASSWORDS = [
    ['plain', 'tr0ub4dor&3"x'],
    ['with two blanks, a tab and a no-break space', 'correct  horse\tbattery\u00a0staple'],
    ['with blanks at its edges', '  open sesame  '],
    ['with invisible characters', 'open\u00ad\u200bsesame\u0007'],
    ['of 8,000 characters', 'aB3$'.repeat(2000)],
  ] as const;
  const PLACES: readonly (readonly [string, (secret: string) => unknown])[] = [
    ['a title', (secret) => ({ errors: [{ title: `no ${secret} here` }] })],
    // The message is cut within the secret.
    [
      'a title at character 990',
      (secret) => ({ errors: [{ title: `${'-'.repeat(987)} ${secret}` }] }),
    ],
    ['a source', (secret) => ({ errors: [{ source: `a ${secret}`, title: 'wrong' }] })],
    [
      'a source at character 990',
      (secret) => ({ errors: [{ source: `${'-'.repeat(987)} ${secret}`, title: 'wrong' }] }),
    ],
    ['a message', (secret) => ({ message: `${secret}` })],
  ];
  // Each password in the place where a message is cut, and one of them in every place.
  const cases = PASSWORDS.flatMap(([name, password], at) =>
    (at === 0 ? PLACES : PLACES.slice(1, 2)).map(
      ([place, body]) => [name, place, password, body] as const,
    ),
  );
  it.each(cases)('print none %s, in %s', async (_, __, password, body) => {
    for (const [secret, format] of [
      [password, 'table'],
      [basic(password), 'json'],
    ] as const) {
      const { code, stdout, stderr } = await as(
        password,
        ['keys', 'list', '--format', format],
        answer(422, body(secret)),
      );
      expect(code).toBe(1);
      expect(stdout).toBe('');
      const said = stderr.replace(/\s+/g, ' ');
      for (const part of [secret.trim().slice(0, 9), secret.trim().slice(-9)]) {
        expect(said).not.toContain(part.replace(/\s+/g, ' '));
      }
      expect(said).toContain('***');
    }
  });
});

describe('a base URL with something before an at-sign', () => {
  // text/parsers.test.ts has other spellings.
  it.each(['DEMO.REPO:s3cret@host', 'https://u:s3/cret@host'])(
    'is refused wherever it is set: %j',
    async (text) => {
      const folder = temporaryDirectory();
      const set = (name: string) => ({ env: { [name]: text, DOI_CLI_CONFIG_DIR: folder } });
      const runs = [
        await run(['dois', 'list', `--base-url=${text}`, '--format', 'json']),
        await run(['dois', 'list'], set('DOI_CLI_BASE_URL')),
        await run(['config', 'set', 'base-url', text], set('X')),
      ];
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, 'config.json'),
        JSON.stringify({ profiles: { default: { 'base-url': text } } }),
      );
      runs.push(await run(['dois', 'list'], set('X')));
      for (const { code, stdout, stderr } of runs) {
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr).toMatch(/must not contain credentials|unknown/);
      }
      runs.push(
        await run(['config', 'list'], set('X')),
        await run(['config', 'get', 'base-url'], set('X')),
      );
      runs.push(await run(['auth', 'status'], set('X')));
      for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/s3|cret|u:/);
    },
  );

  it('is not quoted from settings that are no JSON', async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'config.json'), '{"a":s3cret@h}');
    const { code, stderr } = await run(['dois', 'list'], { env: { DOI_CLI_CONFIG_DIR: folder } });
    expect([code, stderr]).toEqual([2, /is not JSON/]);
    expect(stderr).not.toContain('cret');
  });
});

it('a proxy that cannot be used is a usage error that does not quote it', async () => {
  const env = { HTTPS_PROXY: 'http://u:s3cret%@proxy:3128' };
  const { code, stderr } = await run(['dois', 'list'], { env });
  expect([code, stderr]).toEqual([2, /HTTPS_PROXY is not the URL of a proxy/]);
  expect(stderr).not.toContain('s3cret');
});

describe('a new key', () => {
  const created = (key: string, id = 'k-1') => ({
    data: {
      id,
      type: 'apiKeys',
      attributes: { name: 'ci', keyPrefix: key.slice(0, 11), created: '2026-01-01T00:00:00Z', key },
    },
  });
  const old = created('DC.old00000').data;
  const COMMANDS = [
    ['keys', 'create', '--name', 'ci'],
    ['keys', 'create', '--name', 'ci', '--key-only', '--quiet'],
    ['keys', 'create', '--name', 'ci', '--format', 'json'],
    ['keys', 'rotate', 'k-0', '--name', 'ci', '--keep-old', '--key-only', '--quiet'],
  ];
  const listed = answer(200, { data: [{ ...old, id: 'k-0' }] });
  const KEYS = [
    ['a line break', 'DC.evil\n::set-env name=X::y'],
    ['a return', 'DC.evil\rx'],
    ['an escape', 'DC.evil\u001b[2J'],
    ['a blank', 'DC.evil x'],
    ['a letter outside of ASCII', 'DC.evil\u00e9'],
    ['an invisible character', 'DC.evil\u200b'],
    ['10,000 characters', 'DC.evil'.padEnd(10_000, 'x')],
    ['100,000 characters', 'DC.evil'.padEnd(100_000, 'x')],
  ];
  const cases = COMMANDS.flatMap((argv, at) =>
    KEYS.slice(0, at === 0 ? KEYS.length : 1).map(
      ([what = '', key = '']) => [argv, what, key] as const,
    ),
  );
  it.each(cases)('%j: with %s is not printed, and named by its id', async (argv, _, key) => {
    const both = answer(200, { data: [{ ...old, id: 'k-0' }, old] });
    const { code, stdout, stderr, asked } = await as(
      'pw',
      argv,
      listed,
      answer(201, created(key)),
      both,
    );
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toMatch(
      /meanwhile a key named 'ci' has appeared \(id k-1\)[\s\S]*keys revoke k-1/,
    );
    expect(stderr).not.toContain('evil');
    expect(asked.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  it('is announced before it exists, and named as soon as it does, even with --quiet', async () => {
    const { run: asAccount, newKey } = await emulate();
    expect((await asAccount(['keys', 'create', '--name', 'ci'])).stderr).toMatch(
      /^creating a key named 'ci'/,
    );
    const { id } = await newKey('old');
    const { stderr } = await asAccount(['keys', 'rotate', id, '--yes', '--quiet']);
    expect(stderr).toMatch(/^Created \S+ 'old' \(DC\./);
  });
});

describe('a hostile name of a key', () => {
  const NAMES = ['ci\nerror: all is lost', 'ci\r\nRevoked everything', 'ci\u001b[2J'];
  it.each(NAMES)('is one line in questions, errors, hints and CSV: %j', async (name) => {
    const { run: asAccount, plantKey, newKey } = await emulate();
    const first = await plantKey(name);
    const terminal = { stdin: true, stderr: true };
    const lines = async (argv: string[], stdin = 'n\n') => {
      const { stdout, stderr } = await asAccount(argv, { terminal, stdin });
      return `${stdout}${stderr}`.split('\n');
    };
    const csv = (await asAccount(['keys', 'list', '--format', 'csv'])).stdout.trimEnd().split('\n');
    expect(csv).toHaveLength(2);
    await plantKey(name);
    await newKey('same');
    await newKey('same');
    for (const argv of [
      ['keys', 'revoke', first.id],
      ['keys', 'rotate', first.id],
      ['keys', 'revoke', name],
      ['keys', 'audit', '--format', 'csv'],
      ['keys', 'rotate', first.id, '--yes'],
    ]) {
      for (const line of await lines(argv)) {
        expect(line).not.toMatch(/^(error: all|Revoked every|x)/);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Cf}\p{Zl}]|\ufe0f/u);
      }
    }
    expect(await asAccount(['keys', 'rotate', first.id, '--yes'])).toMatchObject({
      code: 2,
      stderr: /the name of the key contains/,
    });
  });
});
