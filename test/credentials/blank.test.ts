import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { MemoryKeychain } from '../helpers/memory-keychain.ts';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const NAMES = ['DOI_CLI_API_KEY', 'DOI_CLI_PASSWORD', 'DOI_CLI_REPOSITORY'] as const;

describe.each(NAMES)('%s', (name) => {
  it.each([
    ['dois list --all', ''],
    ['dois list --count', ' '],
    ['dois get 10.5072/x --format json', '\t\n'],
    ['dois harvest --dir DIR', ''],
    ['dois stats', ''],
    ['dois publish 10.5072/x', ''],
    ['keys list', ''],
    ['keys create --name ci', ' '],
    ['datafile credentials', ''],
    ['auth status', ''],
    ['auth login --password-stdin', ''],
  ])('that is set, but blank, is an error before any request: %s', async (line, value) => {
    const service = await emulate();
    const argv = line.replace('DIR', temporaryDirectory()).split(' ');
    const { code, stdout, stderr } = await service.run(argv, {
      env: { [name]: value },
      stdin: 'correct horse',
      keychain: new MemoryKeychain(),
    });
    expect([code, stdout, await service.log()], stderr).toEqual([4, '', []]);
    expect(stderr).toMatch(new RegExp(`${name} is set, but empty.*set it to .*unset it`, 's'));
  });
  it('matters to nobody who sends no credentials', async () => {
    const service = await emulate();
    const argv = ['dois', 'list', '--count', '--anonymous'];
    expect(await service.run(argv, { env: { [name]: '' } })).toMatchObject({ code: 0, stderr: '' });
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
