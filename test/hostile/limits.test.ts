// Answers within the limit of a body that would still take much memory, time or room on the screen.
// The memory of whole processes is measured in bounds.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseBounded, TooComplex } from '../../src/text/json-values.ts';
import { visible } from '../../src/text/redact.ts';
import { against } from '../helpers/against.ts';
import { lacks } from '../helpers/platform.ts';
import { run } from '../helpers/run.ts';
import { type Answer, answer } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const ACCOUNT = { DOI_CLI_REPOSITORY: 'demo.repo', DOI_CLI_PASSWORD: 'secret' };
const CREDENTIALS = {
  bucket: 'bucket.x',
  access_key_id: 'id',
  secret_access_key: 'key',
  session_token: 'token',
  expires_in: 3600,
};

const answered = (argv: readonly string[], make: Answer) =>
  against([...argv, '--retries', '0'], make, { env: ACCOUNT });

describe('an answer with too much of something', () => {
  it.each(['access_key_id', 'secret_access_key', 'session_token'])(
    'is refused: a long %s',
    async (name) => {
      const { code, stdout, stderr } = await answered(
        ['datafile', 'credentials'],
        answer(200, { ...CREDENTIALS, [name]: 'ab1'.repeat(100_000) }),
      );
      expect([code, stdout]).toEqual([5, '']);
      expect(stderr).toContain('contains no credentials for the data file');
    },
  );

  it.each(['name', 'keyPrefix', 'created', 'lastUsedAt', 'revokedAt'])(
    'is refused: a long %s of a key',
    async (name) => {
      const attributes = {
        name: 'n',
        keyPrefix: 'DC.1',
        created: '2020',
        [name]: 'x'.repeat(100_000),
      };
      const keys = { data: [{ id: 'k', type: 'apiKeys', attributes }] };
      const { code, stdout, stderr } = await answered(['keys', 'list'], answer(200, keys));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.length).toBeLessThan(1000);
    },
  );

  it.each([
    ['keys', 'list'],
    ['keys', 'list', '--format', 'json'],
    ['dois', 'get', '10.5072/a'],
  ])('has only its first problems printed: %j', async (...argv) => {
    const errors = Array.from({ length: 30_000 }, (_, index) => ({ title: `wrong ${index}` }));
    const { code, stderr } = await answered(argv, answer(422, { errors }));
    expect(code).toBe(1);
    expect(stderr).toContain('wrong 99; and 29,900 more problems');
    expect(stderr.length).toBeLessThan(5000);
  });

  it('is refused: names of members', () => {
    const members = Array.from({ length: 400_000 }, (_, index) => `"${index.toString(36)}":1`);
    expect(() => parseBounded(`{${members.join(',')}}`)).toThrow(TooComplex);
  });
});

it('invisible characters become visible at once, however many there are', () => {
  // Each once took a search around it.
  for (const character of ['\u200d', '\ufe0f', '\u202e', '\u{e0041}']) {
    const text = character.repeat(500_000 / character.length);
    expect(visible(text).length).toBe(3_000_000);
  }
});

describe.skipIf(lacks('procfs'))('a folder of settings below /proc', () => {
  it.each([
    ['config', 'set', 'prefix', '10.5072'],
    'auth login --insecure-file --skip-verify --repository a.b --password-stdin'.split(' '),
  ])('is refused at once: %s %s', async (...argv) => {
    const env = { DOI_CLI_CONFIG_DIR: '/proc/self/x/y' };
    const { code, stderr } = await run(argv, { env, stdin: 'pw' });
    expect([2, 4]).toContain(code);
    expect(stderr).toContain('no directory can be made at /proc/self/x');
  });
});

it('the time to check a record grows with the number of its problems', async () => {
  const file = join(temporaryDirectory(), 'record.json');
  const members = Array.from({ length: 50_000 }, (_, index) => `"x${index}": 1`);
  writeFileSync(file, `{${members.join(',')}}`);
  const { code, stdout, stderr } = await run(['dois', 'validate', '--file', file]);
  // The service drops what it does not know.
  expect([code, stderr]).toEqual([0, /0 errors, 50,\d{3} warnings in 1 record/]);
  expect(stdout).toMatch(/record\.json: warning: and 49,\d{3} more\n$/);
});
