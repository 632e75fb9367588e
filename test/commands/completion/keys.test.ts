import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const NEVER = () => new Promise<void>(() => {});
const KEYS = ['completion', 'keys'];

/** An environment whose settings let completion ask the service, or do not. */
function settings(allows?: string): Readonly<Record<string, string>> {
  const folder = temporaryDirectory();
  const profile = allows === undefined ? {} : { 'complete-keys': allows };
  const text = JSON.stringify({ profiles: { default: profile } });
  writeFileSync(join(folder, 'config.json'), text, { mode: 0o600 });
  return { DOI_CLI_CONFIG_DIR: folder };
}

const offered = async ({ run }: TestEmulator, more = {}) => {
  const env = { ...settings('true'), ...more };
  const { code, stdout, stderr } = await run(KEYS, { env, sleep: NEVER });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').slice(0, -1);
};

describe('the keys that completion offers', () => {
  it('are active, by name, or by prefix where the name is not usable', async () => {
    const emulator = await emulate();
    const names = ['ci', 'my "laptop"', 'twice', 'twice', '-x', 'tab\there', 'esc\u001b[2J', ' a'];
    const prefixes: string[] = [];
    for (const name of names) prefixes.push((await emulator.plantKey(name)).prefix);
    await emulator.plantKey('old');
    expect((await emulator.run(['keys', 'revoke', 'old', '--yes'])).code).toBe(0);
    const words = names.map((name, at) => (at < 2 ? name : prefixes[at]));
    const lines = words.map((word, at) => `${word}\t${prefixes[at]}`);
    expect((await offered(emulator)).sort()).toEqual(lines.sort());
  });

  it.each([undefined, 'false'])('are not requested with the setting %j', async (allows) => {
    const { run, log } = await emulate();
    expect(await run(KEYS, { env: settings(allows), sleep: NEVER })).toMatchObject({
      ...{ code: 0, stdout: '', stderr: '' },
    });
    expect(await log()).toEqual([]);
  });

  it('are left out when the answer is late, is an error, or needs other credentials', async () => {
    const slow = await emulate({ latencyMs: 200 });
    const late = await slow.run(KEYS, { env: settings('true') });
    expect(late).toMatchObject({ code: 0, stdout: '', stderr: '', waits: [1500] });
    const broken = await emulate({ faults: ['502'] });
    expect(await offered(broken)).toEqual([]);
    expect((await broken.log()).length).toBe(1);
    expect(await offered(await emulate(), { DOI_CLI_PASSWORD: 'wrong' })).toEqual([]);
    expect(await offered(await emulate(), { DOI_CLI_PASSWORD: undefined })).toEqual([]);
  });
});
