import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { realKeychain } from '../helpers/real-keychain.ts';
import { run } from '../helpers/run.ts';
import { type KeychainEnv, startSecretService } from '../helpers/secret-service.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { interposed, type Verdict } from './interposed.ts';
import { program } from './program.ts';

const ROTATE = ['keys', 'rotate', 'ci', '--save', '--show', '--yes'];

/**
 * Rotates the only key of an account, which is stored, and returns the keys and credentials
 * afterwards.
 * @param decide is called for each request of the rotation, with the running program.
 */
async function rotated(
  keychain: Readonly<Record<string, string>> | undefined,
  decide: (method: string, path: string, child: ChildProcess) => Verdict | Promise<Verdict>,
  during: (child: ChildProcess) => void = () => undefined,
) {
  const emulator = await emulate();
  const old = await emulator.newKey('ci');
  const folder = join(temporaryDirectory(), 'config');
  let child: ChildProcess | undefined;
  const baseUrl = await interposed(emulator.baseUrl, (method, path) =>
    child === undefined ? 'pass' : decide(method, path, child),
  );
  const stored = { ...keychain, DOI_CLI_BASE_URL: baseUrl, DOI_CLI_CONFIG_DIR: folder };
  const env = { ...emulator.env, ...stored };
  const place = keychain === undefined ? ['--insecure-file'] : [];
  // Only the rotation needs the built program; login and status run in this process.
  const inHere = (argv: readonly string[], stdin = '') =>
    run(argv, {
      env: stored,
      stdin,
      ...(keychain === undefined ? {} : { keychain: realKeychain(keychain) }),
    });
  const login = await inHere(['auth', 'login', '--api-key-stdin', ...place], old.key);
  expect(login.code, login.stderr).toBe(0);
  const result = await program(ROTATE, {
    env,
    during: (running) => {
      child = running;
      during(running);
    },
  });
  child = undefined;
  const { stdout } = await emulator.run(['keys', 'list', '--format', 'json']);
  const active = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
  // Shows whether the stored key works and belongs to the account.
  const status = await inHere(['auth', 'status', '--format', 'json']);
  return { ...result, old, active, status: JSON.parse(status.stdout) as unknown };
}

const STORED_WORKS = [{ account: /^demo\.repo$/i, kind: 'api-key', accepted: true }];

describe('a rotation of a stored key', () => {
  // Keys in a file are tested where there is no real keychain.
  const isReal = !lacks('secretService');
  let service: Promise<KeychainEnv> | undefined;
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  const keychain = async () => {
    if (isReal) service ??= startSecretService('unlocked', (end) => ends.push(end));
    return service;
  };

  it('ends with the new key in use', async () => {
    const { code, stdout, stderr, old, active, status } = await rotated(
      await keychain(),
      () => 'pass',
    );
    expect([code, stdout], stderr).toEqual([0, /DC\.\S{32}/]);
    expect([active.length, active.includes(old.id)]).toEqual([1, false]);
    expect(status).toMatchObject(STORED_WORKS);
  });

  // commands/keys/rotate.test.ts has the steps between the requests.
  it.each([
    ['before the creation', 'POST', 'hold'],
    ['during the creation', 'POST', 'carry out and hold'],
    ['during the proof', '/dois', 'hold'],
    ['before the revocation', 'DELETE', 'hold'],
    ['during the revocation', 'DELETE', 'carry out and hold'],
  ] as const)('that is killed %s leaves a stored key that works', async (when, where, verdict) => {
    const result = await rotated(await keychain(), (method, path, child) => {
      if (method !== where && !path.startsWith(where)) return 'pass';
      // Late enough for a request to be carried out.
      setTimeout(() => child.kill('SIGKILL'), 150);
      return verdict;
    });
    expect(result.signal).toBe('SIGKILL');
    expect(result.status).toMatchObject(STORED_WORKS);
    expect(result.active.includes(result.old.id)).toBe(when !== 'during the revocation');
    // Only a key whose creation was not answered yet may be missing from stderr.
    for (const id of result.active) {
      if (id !== result.old.id && when !== 'during the creation')
        expect(result.stderr).toContain(id);
    }
  });

  it.skipIf(lacks('signals')).each([
    ['during the proof', '/dois', 'hold', true],
    ['during the revocation', 'DELETE', 'pass', false],
  ] as const)(
    'that is interrupted %s leaves no unnamed key',
    async (_when, where, verdict, oldStays) => {
      let interrupted = false;
      const result = await rotated(await keychain(), async (method, path, child) => {
        if (interrupted || (method !== where && !path.startsWith(where))) return 'pass';
        interrupted = true;
        child.kill('SIGINT');
        await new Promise((resolve) => setTimeout(resolve, 200));
        return verdict;
      });
      expect(result.code, result.stderr).toBe(130);
      expect(result.active.includes(result.old.id)).toBe(oldStays);
      expect(result.active).toHaveLength(1);
      expect(result.status).toMatchObject(STORED_WORKS);
      if (oldStays) expect(result.stderr).toMatch(/revoked again, and the old one is untouched/);
    },
  );
});
