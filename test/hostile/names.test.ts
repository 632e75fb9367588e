// Secrets in places that name something: the account in an answer, and the base URL of a stored
// credential.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { accountAt, answer, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const KEY = `DC.${'Ab12'.repeat(8)}`;
const NO_RECORDS = { data: [], meta: { total: 0 } };
const asName = (name: string) => answer(200, NO_RECORDS, { 'x-credential-username': name });

describe('an answer that names a secret in the place of the account', () => {
  it.each([
    [KEY, KEY],
    [KEY, KEY.toLowerCase()],
    [KEY, `demo ${KEY}`],
    [KEY, 'a b'],
    [KEY, 'x'.repeat(5000)],
    ['another-Kind-of-key', 'another-kind-of-key'],
  ])('is no account of a key, and not kept by a login: %s as %s', async (key, name) => {
    const folder = temporaryDirectory();
    const { url } = await serve(asName(name));
    const env = { DOI_CLI_CONFIG_DIR: folder, DOI_CLI_BASE_URL: url.href };
    const argv = ['auth', 'login', '--api-key-stdin', '--insecure-file'];
    const { code, stdout, stderr } = await run(argv, { env, stdin: key });
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('the service named something that is not an account for the API key');
    const kept = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    for (const text of [stderr, ...kept])
      expect(text.toLowerCase()).not.toContain(key.toLowerCase());
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  it('is masked, in its own letters', async () => {
    const { url } = await serve(asName('Tr0ub4Dor-Secret'));
    const env = accountAt(url, 'Tr0ub4Dor-Secret');
    const { code, stderr } = await run(['keys', 'list', '--verbose'], { env });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('for the account ***, not demo.repo'),
    ]);
    expect(stderr.toLowerCase()).not.toContain('tr0ub4dor');
  });
});

describe('the base URL of a stored credential', () => {
  const status = async (baseUrl: string) => {
    const folder = temporaryDirectory();
    const entry = { baseUrl, kind: 'repository', account: 'demo.repo', place: 'insecure-file' };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ stored: [entry] }), {
      mode: 0o600,
    });
    const secrets = JSON.stringify({ [`${baseUrl}|repository|demo.repo`]: 'pw' });
    writeFileSync(join(folder, 'insecure-credentials.json'), secrets, { mode: 0o600 });
    const env = { DOI_CLI_CONFIG_DIR: folder };
    const said: string[] = [];
    for (const line of ['auth status', 'auth status --format json', 'auth logout --all']) {
      const { stdout, stderr } = await run(line.split(' '), { env });
      said.push(stdout + stderr);
    }
    return said;
  };

  it.each(['https://u:s3cret@127.0.0.1:1', 'not a URL s3cret@h', 'https://u:s3cret%40h'])(
    'is shown without credentials: %s',
    async (baseUrl) => {
      for (const text of await status(baseUrl)) {
        expect(text).toContain('***@');
        expect(text).not.toContain('s3cret');
      }
    },
  );

  it('gets no secret in clear text', async () => {
    const [text] = await status('http://192.0.2.1');
    expect(text).toContain('must be https');
  });
});

describe('a whole API key where a text belongs', () => {
  const key = `DC.${'Zz9'.repeat(10)}ab`;
  it.each([
    [['dois', 'update', '10.5072/a', '--set', `version=${key}`]],
    [['dois', 'create', '--prefix', '10.5072', '--publisher', key]],
    [['dois', 'create', '--prefix', '10.5072', '--title', key]],
    [['dois', 'create', '--prefix', '10.5072', '--creator', key]],
    [['dois', 'list', '--query', key]],
    [['dois', 'hide', '10.5072/a', '--reason', key]],
  ])('is refused and not repeated: %j', async (argv) => {
    const emulator = await emulate({ records: 0 });
    const { code, stdout, stderr } = await emulator.run(argv);
    expect([code, stdout, stderr]).toEqual([2, '', /whole API key/]);
    expect(stderr).not.toContain(key);
    expect(await emulator.log()).toEqual([]);
  });
});
