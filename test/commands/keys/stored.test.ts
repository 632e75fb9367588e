import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../../src/errors.ts';
import { emulate, REPOSITORY } from '../../helpers/emulator.ts';
import { withKeychain } from '../../helpers/memory-keychain.ts';
import { run as runBare } from '../../helpers/run.ts';
import { answer, serve } from '../../helpers/server.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

/** An account with three keys named `ci`; the first is stored, and so is the password. */
async function holder() {
  const emulator = await emulate();
  const stored = await emulator.newKey('ci');
  const others = [await emulator.newKey('ci'), await emulator.newKey('ci')];
  const { keychain, folder, run } = withKeychain(emulator.run);
  const env = { DOI_CLI_CONFIG_DIR: folder };
  const withoutCredentials = (argv: readonly string[]) =>
    emulator.anonymous(argv, { keychain, env });
  const login = ['auth', 'login', '--repository', REPOSITORY, '--password-stdin'];
  await run(login, { stdin: emulator.env['DOI_CLI_PASSWORD'] ?? '' });
  await run(['auth', 'login', '--api-key-stdin'], { stdin: stored.key });
  keychain.asked.length = 0;
  return {
    ...emulator,
    ...{ keychain, stored, others, run, withoutCredentials },
    kept: () => [...keychain.secrets.keys()].map((name) => name.split('|')[1]),
    revoke: (...ids: string[]) => run(['keys', 'revoke', ...ids, '--yes']),
  };
}

const ERASED = 'Erased the revoked key of DEMO.REPO from the keychain';

describe('the stored key', () => {
  it('has an asterisk in the table of keys, and its prefix in the status', async () => {
    const { stored, others, keychain, run, withoutCredentials } = await holder();
    const { stdout, stderr } = await withoutCredentials(['keys', 'list']);
    expect(stdout.match(/DC\.\w{8} \*/g)).toEqual([`${stored.prefix} *`]);
    expect([others.length, stderr]).toEqual([2, '* this key is stored on this machine\n']);
    expect((await withoutCredentials(['auth', 'status'])).stdout).toContain(
      `api-key ${stored.prefix}  keychain  yes\n`,
    );
    // Programs read other formats, and a password in the environment needs no store.
    expect((await withoutCredentials(['keys', 'list', '--format', 'csv'])).stdout).not.toContain(
      '*',
    );
    keychain.asked.length = 0;
    expect((await run(['keys', 'list'])).stdout).not.toContain('*');
    expect(keychain.asked).toEqual([]);
  });
  it('is erased when it is revoked, and the password is used again', async () => {
    const { stored, others, revoke, kept, withoutCredentials } = await holder();
    const { code, stderr } = await revoke(...others.map(({ id }) => id), stored.prefix);
    expect([code, stderr.split(ERASED).length]).toEqual([0, 2]);
    expect(stderr).not.toContain(stored.key);
    expect(kept()).toEqual(['repository']);
    expect(await withoutCredentials(['dois', 'list', '--mine', '--count'])).toMatchObject({
      code: 0,
    });
  });
  it('is erased when a prune revokes it', async () => {
    const { others, run, kept } = await holder();
    const [keep] = others;
    const argv = ['keys', 'prune', '--name', 'ci', '--keep', keep?.id ?? '', '--yes'];
    expect(await run(argv)).toMatchObject({ code: 0, stderr: expect.stringContaining(ERASED) });
    expect(kept()).toEqual(['repository']);
  });
  it('is erased when it was revoked elsewhere before', async () => {
    const { stored, revoke, kept, run: here, log } = await holder();
    await here(['keys', 'revoke', stored.id, '--yes'], {
      env: { DOI_CLI_CONFIG_DIR: join(temporaryDirectory(), 'elsewhere') },
    });
    expect(kept()).toContain('api-key');
    const before = (await log()).length;
    expect(await revoke(stored.id)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(ERASED),
    });
    expect(kept()).toEqual(['repository']);
    expect((await log()).slice(before).map(({ method }) => method)).toEqual(['GET']);
  });
  it('is erased though an interrupt stops the revocation of the others', async () => {
    const { stored, others, run, keychain, kept } = await holder();
    const interrupt = new AbortController();
    const said: string[] = [];
    const stdout = {
      write: async (text: string | Uint8Array) => {
        said.push(String(text));
        interrupt.abort(stopReason('SIGINT'));
      },
    };
    const argv = ['keys', 'revoke', stored.id, ...others.map(({ id }) => id), '--yes'];
    expect(await run(argv, { stdout, signal: interrupt.signal })).toMatchObject({ code: 130 });
    expect([said.length, keychain.asked, kept()]).toEqual([1, ['get', 'delete'], ['repository']]);
  });
  it('stays when other keys are revoked', async () => {
    const { others, revoke, kept } = await holder();
    const { code, stderr } = await revoke(...others.map(({ id }) => id));
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('keychain')]);
    expect(kept()).toEqual(['repository', 'api-key']);
  });
  it('stays when it could not be revoked', async () => {
    const { stored, run, control, kept, keychain } = await holder();
    await control('faults', { faults: ['403@2'] });
    const result = await run(['keys', 'revoke', stored.id, '--yes', '--retries', '0']);
    expect([result.code, kept(), keychain.asked]).toEqual([5, ['repository', 'api-key'], []]);
  });
  it.each(['get', 'delete'] as const)('is named in a warning when %s fails', async (operation) => {
    const { stored, revoke, keychain, kept, run } = await holder();
    keychain.failing = { [operation]: 'locked' };
    const command = `doi-cli auth logout --api-key --repository ${REPOSITORY}`;
    const { code, stdout, stderr } = await revoke(stored.id);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Revoked ${stored.id}`)]);
    expect(stderr).toMatch(
      /warning: the keychain may still contain a revoked key of DEMO\.REPO: .*locked/,
    );
    expect(stderr).toContain(command);
    keychain.failing = {};
    expect(await run(command.split(' ').slice(1))).toMatchObject({ code: 0 });
    expect(kept()).toEqual(['repository']);
  });
  it('is not asked for when the settings name none of this account and service', async () => {
    const { stored, revoke, withoutCredentials, keychain } = await holder();
    await withoutCredentials(['auth', 'logout', '--api-key']);
    keychain.asked.length = 0;
    expect(await revoke(stored.id)).toMatchObject({ code: 0 });
    expect(keychain.asked).toEqual([]);
  });
  it.each(['', 'D', 'DC.'])(
    'stays whatever a service says of a key with the prefix %j',
    async (keyPrefix) => {
      const { keychain, stored } = await holder();
      const revokedAt = '2026-01-01T00:00:00Z';
      const attributes = { name: 'x', keyPrefix, created: '', revokedAt };
      const revoked = { id: 'k', type: 'apiKeys', attributes };
      const { url } = await serve(answer(200, { data: [revoked] }));
      const env = {
        DOI_CLI_BASE_URL: url.href,
        DOI_CLI_REPOSITORY: REPOSITORY,
        DOI_CLI_PASSWORD: 'x',
        DOI_CLI_CONFIG_DIR: join(temporaryDirectory(), 'config'),
      };
      const login = `auth login --api-key-stdin --skip-verify --repository ${REPOSITORY}`.split(
        ' ',
      );
      await runBare(login, { env, keychain, stdin: stored.key });
      const before = [...keychain.secrets];
      expect(await runBare(['keys', 'revoke', 'x', '--yes'], { env, keychain })).toMatchObject({
        code: 0,
      });
      expect([...keychain.secrets]).toEqual(before);
    },
  );
  it('is erased from the file, too', async () => {
    const { env, newKey } = await emulate();
    const { id, key } = await newKey('ci');
    const own = { ...env, DOI_CLI_CONFIG_DIR: join(temporaryDirectory(), 'config') };
    await runBare(['auth', 'login', '--api-key-stdin', '--insecure-file'], {
      env: own,
      stdin: key,
    });
    expect(await runBare(['keys', 'revoke', id, '--yes'], { env: own })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'Erased the revoked key of DEMO.REPO from the file of credentials',
      ),
    });
  });
});
