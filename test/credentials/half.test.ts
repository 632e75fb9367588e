import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { MemoryKeychain } from '../helpers/memory-keychain.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

/**
 * The half of a credential that is left when the other variable is not set, and what the message
 * says.
 */
const HALVES = [
  ['DOI_CLI_PASSWORD', /^error: no password is set for the repository account DEMO\.REPO$/m],
  ['DOI_CLI_REPOSITORY', /^error: DOI_CLI_PASSWORD is set, but no repository account is$/m],
] as const;
const READS = [
  'dois list',
  'dois list --all --limit 5',
  'dois list --count',
  'dois list --out DIR/list.csv',
  'dois get 10.5072/x',
  'dois stats',
  'dois harvest --dir DIR/copy',
] as const;

describe.each(HALVES)('half a credential, without %s', (name, message) => {
  it.each(READS)(
    'stops a read before any request, and never makes it anonymous: %s',
    async (line) => {
      const service = await emulate();
      const argv = line.replace('DIR', temporaryDirectory()).split(' ');
      const options = { env: { [name]: undefined }, keychain: new MemoryKeychain() };
      const { code, stdout, stderr } = await service.run(argv, options);
      expect([code, stdout, await service.log()], stderr).toEqual([4, '', []]);
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^hint: set DOI_CLI_REPOSITORY and DOI_CLI_PASSWORD/m);
    },
  );

  it('does not matter next to an API key, or where no credentials are wanted', async () => {
    const service = await emulate();
    const { key } = await service.newKey('half');
    const keychain = new MemoryKeychain();
    const count = ['dois', 'list', '--count'];
    const withKey = await service.run(count, {
      env: { [name]: undefined, DOI_CLI_API_KEY: key },
      keychain,
    });
    expect(withKey, withKey.stderr).toMatchObject({ code: 0 });
    const anonymous = await service.run([...count, '--anonymous'], {
      env: { [name]: undefined },
      keychain,
    });
    expect(anonymous, anonymous.stderr).toMatchObject({ code: 0 });
  });
});
