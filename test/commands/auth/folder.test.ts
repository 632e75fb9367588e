import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD } from '../../helpers/emulator.ts';
import { MemoryKeychain } from '../../helpers/memory-keychain.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const LOGIN = ['auth', 'login', '--repository', 'DEMO.REPO', '--password-stdin'];

describe('a folder for settings that is a file', () => {
  it.each([
    [LOGIN],
    [[...LOGIN, '--skip-verify']],
    [[...LOGIN, '--insecure-file']],
    [['config', 'set', 'repository', 'A.B']],
    [['keys', 'create', '--name', 'ci', '--save']],
  ])('is wrong input on every system: %j', async (argv) => {
    const { run, anonymous, env } = await emulate();
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, 'x');
    const keychain = new MemoryKeychain();
    for (const folder of [file, join(file, 'below')]) {
      const options = {
        env: { ...(argv[0] === 'keys' ? env : {}), DOI_CLI_CONFIG_DIR: folder },
        stdin: PASSWORD,
        keychain,
      };
      const { code, stderr } = await (argv[0] === 'keys' ? run : anonymous)(argv, options);
      expect([argv, code, stderr]).toEqual([argv, 2, /file is not a directory/]);
    }
    expect(keychain.secrets.size).toBe(0);
  });
});
