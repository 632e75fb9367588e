import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';

async function account() {
  const emulator = await emulate();
  const [old, kept, other] = [
    await emulator.newKey('ci'),
    await emulator.newKey('ci'),
    await emulator.newKey('CI'),
  ];
  const active = async () => {
    const { stdout } = await emulator.run(['keys', 'list', '--format', 'json']);
    return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id).sort();
  };
  return { ...emulator, old, kept, other, active };
}

describe('keys prune', () => {
  it.each(['id', 'prefix'] as const)(
    'revokes the other keys of the name; the %s says which stays',
    async (by) => {
      const { run: prune, kept, other, old, active } = await account();
      const argv = ['keys', 'prune', '--name', 'ci', '--keep', kept[by], '--yes'];
      expect(await prune(argv)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Revoked ${old.id}`),
      });
      expect(await active()).toEqual([kept.id, other.id].sort());
      expect(await prune(argv)).toMatchObject({ code: 0, stdout: '', stderr: /nothing to/ });
    },
  );
  it('prints each revoked key as JSON, and not the one that stays', async () => {
    const { run: prune, kept, old } = await account();
    const argv = ['keys', 'prune', '--name', 'ci', '--keep', kept.id, '--yes', '--format', 'json'];
    const { code, stdout } = await prune(argv);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { outcome: 'revoked', id: old.id, attributes: { revokedAt: expect.any(String) } },
    ]);
    expect(await prune(argv)).toMatchObject({ code: 0, stdout: '' });
  });
  it('revokes nothing when the key to keep is none of that name, or revoked, or named by its name', async () => {
    const { run: prune, kept, other, old, active } = await account();
    await prune(['keys', 'revoke', old.id, '--yes']);
    const before = await active();
    const wrong = [other.id, old.id, old.prefix, 'ci', 'DC.nonsense', kept.prefix.slice(0, 10)];
    const refused = { code: 1, stderr: /nothing was revoked/ };
    for (const keep of wrong) {
      const argv = ['keys', 'prune', '--name', 'ci', '--keep', keep, '--yes'];
      expect(await prune(argv)).toMatchObject(refused);
    }
    expect(await active()).toEqual(before);
  });
  it('asks first, and needs --yes without a terminal', async () => {
    const { run: prune, kept, active } = await account();
    const argv = ['keys', 'prune', '--name', 'ci', '--keep', kept.id];
    expect((await run(argv)).code).toBe(2);
    const terminal = { stdin: true, stderr: true };
    expect((await prune(argv, { terminal, stdin: 'n' })).code).toBe(1);
    expect(await active()).toHaveLength(3);
  });
  it('refuses a whole key, and an empty name', async () => {
    for (const options of [
      ['--name', 'ci', '--keep', `DC.${'a'.repeat(32)}`],
      ['--name', ' ', '--keep', 'DC.aaaaaaaa'],
      ['--keep', 'DC.aaaaaaaa'],
      ['--name', 'ci'],
    ]) {
      expect((await run(['keys', 'prune', ...options, '--yes'])).code).toBe(2);
    }
  });
});

describe('keys rotate --current', () => {
  const CURRENT = ['keys', 'rotate', '--current', '--yes'];

  it('replaces the key of the environment, whatever other keys are called', async () => {
    const { run: rotate, old, kept, other, plantKey, active } = await account();
    const planted = await plantKey(old.prefix);
    const env = { DOI_CLI_API_KEY: old.key };
    const rotated = await rotate([...CURRENT, '--key-only'], { env });
    expect(rotated).toMatchObject({ code: 0, stdout: /^DC\.\w{32}\n$/ });
    const now = await active();
    expect(now).toEqual(expect.arrayContaining([kept.id, other.id, planted.id]));
    expect(now).toHaveLength(4);
    expect(now).not.toContain(old.id);
  });
  it('says that no such key is active', async () => {
    const { run: rotate, old } = await account();
    await rotate(['keys', 'revoke', old.id, '--yes']);
    for (const key of [old.key, `DC.${'a'.repeat(32)}`, undefined]) {
      const result = await rotate(CURRENT, { env: { DOI_CLI_API_KEY: key } });
      const stderr = /is not an active key of|is in use: DOI_CLI_API_KEY is not set/;
      expect(result).toMatchObject({ code: 1, stdout: '', stderr });
      expect(result.stderr).not.toContain('aaaaaaaaaaaa');
    }
  });
  it('and a named key exclude each other; one of them is needed', async () => {
    for (const words of [['ci', '--current'], []]) {
      const { code, stderr } = await run(['keys', 'rotate', ...words, '--yes']);
      expect([code, stderr]).toEqual([2, /or --current/]);
    }
  });
});
