import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { MemoryKeychain } from '../helpers/memory-keychain.ts';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const READS = [
  'dois list',
  'dois list --all --limit 5',
  'dois list --count',
  'dois list --out DIR/list.csv',
  'dois get 10.5072/x',
  'dois stats',
  'dois harvest --dir DIR/copy',
];
const OTHERS = [
  'dois publish 10.5072/x',
  'keys list',
  'keys create --name ci',
  'datafile credentials',
  'auth status',
  'auth login --password-stdin',
];
type Row = [string, Readonly<Record<string, string | undefined>>, RegExp, readonly string[]];
const blank = (name: string, value: string): Row => [
  `${name} that is blank`,
  { [name]: value },
  new RegExp(`${name} is set, but empty.*set it to .*unset it`, 's'),
  [...READS, ...OTHERS],
];

// resolve.test.ts has how credentials are found.
describe.each<Row>([
  blank('DOI_CLI_API_KEY', ''),
  blank('DOI_CLI_PASSWORD', ' '),
  blank('DOI_CLI_REPOSITORY', '\t\n'),
  [
    'a repository without a password',
    { DOI_CLI_PASSWORD: undefined },
    /^error: no password is set for the repository account DEMO\.REPO\nhint: set DOI_CLI_REPOSITORY and/m,
    READS,
  ],
  [
    'a password without a repository',
    { DOI_CLI_REPOSITORY: undefined },
    /^error: DOI_CLI_PASSWORD is set, but no repository account is\nhint: set DOI_CLI_REPOSITORY and/m,
    READS,
  ],
])('%s', (_, env, message, commands) => {
  it.each(commands)(
    'is an error before any request, and no read is anonymous: %s',
    async (line) => {
      const service = await emulate();
      const argv = line.replace('DIR', temporaryDirectory()).split(' ');
      const options = { env, stdin: 'correct horse', keychain: new MemoryKeychain() };
      const { code, stdout, stderr } = await service.run(argv, options);
      expect([code, stdout, stderr, await service.log()]).toEqual([4, '', message, []]);
    },
  );
  it('matters to nobody who sends no credentials', async () => {
    const service = await emulate();
    const argv = ['dois', 'list', '--count', '--anonymous'];
    expect(await service.run(argv, { env })).toMatchObject({ code: 0, stderr: '' });
  });
});

it.each(['', '\n', '\r\n'])(
  'a secret on stdin that is blank (%j) is an error before any request',
  async (stdin) => {
    for (const option of ['--password-stdin', '--api-key-stdin']) {
      const service = await emulate();
      const env = { DOI_CLI_BASE_URL: service.baseUrl, DOI_CLI_CONFIG_DIR: temporaryDirectory() };
      const argv = ['auth', 'login', '--repository', 'DEMO.REPO', option];
      const { code, stderr } = await run(argv, { env, stdin, keychain: new MemoryKeychain() });
      expect([code, await service.log()], stderr).toEqual([4, []]);
      expect(stderr).toMatch(/^error: the (password|API key) on stdin is empty\nhint: /);
    }
  },
);
